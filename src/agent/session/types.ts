import type { AbortOptions } from '../../core/abort.js'
import type { TokenCounter } from '../../core/tokens.js'
import type { SkillLibrary } from '../../library/types.js'
import type { SkillMatch } from '../../search/match/types.js'
import type { Skill, SkillFile, SkillId, SkillSummary } from '../../skill/types.js'
import type { HostMessage, SessionMessage } from './messages.js'

/** Who requests a skill or file: the model by a tool, a person by a command, or the code of the host. */
export type Requester = 'model' | 'user' | 'host'

/** A request that `SessionOptions.allow` decides on. */
export interface PermissionRequest {
  kind: 'skill' | 'file'
  skill: SkillSummary
  /** Path of the file in the folder of the skill. Only with kind `file`. */
  path?: string
  by: Requester
  /** The digest in `SessionOptions.trust`, if the skill has changed since. */
  trustedDigest?: string
}

/** Token budgets of a session. */
export interface Budgets {
  /**
   * The instructions of one skill must cost fewer tokens than this, else `load` throws `too-large`.
   * @default 20000, in `omniEmployee` 8000
   */
  skill: number
  /**
   * Share of `contextTokens` that may be used, from 0 to 1.
   * @default 0.9
   */
  share: number
  /**
   * Expected tokens of the system prompt. Only shown in the ledger.
   * @default 2000
   */
  system: number
  /**
   * Expected tokens of one skill in the catalog. Only shown in the ledger.
   * @default 100
   */
  metadata: number
  /**
   * Expected tokens of the instructions of one open skill. Only shown in the ledger.
   * @default 5000
   */
  instructions: number
  /**
   * Expected tokens of one reference. Only shown in the ledger.
   * @default 3000
   */
  reference: number
}

/** Options of `createSession`. */
export interface SessionOptions {
  /**
   * Size of the model's context window, in tokens.
   * @default 128000
   */
  contextTokens?: number | undefined
  /** Token budgets. A missing field keeps its default. */
  budgets?: Partial<Budgets> | undefined
  /**
   * Maximum tokens of the catalog in the system prompt. A longer catalog gets shorter descriptions, then no descriptions, then
   * fewer skills.
   * @default 2000
   */
  catalogTokens?: number | undefined
  /**
   * Counts the tokens of a text.
   * @default estimateTokens
   */
  countTokens?: TokenCounter | undefined
  /**
   * The host's own system prompt, or its size in tokens. Only counted in the ledger.
   * @default 0
   */
  system?: string | number | undefined
  /**
   * The prompt texts and tools of the session.
   * @default the skillshelf dialect
   */
  dialect?: Dialect | undefined
  /**
   * Shortens the conversation by at least `need.tokens` and returns it. Called when an opened skill or reference does not fit.
   * @default For references: truncates long tool results, then drops the oldest messages; the last ten messages stay
   */
  compact?:
    | ((
        messages: readonly SessionMessage[],
        need: { tokens: number; signal?: AbortSignal | undefined },
      ) => readonly SessionMessage[] | Promise<readonly SessionMessage[]>)
    | undefined
  /**
   * Decides whether a skill or file may be used.
   * @default Everything is allowed
   */
  allow?: ((request: PermissionRequest) => boolean | Promise<boolean>) | undefined
  /**
   * Digests of reviewed skills, by skill id. A skill with this digest is used without a call of `allow`. A skill with another
   * digest needs `allow`, and is refused without it.
   */
  trust?: Readonly<Record<SkillId, string>> | undefined
  /**
   * Whether `prepare` opens the best match itself: `true` for a confidence above 0.8, or a threshold of your own.
   * @default false
   */
  auto?: boolean | { confidence: number } | undefined
  /**
   * Learns from use: if the model opens a skill after `prepare`, the library learns the message for that skill, as by `library.learn`. Only
   * the first skill that the model opens for a message counts; skills that `prepare`, a user or the host opens do not. The library must
   * be opened with `learn`.
   * @default false
   */
  learn?: boolean | undefined
}

/** A skill that is open in a session. */
export interface OpenSkill {
  skill: Skill
  /** Tokens of the instructions. */
  tokens: number
  references: readonly { path: string; tokens: number; text: string }[]
}

/** Limits of an agent loop. */
export interface LoopLimits {
  maxIterations?: number
  /** In seconds. */
  timeout?: number
}

/** One component of the context. */
export interface LedgerEntry {
  tokens: number
  /** Expected tokens, from `SessionOptions.budgets`. */
  budget?: number
}

/** Tokens in the context, by component. */
export interface Ledger {
  /** The host's own system prompt. */
  system: LedgerEntry
  /** The catalog. */
  metadata: LedgerEntry
  /** Instructions of open skills, in the system prompt or in tool results. */
  instructions: LedgerEntry
  references: LedgerEntry
  messages: LedgerEntry
  /** Results of tools, without the instructions of open skills. Includes results since the last `observe`. */
  toolResults: LedgerEntry
  total: number
  /** Percent of `contextTokens`, to one decimal. */
  percent: number
  contextTokens: number
}

/** Result of `Session.load`. */
export interface LoadResult {
  skill: Skill
  /** `already-loaded`: the skill is open and unchanged, and the model can see its instructions. */
  status: 'loaded' | 'already-loaded'
  /** Tokens of the instructions. */
  tokens: number
  /** Skills that were unloaded to make room. */
  unloaded: readonly SkillId[]
}

/** Result of `Session.loadReference`. `status` and `tokens` are those of the reference. */
export interface LoadReferenceResult extends LoadResult {
  file: SkillFile
}

/** Prompt sections and matches for one turn. */
export interface PreparedTurn {
  /** For the system prompt. Identical bytes while the catalog and the open skills stay the same. `''` without skills. */
  system: string
  /**
   * For the end of the user message: matches or possible skills, skills opened for it, new instructions of skills that changed in the
   * library, and a line for each open skill whose instructions the history lacks. `''` if there is nothing to add.
   */
  tail: string
  /** Matches of the message, best first. */
  matches: readonly SkillMatch[]
  /** If no skill matches: up to three uncertain ones that are not open, best first. The tail names them as possible. */
  maybe: readonly SkillMatch[]
  /** Skills opened for this message by the `auto` option, or for a model without tools. */
  loaded: readonly SkillId[]
  /** Skills closed since the last call because the library no longer has them, or because `allow` refused a new version. */
  closed: readonly SkillId[]
  /** The conversation as text, shortened if room was made. */
  messages: readonly SessionMessage[]
}

/** A session as JSON: ids and digests of the open skills, without their text. */
export interface SessionState {
  format: 'skillshelf-session/1'
  open: readonly { id: SkillId; digest: string; references: readonly string[] }[]
}

/** Result of `restoreSession`. */
export interface RestoredSession {
  session: Session
  /** Skills that could not be opened again, with the reason: removed, refused, too large, or only for people. */
  lost: readonly { id: SkillId; reason: string }[]
}

/** Result of `Session.rehydrate`. */
export interface RehydrateResult {
  /** Open skills whose instructions are not in the messages. */
  missing: readonly SkillId[]
  /** Text to add to the conversation: their instructions if they fit, else a one-line reminder each. `''` if none is missing. */
  text: string
}

/** Result of a tool call. Failures are results too, so the model can correct its call. */
export interface ToolResult {
  /** Text for the model. */
  text: string
  isError: boolean
  /** The result as an object: that of `search_skills`, and of dialects that define one, such as `{ success: true, data: { content } }`. */
  data?: Readonly<Record<string, unknown>>
}

/** JSON Schema of a parameter of a tool: the keywords that all agent SDKs accept. */
export type ToolParameter = {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  description?: string
  enum?: (string | number)[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  items?: ToolParameter
  properties?: Record<string, ToolParameter>
  required?: string[]
}

/** JSON Schema of the input of a tool. It is assignable to the schema types of agent SDKs. */
export type ToolInputSchema = {
  type: 'object'
  properties: Record<string, ToolParameter>
  required: string[]
  additionalProperties: false
}

/** A tool for a model, independent of any SDK. */
export interface SkillTool {
  name: string
  /** Can change with the library: read it for each turn. */
  readonly description: string
  inputSchema: ToolInputSchema
  /** JSON Schema of `data` of a result without `isError`, if the tool always returns it. */
  outputSchema?: Readonly<Record<string, unknown>>
  /**
   * Runs the tool. Wrong input and refused skills return a result with `isError`.
   * @throws SkillshelfError `aborted`; every error that is not a `SkillshelfError`
   */
  execute(input: unknown, options?: AbortOptions): Promise<ToolResult>
}

/** One thing that a session did. A `prepare` or `tool` ends after the `load` inside it. */
export interface SessionActivity {
  type: 'prepare' | 'load' | 'load-reference' | 'read' | 'unload' | 'tool' | 'prune' | 'rehydrate'
  /** Start, in milliseconds since 1970. */
  startedAt: number
  /** In milliseconds. */
  duration: number
  /** The skill, by the name or id that was given. After success its id. */
  skill?: SkillId
  /** Path of a file in the folder of the skill. */
  path?: string
  /** Name of a tool. */
  tool?: string
  /** Tokens that were added to the prompt, or removed by `unload`. */
  tokens?: number
  /** Matches of `prepare`, best first. */
  matches?: readonly { id: SkillId; score: number }[]
  /** `prepare`: skills that it opened. `load`: skills that it closed to make room. `rehydrate`: skills that the conversation lacks. */
  skills?: readonly SkillId[]
  /** Tools that are left after `prune`. */
  tools?: readonly string[]
  /** Code of a `SkillshelfError`, or the name of another error. */
  error?: string
}

/**
 * The skills of one conversation: which are open, what they cost, and what the model sees of them. A session never calls a
 * model. It changes messages only to make room, and `messages` has the result.
 */
export interface Session {
  readonly library: SkillLibrary
  readonly dialect: Dialect
  readonly countTokens: TokenCounter
  readonly catalogTokens: number
  /** Skills that the model may open: all except those with `disable-model-invocation` and those that the dialect excludes. */
  readonly offered: readonly SkillSummary[]
  /** Open skills, in the order in which they were opened. Skills that the library no longer has are closed. */
  readonly open: readonly OpenSkill[]
  /** The open skill that was requested last. Relative file paths are resolved against it. */
  readonly latest: OpenSkill | undefined
  /** The conversation as text, from the last `observe`, shortened if room was made. */
  readonly messages: readonly SessionMessage[]

  /**
   * Calls a listener after each thing that the session does: matches, skills opened and closed, files read, tools run. Errors of the
   * listener are reported, and do not affect the session.
   *
   * @returns Removes the listener.
   * @example
   * ```ts
   * const stop = session.on('activity', ({ type, skill, tokens, duration }) => console.log(type, skill, tokens, duration))
   * ```
   */
  on(event: 'activity', listener: (activity: SessionActivity) => void): () => void

  /**
   * Gives the session the current conversation. Needed to count tokens, to keep mentioned skills open, and to find out which
   * instructions the model can see: only those in these messages.
   *
   * @param messages All messages, oldest first, in the format of any supported SDK.
   * @throws SkillshelfError `invalid-input` if `messages` is not a list of messages
   * @example
   * ```ts
   * session.observe([{ role: 'user', content: 'Check this invoice' }])
   * ```
   */
  observe(messages: readonly HostMessage[]): void

  /**
   * Opens a skill. If it does not fit into the context, skills that the last ten messages do not mention are unloaded first,
   * then `compact` shortens the conversation.
   *
   * @param skill Id or unique name.
   * @param options `by`: who requests it. Default `host`.
   * @returns The skill, with status `already-loaded` if it is open and visible.
   * @throws SkillshelfError `too-large` with all figures in `details`; `not-allowed`; every error of `library.get`
   * @example
   * ```ts
   * const { skill, unloaded } = await session.load('pdf')
   * ```
   */
  load(skill: string, options?: AbortOptions & { by?: Requester | undefined }): Promise<LoadResult>

  /**
   * Adds a file of an open skill to the context.
   *
   * @param skill Id or name of an open skill.
   * @param path Path in the folder of the skill.
   * @param options `by`: who requests it. Default `host`.
   * @throws SkillshelfError `not-loaded`, `too-large`, `not-allowed`, `unsupported` if the file is not text; every error of
   * `library.read`
   * @example
   * ```ts
   * const { tokens } = await session.loadReference('pdf', 'references/forms.md')
   * ```
   */
  loadReference(
    skill: string,
    path: string,
    options?: AbortOptions & { by?: Requester | undefined },
  ): Promise<LoadReferenceResult>

  /**
   * Closes a skill and its references.
   *
   * @param skill Id or name of an open skill.
   * @returns The closed skill, or `undefined` if it was not open.
   * @example
   * ```ts
   * session.unload('pdf')
   * ```
   */
  unload(skill: string): OpenSkill | undefined

  /**
   * Reads a file of a skill without adding it to the context. Checks permissions, as `load` does.
   *
   * @param skill Id or unique name.
   * @param path Path in the folder of the skill.
   * @param options `by`: who requests it. Default `host`.
   * @throws SkillshelfError `not-allowed`; every error of `library.read`
   * @example
   * ```ts
   * const { text } = await session.read('pdf', 'scripts/extract.py')
   * ```
   */
  read(skill: string, path: string, options?: AbortOptions & { by?: Requester | undefined }): Promise<SkillFile>

  /**
   * Finds the skills for a message and builds the prompt sections of this turn. Open skills follow the library: skills that are
   * gone are closed, and those with a new text are read again, with a new call of `allow`.
   *
   * With `tools: 'none'` the prompt is for a model that cannot call tools. The best match above the threshold is opened, and `tail` has
   * its instructions and the text files that they name, cut to `maxTokens`. `system` is `''`. The next match closes it.
   *
   * @param turn The message, or the message with the conversation before it. `history` is passed to `observe`: keep tool results
   * in it, else the model has to load its skills again.
   * @param options `limit`: maximum matches, default 3. `threshold`: minimum score, default 0.7. `tools`: `'none'` for a model that cannot
   * call tools. `maxTokens`: size of `tail` with `tools: 'none'`, default 1500 or half of the usable context if that is smaller.
   * @throws SkillshelfError `invalid-input` for another value of `tools`; every error of `library.match`
   * @example
   * ```ts
   * const { system, tail } = await session.prepare({ message, history })
   * const messages = [
   *   { role: 'system', content: `You are a helpful assistant.\n\n${system}` },
   *   ...history,
   *   { role: 'user', content: `${message}\n\n${tail}` },
   * ]
   * ```
   */
  prepare(
    turn: string | { message: string; history?: readonly HostMessage[] | undefined },
    options?: AbortOptions & {
      limit?: number | undefined
      threshold?: number | undefined
      tools?: 'none' | undefined
      maxTokens?: number | undefined
    },
  ): Promise<PreparedTurn>

  /**
   * Returns the tools to offer to the model in this turn. Adapters such as `skillshelf/adapters/openai` convert them.
   *
   * @returns The tools of the dialect. An empty list if no skill is offered.
   * @example
   * ```ts
   * for (const { name, description, inputSchema } of session.tools()) console.log(name, description, inputSchema)
   * ```
   */
  tools(): readonly SkillTool[]

  /**
   * Filters the host's tools by the `allowed-tools` of the open skills. The lists of all open skills are combined. Nothing is
   * removed if no skill is open or an open skill has no list. The session's own tools always stay.
   *
   * @param tools Tool names, tools with a `name` (also inside `function` or `custom`, as OpenAI has it), or tools by name.
   * @param nameOf Returns the name of a tool. Default: reads its `name`.
   * @throws SkillshelfError `invalid-input` if a tool has no name
   * @example
   * ```ts
   * session.prune(['Bash', 'Read', 'Write']) // ['Read'] while a skill with `allowed-tools: Read` is open
   * ```
   */
  prune<Tool>(tools: readonly Tool[], nameOf?: (tool: Tool) => string): Tool[]
  prune<Tool>(tools: Readonly<Record<string, Tool>>): Record<string, Tool>

  /**
   * Checks a tool call against the `allowed-tools` of the open skills.
   *
   * It is a filter for honest models, not a sandbox. A pattern with a prefix, such as `Bash(git:*)`, never matches an argument with a shell
   * operator (`;` `&` `|` `<` `>`), a command substitution (`` ` `` or `$(`) or a line break, even inside quotes.
   *
   * @param tool Name of the tool.
   * @param argument The argument that patterns such as `Bash(git:*)` restrict.
   * @example
   * ```ts
   * session.permits('Bash', 'git status') // true with `allowed-tools: Bash(git:*)`
   * ```
   */
  permits(tool: string, argument?: string): boolean

  /**
   * Returns the largest `max_iterations` and `timeout` (seconds) of the open skills. For a skill that has none, the defaults of the
   * dialect count, such as 30 and 300 in `tokenDance`. `{}` if no skill is open.
   *
   * @example
   * ```ts
   * const { maxIterations = 30 } = session.limits()
   * ```
   */
  limits(): LoopLimits

  /**
   * Counts the tokens in the context by component.
   *
   * @example
   * ```ts
   * console.log(`${session.ledger().percent} % of the context`)
   * ```
   */
  ledger(): Ledger

  /**
   * Returns the state for `JSON.stringify`. Restore it with `restoreSession`.
   *
   * @example
   * ```ts
   * localStorage.setItem('session', JSON.stringify(session))
   * ```
   */
  toJSON(): SessionState

  /**
   * Finds instructions of open skills that are not in a shortened conversation, and returns them as text. Calls `observe`; no
   * earlier call is needed.
   *
   * @param messages The shortened conversation.
   * @returns The lost skills, and the text to add to the conversation.
   * @throws SkillshelfError `invalid-input` if `messages` is not a list of messages
   * @example
   * ```ts
   * history = history.slice(-20)
   * const { text } = session.rehydrate(history)
   * if (text) history.push({ role: 'user', content: text })
   * ```
   */
  rehydrate(messages: readonly HostMessage[]): RehydrateResult
}

/** The prompt texts and tools of one agent system. A dialect has no state: its output depends on the session only. */
export interface Dialect {
  name: string
  /** Where the model reads instructions: in the result of the tool that opens the skill, or in the system prompt. */
  placement: 'result' | 'section'
  /** Returns the list of skills for the system prompt. `''` for none. */
  catalog(session: Session): string
  /**
   * Whether the catalog lists every offered skill. If not, `prepare` adds the skills nearest to the message to its `tail`.
   * @default () => true
   */
  listsAllSkills?(session: Session): boolean
  /** Formats an open skill, as a tool result or as a section of the system prompt. */
  skillText(session: Session, open: OpenSkill): string
  /** Returns one line that replaces instructions that are no longer in the conversation. */
  reminder(skill: Skill): string
  /** Returns all open skills and references for the system prompt. Only with placement `section`. */
  sections?(session: Session): string
  /** Names of the tools. They are never pruned. */
  toolNames: readonly string[]
  tools(session: Session): readonly SkillTool[]
  /**
   * Defaults of `SessionOptions.budgets` in this dialect.
   * @default {}
   */
  budgets?: Partial<Budgets>
  /**
   * Limits of open skills that have none of their own.
   * @default {}
   */
  limits?: LoopLimits
  /** Whether a skill is hidden from the model, such as one without a description of its own. */
  excludes?(skill: SkillSummary): boolean
}
