import type { AbortOptions } from '../../core/abort.js'
import type { TokenCounter } from '../../core/tokens.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { Skill, SkillFile, SkillId, SkillSummary } from '../../skill/skill.js'
import type { SessionActivity } from './activity.js'
import type { LoopLimits } from './allowed-tools.js'
import type { Budgets, Ledger } from './ledger.js'
import type { HostMessage, SessionMessage } from './messages.js'
import type {
  LoadReferenceResult,
  LoadResult,
  OpenSkill,
  Requester,
  SessionState,
  ShownParts,
} from './open-skills.js'
import type { PreparedTurn, RehydrateResult } from './prompt.js'
import type { SkillTool } from './tool-types.js'

/** A turn of a conversation: the conversation with the message of the user, or the message alone. */
export interface PrepareTurn<Message extends HostMessage = HostMessage>
  extends Pick<MatchQuery, 'files' | 'url'> {
  /**
   * The conversation as you keep it, oldest first, in the format of any supported SDK. It ends with the message of the user, or with results
   * of tools that answer it. Passed to `observe`.
   */
  messages?: readonly Message[] | undefined
  /** The message of the user, instead of `messages`. */
  message?: string | undefined
  /** With `message`: the conversation before it. Passed to `observe`. Absent: the messages of the last `observe` stay. */
  history?: readonly Message[] | undefined
}

/** Options of `Session.prepare`. */
export interface PrepareOptions extends AbortOptions {
  /** Maximum number of skills in `tail`. @default 5, or 14 if the answer is uncertain */
  limit?: number | undefined
  /** The first match needs a score above it. @default 0.7 */
  threshold?: number | undefined
  /** `'none'`: the model cannot call tools. */
  tools?: 'none' | undefined
  /** Maximum tokens of `tail` with `tools: 'none'`. @default 1500, or half of the usable context if that is smaller */
  maxTokens?: number | undefined
}

/** The skills that one conversation has open. It never calls a model, and changes messages only to make room: see `messages`. */
export interface Session {
  readonly library: SkillLibrary
  readonly dialect: Dialect
  readonly countTokens: TokenCounter
  readonly catalogTokens: number
  /** Whether long instructions are opened by sections: see `SessionOptions.sections`. */
  readonly sections: boolean
  /**
   * Skills that the model may find and open unasked: all except those with `disable-model-invocation`, those that the dialect excludes, manual
   * ones, and those that `allow` has refused.
   */
  readonly offered: readonly SkillSummary[]
  /** Pinned and open skills. A list that has no room for all leaves them out last. */
  readonly preferred: readonly SkillId[]
  /** Open skills, in the order in which they were opened. Skills that the library no longer has are closed. */
  readonly open: readonly OpenSkill[]
  /** The open skill that was requested last. Relative file paths are resolved against it. */
  readonly latest: OpenSkill | undefined
  /** The conversation as text, from the last `observe`, shortened if room was made. */
  readonly messages: readonly SessionMessage[]
  /** Where the user works, from the last `prepare`. */
  readonly place: Pick<MatchQuery, 'files' | 'url'>

  /**
   * Calls a listener after each thing that the session does: matches, skills opened and closed, files read, tools run. Errors of the
   * listener are reported, and do not affect the session.
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
   * @param skill Id or unique name.
   * @param path Path in the folder of the skill.
   * @param options `by`: who requests it. Default `host`.
   * @throws SkillshelfError `not-allowed`; every error of `library.read`
   * @example
   * ```ts
   * const { text } = await session.read('pdf', 'scripts/extract.py')
   * ```
   */
  read(
    skill: string,
    path: string,
    options?: AbortOptions & { by?: Requester | undefined },
  ): Promise<SkillFile>

  /**
   * Finds the skills for a message and builds the prompt sections of this turn. Open skills follow their files, watched or not: those
   * that are gone are closed, and those with a new text are read again, with a new call of `allow`.
   *
   * With `tools: 'none'` the prompt is for a model that cannot call tools. The first match is opened, and `tail` has its instructions, the
   * text files that they name and the names of its other files, cut to `maxTokens`. The next match closes it.
   *
   * Call it before each call of the model, with the conversation as you keep it. Only what the user said is matched, no other text.
   * @param turn The conversation. Keep tool results in it, else the model has to load its skills again. `files` and `url`: where the user
   * works, see `MatchQuery`; they count until the next `prepare`, for searches of the model too.
   * @returns `system` and `messages` to send, and what was found.
   * @throws SkillshelfError `invalid-input` for another value of `tools`; every error of `library.match`
   * @example
   * ```ts
   * history.push({ role: 'user', content: 'Check this invoice before I pay it' })
   * const { system, messages } = await session.prepare({ messages: history })
   * const request = [{ role: 'system', content: `You are a helpful assistant.\n\n${system}` }, ...messages]
   * ```
   */
  prepare<Message extends HostMessage = HostMessage>(
    turn: string | PrepareTurn<Message>,
    options?: PrepareOptions,
  ): Promise<PreparedTurn<Message>>

  /**
   * Returns the tools to offer to the model in this turn. Adapters such as `skillshelf/adapters/openai` convert them.
   * @returns The tools of the dialect. An empty list if no skill is offered.
   * @example
   * ```ts
   * for (const { name, description, inputSchema } of session.tools()) console.log(name, description, inputSchema)
   * ```
   */
  tools(): readonly SkillTool[]

  /**
   * Filters the tools that the host offers, by TokenDance's rule: while skills are open, those that their `allowed-tools` name. The lists of
   * all open skills are combined. Nothing is removed if no skill is open or an open skill has no list. The session's own tools always stay.
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
   * Whether a call needs no question, by the rule of Agent Skills and Claude Code: the `allowed-tools` of an open skill approve calls in
   * advance. Without an open skill, or for a skill without a list, nothing is approved. The session's own tools always are.
   *
   * A rule with a wildcard, such as `Bash(git *)` or `Bash(git:*)`, approves a command only if that is certain:
   * - The command is one list of plain words. Operators, redirections, line breaks, substitutions, most variables, alternatives in braces, and
   *   words that start with a wildcard are refused, operators and substitutions even inside quotes.
   * - No word that the rule leaves open names another command, a script or code, as far as a table of programs knows: `git -c`,
   *   `git submodule foreach`, `find -exec`, `tar --to-command`. Of programs that are not in the table, options such as `--exec` are refused.
   * - The rule spells the program, and the script or task of an interpreter or a runner: `Bash(* x)`, `Bash(python:*)` and `Bash(make:*)`
   *   approve nothing that they would run, `Bash(python scripts/*)` and `Bash(npm run *)` do.
   *
   * Paths are compared as in .gitignore, relative to the project: `Write(out/**)` approves nothing outside of `out`. A refused call may still
   * be harmless: ask the user.
   *
   * It is a filter for honest models, not a sandbox. It does not know what an allowed program does: its configuration, the hooks of a
   * repository, the scripts of a package, or another program of the same name.
   * @param argument The command, address or path (relative to the project) that rules such as `Bash(git:*)` restrict. Without it, only rules for every call approve.
   * @example
   * ```ts
   * session.permits('Bash', 'git status') // true with `allowed-tools: Bash(git:*)`
   * ```
   */
  permits(tool: string, argument?: string): boolean

  /**
   * Returns the largest `max_iterations` and `timeout` (seconds) of the open skills. For a skill that has none, the defaults of the
   * dialect count. `{}` if no skill is open.
   * @example
   * ```ts
   * const { maxIterations = 30 } = session.limits()
   * ```
   */
  limits(): LoopLimits

  /**
   * Counts the tokens in the context by component.
   * @example
   * ```ts
   * console.log(`${session.ledger().percent} % of the context`)
   * ```
   */
  ledger(): Ledger

  /**
   * Returns the state for `JSON.stringify`. Restore it with `restoreSession`.
   * @example
   * ```ts
   * localStorage.setItem('session', JSON.stringify(session))
   * ```
   */
  toJSON(): SessionState

  /**
   * Finds instructions of open skills that are not in a shortened conversation, and returns them as text. Calls `observe`; no
   * earlier call is needed.
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

/** The prompt texts and tools of one agent system, without state: they depend on the session only. */
export interface Dialect {
  name: string
  /** Where the model reads instructions: in the result of the tool that opens the skill, or in the system prompt. */
  placement: 'result' | 'section'
  /** Returns the list of skills for the system prompt. `''` for none. */
  catalog(session: Session): string
  /**
   * Whether the catalog lists every offered skill. If not, the `tail` of a message that no skill serves has the nearest skills.
   * @default () => true
   */
  listsAllSkills?(session: Session): boolean
  /** Formats an open skill, as a tool result or as a section of the system prompt. */
  skillText(session: Session, open: OpenSkill): string
  /** Returns one line that replaces instructions that are no longer in the conversation. */
  reminder(skill: Skill): string
  /** Formats open skills and references for the system prompt: all, or those of an MCP request. Placement `section` only. */
  sections?(session: Session, shown: ShownParts): string
  /** Names of the tools. They are never pruned. */
  toolNames: readonly string[]
  /** Name of the tool that opens a skill: the answer to a model that calls a skill as a tool names it. */
  opener?: string
  /**
   * Whether the result of the opener has the instructions of the skills that were opened because they are required. Otherwise the next
   * `prepare` reminds the model of them. @default false
   */
  givesRequired?: boolean
  tools(session: Session): readonly SkillTool[]
  /** Whether the tools are offered without skills too, and then answer that there are none. @default false */
  keepsTools?: boolean
  /** Defaults of `SessionOptions.budgets` in this dialect. @default {} */
  budgets?: Partial<Budgets>
  /** Limits of open skills that have none of their own. @default {} */
  limits?: LoopLimits
  /** Whether a skill is hidden from the model, such as one without a description of its own. */
  excludes?(skill: SkillSummary): boolean
}
