import type { AbortOptions } from '../../core/abort.js'
import { throwIfAborted } from '../../core/errors.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { PreparedTurn } from '../session/prompt.js'
import type { Session } from '../session/types.js'

// These types match those of `@huggingface/transformers`, which is not needed at run time.

/** A message of a chat. */
export interface GeneratorMessage {
  role: string
  content: string
}

/** A text generation pipeline of transformers.js, or a function like it. */
// biome-ignore lint/suspicious/noExplicitAny: the results of the pipeline are a union over all of its inputs
export type TextGenerator = (messages: any, options?: any) => Promise<any>

/** Options of `answerWithSkills`. */
export interface GeneratorTurn extends AbortOptions {
  /** The message of the user. */
  message: string
  /** The conversation before it: `messages` of the last result. @default [] */
  history?: readonly GeneratorMessage[] | undefined
  /** Options of the pipeline, such as `do_sample`. @default { max_new_tokens: 512 } */
  generation?: Readonly<Record<string, unknown>> | undefined
}

const TURN = {
  message: 1,
  history: 1,
  generation: 1,
  signal: 1,
} satisfies OptionNames<GeneratorTurn>

/** Result of `answerWithSkills`. */
export interface GeneratedTurn {
  /** The answer of the model. */
  text: string
  /** The conversation with this turn, for the next call: what the user and the model said. */
  messages: GeneratorMessage[]
  /** The prompt sections and matches of this turn. */
  prepared: PreparedTurn
}

/**
 * Answers a message with a text generation pipeline. The best match is opened, and its instructions are added to the message.
 * @param session The session. For an exact budget, create it with `countTokens: text => generator.tokenizer.encode(text).length`.
 * @param generator `await pipeline('text-generation', …)` of transformers.js, with a model that has a chat template.
 * @param turn The message, the conversation before it, and options of the pipeline.
 * @returns The answer, and the conversation for the next call.
 * @throws SkillshelfError `aborted`, before and after the model runs; every error of `session.prepare`; every error of the pipeline
 * @example
 * ```ts
 * import { pipeline } from '@huggingface/transformers'
 * import { answerWithSkills } from 'skillshelf/adapters/transformers'
 *
 * const generator = await pipeline('text-generation', 'onnx-community/Qwen3-0.6B-ONNX', { dtype: 'q4f16' })
 * const { text, messages } = await answerWithSkills(session, generator, { message: 'Check this invoice' })
 * ```
 */
export async function answerWithSkills(
  session: Session,
  generator: TextGenerator,
  turn: GeneratorTurn,
): Promise<GeneratedTurn> {
  checkOptionNames(turn, TURN)
  const { message, history = [], generation, signal } = turn
  throwIfAborted(signal)
  const messages: GeneratorMessage[] = [...history, { role: 'user', content: message }]
  const prepared = await session.prepare({ messages }, { tools: 'none', signal })
  const [result] = await generator(prepared.messages, { max_new_tokens: 512, ...generation })
  throwIfAborted(signal)
  const generated: string | GeneratorMessage[] = result?.generated_text ?? ''
  const text = typeof generated === 'string' ? generated : (generated.at(-1)?.content ?? '')
  return { text, messages: [...messages, { role: 'assistant', content: text }], prepared }
}
