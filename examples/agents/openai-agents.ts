import { createInterface } from 'node:readline'
import {
  Agent,
  type AgentInputItem,
  run,
  setOpenAIAPI,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import { openLibrary } from 'skillshelf'
import { directory } from 'skillshelf/node'
import { createSession } from 'skillshelf/session'

setOpenAIAPI('chat_completions') // also works with services that imitate OpenAI
setTracingDisabled(true)

const library = await openLibrary(directory(new URL('../skills', import.meta.url)))
const session = createSession(library)
const history: AgentInputItem[] = []

async function answer(message: string) {
  history.push({ role: 'user', content: message })
  const { system, messages } = await session.prepare({ messages: history })
  const tools = session.tools().map(({ name, description, inputSchema, execute }) =>
    tool({
      name,
      description,
      // Strict mode does not support optional parameters.
      strict: false,
      parameters: { ...inputSchema, additionalProperties: true },
      execute: async (input, _context, details) =>
        (await execute(input, { signal: details?.signal })).text,
    }),
  )
  const instructions = `You are a helpful assistant.\n\n${system}`
  const agent = new Agent({
    name: 'Assistant',
    instructions,
    model: process.env['MODEL'] ?? 'gpt-4.1-mini',
    tools,
  })
  const result = await run(agent, messages)
  history.push(...result.history.slice(messages.length))
  return result.finalOutput
}

for await (const line of createInterface({ input: process.stdin })) console.log(await answer(line))
