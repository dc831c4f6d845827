import { createInterface } from 'node:readline'
import { openAI } from '@genkit-ai/compat-oai/openai'
import { genkit, type MessageData } from 'genkit'
import { openLibrary } from 'skillshelf'
import { directory } from 'skillshelf/node'
import { createSession } from 'skillshelf/session'

const ai = genkit({ plugins: [openAI()] }) // reads OPENAI_API_KEY
const library = await openLibrary(directory(new URL('../skills', import.meta.url)))
const session = createSession(library)
const history: MessageData[] = []

async function answer(message: string) {
  history.push({ role: 'user', content: [{ text: message }] })
  const { system, messages } = await session.prepare({ messages: history })
  const response = await ai.generate({
    model: openAI.model(process.env['MODEL'] ?? 'gpt-4.1-mini'),
    system: `You are a helpful assistant.\n\n${system}`,
    messages,
    tools: session
      .tools()
      .map(({ name, description, inputSchema, execute }) =>
        ai.dynamicTool(
          { name, description, inputJsonSchema: inputSchema },
          async (input, { abortSignal }) => (await execute(input, { signal: abortSignal })).text,
        ),
      ),
    maxTurns: 12,
  })
  const spoken = response.messages.filter(({ role }) => role !== 'system')
  history.push(...spoken.slice(messages.length))
  return response.text
}

for await (const line of createInterface({ input: process.stdin })) console.log(await answer(line))
