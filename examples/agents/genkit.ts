import { createInterface } from 'node:readline'
import { openAI } from '@genkit-ai/compat-oai/openai'
import { genkit, type MessageData } from 'genkit'
import { openLibrary } from 'skillshelf'
import { directory } from 'skillshelf/node'
import { createSession } from 'skillshelf/session'

const ai = genkit({ plugins: [openAI()] }) // reads OPENAI_API_KEY
const library = await openLibrary(directory(new URL('../skills', import.meta.url)))
const session = createSession(library)
let history: MessageData[] = []

async function answer(message: string) {
  const { system, tail } = await session.prepare({ message, history })
  const response = await ai.generate({
    model: openAI.model(process.env['MODEL'] ?? 'gpt-4.1-mini'),
    system: `You are a helpful assistant.\n\n${system}`,
    messages: history,
    prompt: `${message}\n${tail}`,
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
  history = response.messages.filter(({ role }) => role !== 'system')
  return response.text
}

for await (const line of createInterface({ input: process.stdin })) console.log(await answer(line))
