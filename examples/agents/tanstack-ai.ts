import { createInterface } from 'node:readline'
import { chat, type ModelMessage, maxIterations, toolDefinition } from '@tanstack/ai'
import { openaiChatCompletions } from '@tanstack/ai-openai'
import { openLibrary } from 'skillshelf'
import { directory } from 'skillshelf/node'
import { createSession } from 'skillshelf/session'

const library = await openLibrary(directory(new URL('../skills', import.meta.url)))
const session = createSession(library)
const history: ModelMessage[] = []

async function answer(message: string) {
  history.push({ role: 'user', content: message })
  const { system, messages } = await session.prepare({ messages: history })
  return await chat({
    adapter: openaiChatCompletions('gpt-4.1-mini'), // reads OPENAI_API_KEY
    systemPrompts: ['You are a helpful assistant.', system],
    messages,
    tools: session
      .tools()
      .map(({ name, description, inputSchema, execute }) =>
        toolDefinition({ name, description, inputSchema }).server(
          async (input, context) => (await execute(input, { signal: context?.abortSignal })).text,
        ),
      ),
    agentLoopStrategy: maxIterations(12),
    middleware: [
      {
        name: 'history',
        onFinish: all => {
          history.push(...all.messages.slice(messages.length))
        },
      },
    ],
    stream: false,
  })
}

for await (const line of createInterface({ input: process.stdin })) console.log(await answer(line))
