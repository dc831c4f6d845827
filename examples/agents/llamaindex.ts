import { createInterface } from 'node:readline'
import type { ChatMessage } from '@llamaindex/core/llms'
import { tool } from '@llamaindex/core/tools'
import { openai } from '@llamaindex/openai'
import { agent } from '@llamaindex/workflow'
import { openLibrary } from 'skillshelf'
import { directory } from 'skillshelf/node'
import { createSession } from 'skillshelf/session'

const library = await openLibrary(directory(new URL('../skills', import.meta.url)))
const session = createSession(library)
let history: ChatMessage[] = []

async function answer(message: string) {
  // Without `history`: LlamaIndex changes the text of tool results, so the session cannot find its own in it.
  const { system, tail } = await session.prepare(message)
  const sent = [message, tail].filter(Boolean).join('\n\n')
  const assistant = agent({
    llm: openai({ model: process.env['MODEL'] ?? 'gpt-4.1-mini' }), // reads OPENAI_API_KEY
    systemPrompt: `You are a helpful assistant.\n\n${system}`,
    tools: session.tools().map(({ name, description, inputSchema, execute }) =>
      tool({
        name,
        description,
        parameters: inputSchema,
        execute: async input => (await execute(input)).text,
      }),
    ),
  })
  const { data } = await assistant.run(sent, { chatHistory: history })
  const spoken = (await data.state?.memory.getLLM()) ?? history
  history = spoken.map(one => (one.content === sent ? { ...one, content: message } : one))
  return data.result
}

for await (const line of createInterface({ input: process.stdin })) console.log(await answer(line))
