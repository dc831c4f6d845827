import { createInterface } from 'node:readline'
import OpenAI from 'openai'
import { answerToolSearches, shelfTools } from 'skillshelf/adapters/openai'
import { toolShelf } from 'skillshelf/tools'
import { mockOpenAI } from './mock-openai.ts'
import { callTool, tools } from './tools.ts'

const { MODEL: model = 'gpt-5.4', OPENAI_API_KEY: apiKey } = process.env
const client = apiKey
  ? new OpenAI({ apiKey })
  : new OpenAI({ apiKey: 'mock', baseURL: 'https://mock.invalid/v1', fetch: mockOpenAI })
const shelf = await toolShelf(tools)
const input: OpenAI.Responses.ResponseInputItem[] = []

async function answer(message: string): Promise<string> {
  input.push({ role: 'user', content: message })
  for (let step = 0; step < 12; step++) {
    const request = { model, input, tools: shelfTools(shelf) }
    const { output, output_text } = await client.responses.create(request)
    // Calls go back as they came: a function of a search has a `namespace`.
    input.push(...(output as OpenAI.Responses.ResponseInputItem[]))
    const found = await answerToolSearches(shelf, output)
    const called = output
      .filter(item => item.type === 'function_call')
      .map(({ call_id, name, arguments: json }) => ({
        type: 'function_call_output' as const,
        call_id,
        output: callTool(name, JSON.parse(json)),
      }))
    if (found.length + called.length === 0) return output_text
    input.push(...found, ...called)
  }
  return 'Stopped: too many steps.'
}

for await (const line of createInterface({ input: process.stdin })) console.log(await answer(line))
