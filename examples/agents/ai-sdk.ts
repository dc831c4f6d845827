import { createInterface } from 'node:readline'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, type ModelMessage, stepCountIs, wrapLanguageModel } from 'ai'
import { openLibrary } from 'skillshelf'
import { skillMiddleware, skillTools } from 'skillshelf/adapters/ai-sdk'
import { directory } from 'skillshelf/node'
import { createSession } from 'skillshelf/session'

const {
  MODEL = 'gpt-4.1-mini',
  OPENAI_BASE_URL = 'https://api.openai.com/v1',
  OPENAI_API_KEY = '',
} = process.env
const provider = createOpenAICompatible({
  name: 'provider',
  baseURL: OPENAI_BASE_URL,
  apiKey: OPENAI_API_KEY,
})
const library = await openLibrary(directory(new URL('../skills', import.meta.url)))
const session = createSession(library)
const model = wrapLanguageModel({ model: provider(MODEL), middleware: skillMiddleware(session) })
const history: ModelMessage[] = []

async function answer(message: string) {
  history.push({ role: 'user', content: message })
  const { text, responseMessages } = await generateText({
    model,
    system: 'You are a helpful assistant.',
    messages: history,
    tools: skillTools(session),
    stopWhen: stepCountIs(12),
  })
  history.push(...responseMessages)
  return text
}

for await (const line of createInterface({ input: process.stdin })) console.log(await answer(line))
