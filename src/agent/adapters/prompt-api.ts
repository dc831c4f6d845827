import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { parseJson } from '../../core/plain-data.js'
import { taglessLine } from '../../core/sanitize.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import { callTool } from '../session/call-tool.js'
import type { SessionMessage } from '../session/messages.js'
import type { PreparedTurn } from '../session/prompt.js'
import type { Session } from '../session/types.js'

// These types match those of `@types/dom-chromium-ai`, which is not needed.

/** A session of the built-in model: the part of `LanguageModel` that this adapter uses. Older browsers have the older names. */
export interface PromptModel {
  prompt(
    input: string,
    options?: { responseConstraint?: Record<string, unknown>; signal?: AbortSignal },
  ): Promise<string>
  clone(options?: { signal?: AbortSignal }): Promise<PromptModel>
  destroy(): unknown
  addEventListener(type: string, listener: () => void): void
  measureContextUsage?(input: string, options?: { signal?: AbortSignal }): Promise<number>
  measureInputUsage?(input: string, options?: { signal?: AbortSignal }): Promise<number>
  readonly contextWindow?: number
  readonly inputQuota?: number
}

/** The global `LanguageModel`. */
export interface PromptModelFactory {
  availability(options?: object): Promise<string>
  create(options?: object): Promise<PromptModel>
}

/** Options of `createPromptChat`. */
export interface PromptChatOptions extends AbortOptions {
  /** The Prompt API. @default globalThis.LanguageModel */
  languageModel?: PromptModelFactory | undefined
  /** Options of `LanguageModel.create`, such as `initialPrompts`, `expectedInputs` and `monitor`. @default {} */
  create?: object | undefined
}

/** A conversation with the built-in model of the browser. */
export interface PromptChat {
  readonly model: PromptModel
  /** Whether the model calls tools. If not, `prompt` opens the skills. */
  readonly callsTools: boolean
  /**
   * Sends a message with the skills that it needs.
   * @throws SkillshelfError `aborted`; every error of `session.prepare`; every error of the model
   */
  prompt(message: string, options?: AbortOptions): Promise<{ text: string; prepared: PreparedTurn }>
  /** Ends the conversation, and frees the model. */
  destroy(): void
}

/** Tokens of instructions that a message gets, before the model measures it. */
const PROMPT_TOKENS = 1_500
/** Attempts to make a message fit. */
const ATTEMPTS = 3
const NO_SKILL = 'none'
const OPTIONS = { languageModel: 1, create: 1, signal: 1 } satisfies OptionNames<PromptChatOptions>

/**
 * Starts a conversation with the built-in model of the browser. If the browser supports tools, the model opens skills itself. Else each
 * message gets the instructions of its best match, and if the match is uncertain, the model chooses between the possible skills by a
 * constrained answer. A message takes at most half of the model's context, as the model measures it.
 * @param session A session of its own: the conversation is tracked in it.
 * @param options `create`: options of `LanguageModel.create`. `signal`: ends the start.
 * @throws SkillshelfError `unsupported` if the browser has no Prompt API, or the device cannot run the model; `aborted`; every error of
 * `LanguageModel.create`
 * @example
 * ```ts
 * import { createPromptChat } from 'skillshelf/adapters/browser'
 *
 * const chat = await createPromptChat(session)
 * const { text } = await chat.prompt('Check this invoice before I pay it')
 * chat.destroy()
 * ```
 */
export async function createPromptChat(
  session: Session,
  options: PromptChatOptions = {},
): Promise<PromptChat> {
  checkOptionNames(options, OPTIONS)
  const { languageModel, create = {}, signal } = options
  throwIfAborted(signal)
  const factory =
    languageModel ?? (globalThis as { LanguageModel?: PromptModelFactory }).LanguageModel
  if (!factory) {
    throw new SkillshelfError('unsupported', 'LanguageModel is not available', {
      hint: 'the Prompt API needs a secure page and Chrome 148 or later on a desktop',
    })
  }
  let conversation: SessionMessage[] = []
  const tools = session.tools().map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
    async execute(input: unknown) {
      const { text } = await callTool(session, name, input)
      conversation.push(
        { role: 'assistant', content: '', calls: `${name} ${JSON.stringify(input)}` },
        { role: 'tool', content: text },
      )
      return text
    },
  }))
  const callsTools = tools.length > 0 && (await supportsTools(factory, create, tools))
  if (!callsTools && (await factory.availability(create)) === 'unavailable') {
    throw new SkillshelfError('unsupported', 'The built-in model is not available on this device', {
      hint: 'see chrome://on-device-internals, or use another model',
    })
  }
  throwIfAborted(signal)
  const model = await factory.create({
    ...create,
    ...(callsTools
      ? { tools, initialPrompts: withCatalog(create, session.dialect.catalog(session)) }
      : {}),
    ...(signal ? { signal } : {}),
  })
  // The browser removes the oldest messages. The next message repeats the instructions that may be among them.
  const forget = (): void => {
    conversation = []
  }
  model.addEventListener('contextoverflow', forget)
  model.addEventListener('quotaoverflow', forget)

  return {
    model,
    callsTools,
    async prompt(message, options = {}) {
      const prepared = callsTools
        ? await session.prepare({ message, history: conversation }, options)
        : await prepareToFit({ session, model, message, options }, conversation)
      const input = inputOf(message, prepared)
      const before = conversation
      before.push({ role: 'user', content: input })
      const text = await model.prompt(input, signalOf(options))
      conversation.push({ role: 'assistant', content: text })
      session.observe(conversation)
      return { text, prepared }
    },
    destroy: () => void model.destroy(),
  }
}

/** Whether the browser reads the `tools` of a model and can create it. Browsers ignore options that they do not know. */
async function supportsTools(
  factory: PromptModelFactory,
  create: object,
  tools: readonly object[],
): Promise<boolean> {
  let isRead = false
  const options = Object.defineProperty({ ...create }, 'tools', {
    enumerable: true,
    get() {
      isRead = true
      return tools
    },
  })
  try {
    return (await factory.availability(options)) !== 'unavailable' && isRead
  } catch {
    return false
  }
}

function withCatalog(create: object, catalog: string): { role: string; content: string }[] {
  const { initialPrompts = [] } = create as { initialPrompts?: { role: string; content: string }[] }
  const [first, ...others] = initialPrompts
  if (first?.role !== 'system') return [{ role: 'system', content: catalog }, ...initialPrompts]
  return [{ role: 'system', content: `${first.content}\n\n${catalog}` }, ...others]
}

function inputOf(message: string, { tail }: PreparedTurn): string {
  return tail === '' ? message : `${message}\n\n${tail}`
}

function signalOf({ signal }: AbortOptions): { signal?: AbortSignal } {
  return signal ? { signal } : {}
}

/** A message on its way to a model of the browser. */
interface PromptTurn {
  session: Session
  model: PromptModel
  message: string
  options: AbortOptions
}

/** Prepares a turn whose input takes at most half of the context, as the model measures it. */
async function prepareToFit(
  turn: PromptTurn,
  history: readonly SessionMessage[],
): Promise<PreparedTurn> {
  const { session, model, message, options } = turn
  const half = Math.floor((model.contextWindow ?? model.inputQuota ?? Number.POSITIVE_INFINITY) / 2)
  let maxTokens = Math.min(PROMPT_TOKENS, half)
  const prepare = () =>
    session.prepare({ message, history }, { ...options, tools: 'none', maxTokens })
  let prepared = await prepare()
  const loaded = [...prepared.loaded]
  if (prepared.matches.length === 0 && prepared.maybe.length > 0) {
    const chosen = await chooseSkill(turn, prepared)
    if (chosen !== undefined) {
      loaded.push(chosen)
      prepared = await prepare()
    }
  }
  for (let attempt = 0; attempt < ATTEMPTS && prepared.tail !== ''; attempt++) {
    const input = inputOf(message, prepared)
    const used = (await (model.measureContextUsage?.(input, signalOf(options)) ??
      model.measureInputUsage?.(input, signalOf(options)))) as number | undefined
    if (used === undefined || used <= half) break
    maxTokens = Math.floor(((maxTokens * half) / used) * 0.9)
    prepared = await prepare()
  }
  return { ...prepared, loaded }
}

/** Lets the model choose one of the uncertain matches, outside of the conversation, and opens it. */
async function chooseSkill(
  { session, model, message, options }: PromptTurn,
  { maybe }: PreparedTurn,
): Promise<string | undefined> {
  const skills = maybe.flatMap(({ id }) => session.offered.find(skill => skill.id === id) ?? [])
  const names = skills.map(({ id }) => id)
  const question = [
    'Which skill fits the message? Answer with its id, or with none.',
    ...skills.map(({ id, description }) => `${id}: ${taglessLine(description)}`),
    `Message: ${message}`,
  ].join('\n')
  const chooser = await model.clone(signalOf(options))
  try {
    const responseConstraint = { type: 'string', enum: [...names, NO_SKILL] }
    const reply = await chooser.prompt(question, { responseConstraint, ...signalOf(options) })
    const answer = String(parseJson(reply) ?? reply.trim())
    if (!names.includes(answer)) return undefined
    await session.load(answer, { by: 'model', ...options })
    return answer
  } catch (error) {
    if (!isSkillshelfError(error) || isSkillshelfError(error, 'aborted', 'closed')) throw error
    return undefined
  } finally {
    chooser.destroy()
  }
}
