import { invalidInput } from '../../core/errors.js'
import { isRecord } from '../../core/plain-data.js'
import { showHiddenKeepingLines } from '../../core/sanitize.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import { estimateTokens, type TokenCounter } from '../../core/tokens.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import { defaultDialect } from './default-dialect.js'
import type { Budgets } from './ledger.js'
import type { SessionMessage } from './messages.js'
import type { SkillOffer } from './offer.js'
import type { Requester } from './open-skills.js'
import type { SkillSelection } from './part.js'
import type { SkillTool } from './tool-types.js'
import type { Dialect } from './types.js'

/** A request that `SessionOptions.allow` decides on. */
export interface PermissionRequest {
  kind: 'skill' | 'file'
  skill: SkillSummary
  /** Path of the file in the folder of the skill. Only with kind `file`. */
  path?: string
  by: Requester
  /** The digest in `SessionOptions.trust`, if the skill has changed since. */
  trustedDigest?: string
  /** The digest for `SessionOptions.trust` of the skill as it is now: see `skillDigest`. In a plain folder it reads every file of the skill. */
  digest(): Promise<string>
}

/** Options of `createSession`. */
export interface SessionOptions {
  /** Size of the model's context window, in tokens. @default 128000 */
  contextTokens?: number | undefined
  /** Token budgets. A missing field keeps its default. */
  budgets?: Partial<Budgets> | undefined
  /**
   * Maximum tokens of the catalog in the system prompt. A longer catalog gets shorter descriptions for all skills, then no descriptions, then
   * fewer skills.
   * @default 2000
   */
  catalogTokens?: number | undefined
  /** Counts the tokens of a text. @default estimateTokens */
  countTokens?: TokenCounter | undefined
  /** The host's own system prompt, or its size in tokens. Only counted in the ledger. @default 0 */
  system?: string | number | undefined
  /** The prompt texts and tools of the session. @default the skillshelf dialect */
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
   * The part of the library that the session is over: names or ids, `{ tags }`, or a function. Other skills are in no prompt, no search and
   * no tool, and cannot be opened.
   * @default every skill
   */
  only?: SkillSelection | undefined
  /** How single skills are offered, by name or id: `'pinned'`, `'name-only'` or `'manual'`. @default {} */
  skills?: Readonly<Record<string, SkillOffer>> | undefined
  /**
   * Decides whether a skill or file may be used. A skill that is refused to the model is not offered again until it changes or is allowed.
   * @default Everything is allowed
   */
  allow?: ((request: PermissionRequest) => boolean | Promise<boolean>) | undefined
  /**
   * Digests of reviewed skills, by skill id, from `skillDigest`: they cover every file of a skill. A skill with this digest is used without
   * a call of `allow`. A skill with another digest, in any of its files, needs `allow`, and is refused without it. A skill that has no
   * digest here passes unless `allow` refuses it. `digest` of a skill is that of its SKILL.md alone, which is enough if it has no other file.
   */
  trust?: Readonly<Record<SkillId, string>> | undefined
  /**
   * Whether instructions of more than 5,000 tokens are opened by sections: `load_skill` gives the first section and an outline with sizes,
   * and others by heading, or all. Not in other dialects.
   * @default true
   */
  sections?: boolean | undefined
  /** Whether `prepare` opens the first match itself. Possible skills are not opened. @default false */
  auto?: boolean | undefined
  /**
   * Learns from use: if the model opens a skill after `prepare`, the library learns the message for that skill, as by `library.learn`. Only
   * the first skill that the model opens for a message counts; skills that `prepare`, a user or the host opens do not. The library must
   * be opened with `learn`.
   * @default false
   */
  learn?: boolean | undefined
}

const CONTEXT_TOKENS = 128_000
const CATALOG_TOKENS = 2_000
/** Instructions of 99.9 % of published skills cost less than `skill`. */
export const BUDGETS: Budgets = {
  skill: 20_000,
  share: 0.9,
  system: 2_000,
  metadata: 100,
  instructions: 5_000,
  reference: 3_000,
}

/** The options of a session with their defaults. */
export interface ResolvedOptions extends Pick<SessionOptions, 'allow' | 'trust' | 'compact'> {
  /** Size of the context, in tokens. */
  readonly contextTokens: number
  /** Tokens of the context that may be used. */
  readonly limit: number
  readonly catalogTokens: number
  /** Tokens of a catalog of so many skills, for the ledger. */
  catalogBudget(skills: number): number
  readonly countTokens: TokenCounter
  readonly dialect: Dialect
  readonly budgets: Budgets
  /** Counts the host's own system prompt. */
  systemTokens(): number
  /** Whether long instructions are opened by sections. */
  readonly sections: boolean
  /** Whether `prepare` opens the first match. */
  readonly auto: boolean
}

const OPTIONS = {
  contextTokens: 1,
  budgets: 1,
  catalogTokens: 1,
  countTokens: 1,
  system: 1,
  dialect: 1,
  compact: 1,
  allow: 1,
  trust: 1,
  sections: 1,
  auto: 1,
  learn: 1,
  only: 1,
  skills: 1,
} satisfies OptionNames<SessionOptions>

/** Applies the defaults and checks every value. @throws SkillshelfError `invalid-input` */
export function resolveOptions(library: SkillLibrary, options: SessionOptions): ResolvedOptions {
  checkOptionNames(options, OPTIONS)
  const {
    contextTokens = CONTEXT_TOKENS,
    catalogTokens = CATALOG_TOKENS,
    countTokens = estimateTokens,
    dialect = defaultDialect,
    system = 0,
    sections = true,
    auto = false,
    allow,
    trust,
    compact,
  } = options
  if (typeof library?.snapshot !== 'object') {
    throw invalidInput(
      '"library" must be an open library',
      'pass the result of await openLibrary(…)',
    )
  }
  if (typeof dialect?.tools !== 'function') {
    const hint = "import one from 'skillshelf/dialects', and pass the object, not its name"
    throw invalidInput(`"dialect" must be a dialect, not ${JSON.stringify(dialect)}`, hint)
  }
  checkOptionNames(options.budgets, BUDGETS)
  const budgets = { ...BUDGETS, ...dialect.budgets, ...options.budgets }
  const named = Object.entries(budgets).map(([name, value]) => [`budgets.${name}`, value] as const)
  for (const [name, value] of [...Object.entries({ contextTokens, catalogTokens }), ...named]) {
    if (typeof value !== 'number' || !(value >= 0) || (name === 'contextTokens' && value === 0)) {
      const wanted = name === 'contextTokens' ? 'a positive number' : 'a non-negative number'
      const given = typeof value === 'string' ? JSON.stringify(value) : String(value)
      throw invalidInput(`"${name}" must be ${wanted}, not ${given}`)
    }
  }
  for (const [name, value] of Object.entries({ allow, compact, countTokens })) {
    if (value !== undefined && typeof value !== 'function') {
      throw invalidInput(`"${name}" must be a function`)
    }
  }
  // A Map or an array has no digest under an id, so that every skill would pass.
  if (trust !== undefined && !isDigests(trust)) {
    throw invalidInput(
      '"trust" must be an object of digests by skill id',
      "such as { 'skills/pdf': await skillDigest(library, 'skills/pdf') }",
    )
  }
  // A digest under a name would protect nothing. An id that the library does not have may come later.
  const { skills } = library.snapshot
  const mistaken =
    trust &&
    skills.find(({ name }) => Object.hasOwn(trust, name) && skills.every(({ id }) => id !== name))
  if (mistaken) throw invalidInput(`"trust" needs ${mistaken.id}, not ${mistaken.name}`)
  return {
    contextTokens,
    limit: contextTokens * budgets.share,
    catalogTokens,
    catalogBudget: skills =>
      options.catalogTokens ?? Math.min(CATALOG_TOKENS, budgets.metadata * skills),
    countTokens,
    dialect: visibleDialect(dialect),
    budgets,
    systemTokens: () => (typeof system === 'number' ? system : countTokens(system)),
    sections,
    auto,
    allow,
    trust,
    compact,
  }
}

function isDigests(value: unknown): boolean {
  return (
    isRecord(value) &&
    !(value instanceof Map) &&
    Object.values(value).every(digest => typeof digest === 'string')
  )
}

/** A dialect whose prompt texts and tool results show hidden characters of skills, whatever their format is. */
function visibleDialect(dialect: Dialect): Dialect {
  const { sections } = dialect
  return {
    ...dialect,
    catalog: session => showHiddenKeepingLines(dialect.catalog(session)),
    skillText: (session, open) => showHiddenKeepingLines(dialect.skillText(session, open)),
    reminder: skill => showHiddenKeepingLines(dialect.reminder(skill)),
    ...(sections
      ? { sections: (session, shown) => showHiddenKeepingLines(sections(session, shown)) }
      : {}),
    tools: session => dialect.tools(session).map(visibleTool),
  }
}

function visibleTool(tool: SkillTool): SkillTool {
  return {
    ...tool,
    get description() {
      return showHiddenKeepingLines(tool.description)
    },
    async execute(input, options) {
      const { text, data, ...result } = await tool.execute(input, options)
      return {
        ...result,
        text: showHiddenKeepingLines(text),
        ...(data ? { data: visibleData(data) as Readonly<Record<string, unknown>> } : {}),
      }
    },
  }
}

function visibleData(value: unknown): unknown {
  if (typeof value === 'string') return showHiddenKeepingLines(value)
  if (Array.isArray(value)) return value.map(visibleData)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, visibleData(one)]))
}
