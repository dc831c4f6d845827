import type { TokenCounter } from '../core/tokens.js'
import type { AbortOptions, SkillLibrary } from '../library/types.js'
import type { SkillMatch } from '../match/types.js'
import type { Skill, SkillFile, SkillId, SkillSummary } from '../skill/types.js'
import type { SkillTool } from './tools/types.js'

/**
 * A message as a host or its SDK has it: text, parts that hold text, `null`. What is no text is passed over. Fits the messages of the
 * AI SDK, OpenAI (both APIs), Anthropic and LangChain.
 */
export interface HostMessage {
  role?: string
  /** Where there is no role: `human`, `function_call_output`. */
  type?: string | null
  content?: unknown
  parts?: unknown
  output?: unknown
}

/** A message of the conversation, as text. */
export interface SessionMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
}

/** Who opens: a model by its tools, a person by a command, or the host's own code. */
export type Requester = 'model' | 'user' | 'host'

/** What is asked before a model gets a skill or a file of one. */
export interface PermissionRequest {
  kind: 'skill' | 'file'
  skill: SkillSummary
  /** Of a file. */
  path?: string
  /** Who asks. */
  by: Requester
  /** The digest in `trust`, where it is another one than the skill has now. */
  trustedDigest?: string
}

/** What the parts of a context may cost, in tokens. */
export interface Budgets {
  /** One skill's instructions: those that are longer are refused. Default 8,000. */
  skill: number
  /** All of the context, as a share of `contextTokens`. Default 0.9. */
  share: number
  /** What each part is reckoned with in the ledger. Defaults 2,000; 100 a skill; 5,000; 3,000. */
  system: number
  metadata: number
  instructions: number
  reference: number
}

export interface SessionOptions {
  /** Tokens of the model's context. Default 128,000. */
  contextTokens?: number | undefined
  budgets?: Partial<Budgets> | undefined
  /** Tokens of the catalog in the head of the prompt: over it descriptions are shortened, then left out, then skills. Default 2,000. */
  catalogTokens?: number | undefined
  /** Default: `estimateTokens`. */
  countTokens?: TokenCounter | undefined
  /** The host's own system prompt, or what it costs: for the ledger. Default 0 tokens. */
  system?: string | number | undefined
  /** Whose names, texts and tools the session speaks. Default: our own. */
  dialect?: Dialect | undefined
  /**
   * Makes room: gives the messages back, shorter. Called with how many tokens must go. Default: long tool results are cut, then the
   * oldest messages left out; the last ten stay.
   */
  compact?: (
    messages: readonly SessionMessage[],
    need: { tokens: number; signal?: AbortSignal | undefined },
  ) => readonly SessionMessage[] | Promise<readonly SessionMessage[]>
  /** Asked before a skill or a file is given to a model. Default: all are. */
  allow?: ((request: PermissionRequest) => boolean | Promise<boolean>) | undefined
  /** Digests of skills that were looked at: one that changed is asked for again, and refused where there is no `allow`. */
  trust?: Readonly<Record<SkillId, string>> | undefined
  /** `prepare` opens the first match itself where its `confidence` is above this. Default: never. */
  auto?: boolean | { confidence: number } | undefined
}

/** A skill that is open in a session. */
export interface OpenSkill {
  skill: Skill
  /** What its instructions cost. */
  tokens: number
  references: readonly { path: string; tokens: number; text: string }[]
}

/** What one part of the context costs. */
export interface LedgerEntry {
  tokens: number
  /** What it was reckoned with. */
  budget?: number
}

/** What is in the context, in tokens. */
export interface Ledger {
  system: LedgerEntry
  metadata: LedgerEntry
  instructions: LedgerEntry
  references: LedgerEntry
  messages: LedgerEntry
  toolResults: LedgerEntry
  total: number
  /** Of `contextTokens`, to one decimal. */
  percent: number
  contextTokens: number
}

export interface LoadResult {
  skill: Skill
  /** `again`: it was open already, and is where the model can see it. */
  status: 'loaded' | 'again'
  tokens: number
  /** Skills that had to go for it. */
  unloaded: readonly SkillId[]
}

export interface LoadReferenceResult {
  skill: Skill
  file: SkillFile
  status: 'loaded' | 'again'
  tokens: number
  unloaded: readonly SkillId[]
}

/** What a host needs for one turn. */
export interface PreparedTurn {
  /** For the head of the prompt: the same bytes while the catalog and what is open are the same. `''` without skills. */
  system: string
  /** For the end of the prompt: what fits this message, and what was opened for it. `''` where there is nothing to say. */
  tail: string
  matches: readonly SkillMatch[]
  /** Skills that were opened for this message, with `auto`. */
  loaded: readonly SkillId[]
  /** The messages, shorter where room had to be made. */
  messages: readonly SessionMessage[]
}

/** A session as JSON: what is open, not the text of it. */
export interface SessionState {
  format: 'skillshelf-session/1'
  open: readonly { id: SkillId; digest: string; references: readonly string[] }[]
}

/** A session that goes on, and which of its skills could not be opened again: gone, refused, too large. */
export interface RestoredSession {
  session: Session
  lost: readonly { id: SkillId; reason: string }[]
}

/** What fell out of the conversation, to be said again. */
export interface RehydrateResult {
  /** Open skills whose instructions the messages no longer hold. */
  missing: readonly SkillId[]
  /** Their instructions again where there is room, else one line each on how to get them. `''` where nothing is missing. */
  text: string
}

/**
 * What one conversation has open, and what it costs. It never calls a model, and changes no message by itself but where room must be
 * made: then `messages` has the shorter ones.
 */
export interface Session {
  readonly library: SkillLibrary
  readonly dialect: Dialect
  readonly countTokens: TokenCounter
  readonly catalogTokens: number
  /** What the dialect offers: all skills but those that only people open, or that its documents leave out. */
  readonly offered: readonly SkillSummary[]
  /** In the order in which they were opened. */
  readonly open: readonly OpenSkill[]
  /** The open skill that was asked for last, though it was open already: what a bare path of a file is relative to. */
  readonly latest: OpenSkill | undefined
  /** What the host said last of the conversation, as text, or what was made of it. */
  readonly messages: readonly SessionMessage[]

  /** Tells the session how the conversation stands. @throws SkillshelfError `invalid-input` for what is no list of messages */
  observe(messages: readonly HostMessage[]): void
  /**
   * Opens a skill, once. Where it would take the context over its share, skills that nobody named in the last ten messages are unloaded
   * first, then messages made shorter.
   * @throws SkillshelfError `too-large` with all figures; `not-allowed`; and as `library.get`
   */
  load(skill: string, options?: AbortOptions & { by?: Requester | undefined }): Promise<LoadResult>
  /** Adds a file of an open skill. @throws SkillshelfError `not-loaded`, `too-large`, `not-allowed`; and as `library.read` */
  loadReference(
    skill: string,
    path: string,
    options?: AbortOptions & { by?: Requester | undefined },
  ): Promise<LoadReferenceResult>
  /** Closes a skill, its references too. `undefined` where it is not open. */
  unload(skill: string): OpenSkill | undefined
  /** Reads a file without keeping it: what tools do. @throws as `library.read`, and `not-allowed` */
  read(skill: string, path: string, options?: AbortOptions & { by?: Requester | undefined }): Promise<SkillFile>

  /** The matches for a message, and the sections of the prompt for this turn. */
  prepare(
    turn: string | { message: string; history?: readonly HostMessage[] },
    options?: AbortOptions & { limit?: number | undefined; threshold?: number | undefined },
  ): Promise<PreparedTurn>
  /** The tools that the model is offered now; none without skills. */
  tools(): readonly SkillTool[]

  /**
   * Tools that the open skills leave: of the host's own, by name. Unrestricted where no open skill names any. Takes names, tools with a
   * `name` (OpenAI's too, inside `function` or `custom`), tools by name (AI SDK), or any others with `nameOf`.
   * @throws SkillshelfError `invalid-input` for a tool without a name
   */
  prune<Tool>(tools: readonly Tool[], nameOf?: (tool: Tool) => string): Tool[]
  prune<Tool>(tools: Readonly<Record<string, Tool>>): Record<string, Tool>
  /** Whether the open skills allow a call: `permits('Bash', 'git status')` by `Bash(git:*)`. */
  permits(tool: string, argument?: string): boolean
  /** `max_iterations` and `timeout` (seconds) of the open skills: the largest of each. */
  limits(): { maxIterations?: number; timeout?: number }

  ledger(): Ledger
  toJSON(): SessionState
  /** Compares with the messages of a host that made them shorter itself. */
  rehydrate(messages: readonly HostMessage[]): RehydrateResult
}

/** Whose words a session uses. A dialect holds no state: all it says follows from the session and the library. */
export interface Dialect {
  name: string
  /** Where opened instructions stand: in the tool's result, or in the head of the prompt. */
  placement: 'result' | 'section'
  /** What the model is told of all skills: the head of its prompt. `''` where there is nothing to say. */
  catalog(session: Session): string
  /** Whether the catalog names every skill that is offered. Where it does not, `prepare` names those that are near to the message. Default: it does. */
  listsAllSkills?(session: Session): boolean
  /** An opened skill, as its tool gives it (`result`) or as the head of the prompt has it (`section`). */
  skillText(session: Session, open: OpenSkill): string
  /** One line for a skill whose instructions are no longer in the conversation. */
  reminder(skill: Skill): string
  /** With `section`: all that is open, with its references. */
  sections?(session: Session): string
  /** Names of the tools that it offers: they are never pruned, and two dialects that share one cannot be in one session. */
  toolNames: readonly string[]
  tools(session: Session): readonly SkillTool[]
  /** Skills that the documents of the system would leave out, such as those without a description of their own. */
  excludes?(skill: SkillSummary): boolean
}
