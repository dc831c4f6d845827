import { type AbortOptions, onAbort } from '../../core/abort.js'
import { throwIfAborted } from '../../core/errors.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { HostMessage } from '../session/messages.js'
import type { PreparedTurn } from '../session/prompt.js'
import type { Session } from '../session/types.js'
import { answerToolCalls, type ChatTool, skillTools } from './openai.js'

// These types match those of `@mlc-ai/web-llm`, which is not needed at run time.

/** The part of `MLCEngineInterface` that this adapter uses. Other engines with the API of OpenAI fit too. */
export interface ChatEngine {
  chat: {
    completions: {
      create(request: { messages: ChatMessage[]; tools?: ChatTool[]; stream?: false }): Promise<{
        choices: { message: { content?: string | null; tool_calls?: object[] } }[]
      }>
    }
  }
  interruptGenerate?(): unknown
}

/** A message of a chat: of the user, of the model, or of a tool. */
// biome-ignore lint/suspicious/noExplicitAny: each package has its own union of messages
export type ChatMessage = any

/** Options of `answerWithSkills`. */
export interface EngineTurn extends AbortOptions {
  /** The message of the user. */
  message: string
  /** The conversation before it: `messages` of the last result. @default [] */
  history?: readonly HostMessage[] | undefined
  /** Whether the loaded model calls tools: `functionCallingModelIds.includes(modelId)` of WebLLM. @default false */
  tools?: boolean | undefined
  /** Maximum calls of the model with tools. One more call without tools follows if the last one has no answer. @default 6 */
  maxSteps?: number | undefined
}

const TURN = {
  message: 1,
  history: 1,
  tools: 1,
  maxSteps: 1,
  signal: 1,
} satisfies OptionNames<EngineTurn>

/** Result of `answerWithSkills`. */
export interface AnsweredTurn {
  /** The answer of the model. */
  text: string
  /** The conversation with this turn, for the next call: what the user, the model and its tools said. */
  messages: ChatMessage[]
  /** The prompt sections and matches of this turn. */
  prepared: PreparedTurn
}

/**
 * Answers a message with a model in the tab. A model that calls tools opens skills itself. For any other model the best match is opened,
 * and its instructions are added to the message.
 *
 * What the model gets of the skills is not in the conversation that is returned. The catalog goes before the first message of the user: WebLLM
 * writes the system prompt of models that call tools itself.
 * @param engine An `MLCEngine` of WebLLM with a loaded model.
 * @param turn The message, the conversation before it, and whether the model calls tools.
 * @returns The answer, and the conversation for the next call.
 * @throws SkillshelfError `aborted`; every error of `session.prepare`; every error of the engine
 * @example
 * ```ts
 * import { CreateMLCEngine, functionCallingModelIds } from '@mlc-ai/web-llm'
 * import { answerWithSkills } from 'skillshelf/adapters/web-llm'
 *
 * const modelId = 'Llama-3.2-1B-Instruct-q4f16_1-MLC'
 * const engine = await CreateMLCEngine(modelId)
 * const tools = functionCallingModelIds.includes(modelId)
 * const { text, messages } = await answerWithSkills(session, engine, { message: 'Check this invoice', tools })
 * ```
 */
export async function answerWithSkills(
  session: Session,
  engine: ChatEngine,
  turn: EngineTurn,
): Promise<AnsweredTurn> {
  checkOptionNames(turn, TURN)
  const { message, history = [], tools = false, maxSteps = 6, signal } = turn
  throwIfAborted(signal)
  const messages: ChatMessage[] = [...history, { role: 'user', content: message }]
  const prepare = () =>
    session.prepare<ChatMessage>(
      { messages },
      { signal, ...(tools ? {} : { tools: 'none' as const }) },
    )
  const prepared = await prepare()
  const removeListener = signal
    ? onAbort(signal, () => void engine.interruptGenerate?.())
    : undefined
  const ask = async (given: PreparedTurn<ChatMessage>, offered: ChatTool[]) => {
    const request = {
      messages: withCatalog(given),
      ...(offered.length > 0 ? { tools: offered } : {}),
    }
    const { choices } = await engine.chat.completions.create(request)
    throwIfAborted(signal)
    return choices[0]?.message ?? {}
  }
  try {
    for (let step = 0; tools && step < maxSteps; step++) {
      const reply = await ask(step === 0 ? prepared : await prepare(), skillTools(session))
      if (!reply.tool_calls?.length) {
        if (reply.content) {
          messages.push({ role: 'assistant', content: reply.content })
          return { text: reply.content, messages, prepared }
        }
        break
      }
      messages.push(reply, ...(await answerToolCalls(session, reply, { signal })))
    }
    const { content: text } = await ask(tools ? await prepare() : prepared, [])
    messages.push({ role: 'assistant', content: text ?? '' })
    return { text: text ?? '', messages, prepared }
  } finally {
    removeListener?.()
  }
}

/** The messages to send, with the catalog before the first message of the user. */
function withCatalog({ system, messages }: PreparedTurn<ChatMessage>): ChatMessage[] {
  const first = messages.findIndex(({ role }) => role === 'user')
  return messages.map((message, index) =>
    index === first && system !== ''
      ? { ...message, content: `${system}\n\n${message.content}` }
      : message,
  )
}
