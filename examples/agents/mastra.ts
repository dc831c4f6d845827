import { createInterface } from 'node:readline'
import { Agent } from '@mastra/core/agent'
import type { MessageInput } from '@mastra/core/agent/message-list'
import { createTool } from '@mastra/core/tools'
import { openLibrary } from 'skillshelf'
import { directory } from 'skillshelf/node'
import { createSession } from 'skillshelf/session'

const {
  MODEL = 'gpt-4.1-mini',
  OPENAI_BASE_URL = 'https://api.openai.com/v1',
  OPENAI_API_KEY = '',
} = process.env
const library = await openLibrary(directory(new URL('../skills', import.meta.url)))
const session = createSession(library)
const history: MessageInput[] = []

async function answer(message: string) {
  history.push({ role: 'user', content: message })
  const { system, messages } = await session.prepare({ messages: history })
  const tools = session.tools().map(({ name, description, inputSchema, execute }) =>
    createTool({
      id: name,
      description,
      inputSchema,
      execute: async (input, { abortSignal }) =>
        (await execute(input, { signal: abortSignal })).text,
    }),
  )
  const agent = new Agent({
    id: 'assistant',
    name: 'Assistant',
    instructions: `You are a helpful assistant.\n\n${system}`,
    model: { id: `openai/${MODEL}`, url: OPENAI_BASE_URL, apiKey: OPENAI_API_KEY },
    tools: Object.fromEntries(tools.map(tool => [tool.id, tool])),
  })
  const { text, response } = await agent.generate(messages, { maxSteps: 12 })
  history.push(...(response.messages ?? []))
  return text
}

for await (const line of createInterface({ input: process.stdin })) console.log(await answer(line))
