import { createInterface } from 'node:readline'
import Anthropic from '@anthropic-ai/sdk'
import { answerToolSearches, shelfTools } from 'skillshelf/adapters/anthropic'
import { TOOL_SEARCH, toolShelf } from 'skillshelf/tools'
import { mockAnthropic } from './mock-anthropic.ts'
import { callTool, tools } from './tools.ts'

const { MODEL: model = 'claude-sonnet-5-5', ANTHROPIC_API_KEY: apiKey } = process.env
const client = apiKey
  ? new Anthropic({ apiKey })
  : new Anthropic({ apiKey: 'mock', fetch: mockAnthropic })
const shelf = await toolShelf(tools)
const messages: Anthropic.MessageParam[] = []

async function answer(message: string): Promise<string> {
  messages.push({ role: 'user', content: message })
  for (let step = 0; step < 12; step++) {
    const request = { model, max_tokens: 1024, messages, tools: shelfTools(shelf) }
    const { content } = await client.messages.create(request)
    messages.push({ role: 'assistant', content })
    const uses = content.filter(block => block.type === 'tool_use')
    if (uses.length === 0) return content.map(one => (one.type === 'text' ? one.text : '')).join('')
    const found = await answerToolSearches(shelf, content)
    const called = uses
      .filter(({ name }) => name !== TOOL_SEARCH)
      .map(({ id, name, input }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: callTool(name, input),
      }))
    messages.push({ role: 'user', content: [...found, ...called] })
  }
  return 'Stopped: too many steps.'
}

for await (const line of createInterface({ input: process.stdin })) console.log(await answer(line))
