import type { AbortOptions } from '../../core/abort.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'

/** Rows that `find` and `also` return at most. */
export const MAX_FOUND = 100

/** A skill as an engine stores it. */
export interface EngineRow {
  /** A UUID of library, content and attempt. */
  row: string
  /** Digest of the library's name, `summary` and `details`, and of the index format. The same skill always has the same one. */
  version: string
  /** The publish that put the row. Readers drop rows of a publish that another one took over. */
  attempt: string
  /** Its entry in lists. */
  summary: SkillSummary
  /** The part that is read when the skill is opened: the JSON of a packed library, unchanged. */
  details: string
  /** Folded names that find the skill: see `EngineLookup`. */
  keys: readonly string[]
  /** The words of the skill, by hash in ascending order, and the weight of each, 1 to 255. */
  words: { hashes: Uint32Array; weights: Uint8Array }
  /** The vector of the skill, of nearly unit length: rows are compared by dot product. `undefined` if the model knows nothing of the skill. */
  vector: Float32Array | undefined
  /** What ranking needs of the skill, as bytes. About 2 KB. */
  ranking: Uint8Array<ArrayBuffer>
}

/** A row of a list. */
export type EngineListed = Pick<EngineRow, 'row' | 'attempt' | 'summary'>

/** A row that may be among the best. */
export type EngineCandidate = EngineListed & Pick<EngineRow, 'ranking'>

/** A row that is found by name. */
export type EngineSkill = EngineListed & Pick<EngineRow, 'version' | 'details'>

/** Restricts a query to some skills. A skill must meet every condition. */
export interface EngineFilter {
  /** Skills with at least one of these tags, in lower case. */
  tags?: readonly string[] | undefined
  /** Skills of these origins. */
  origins?: readonly string[] | undefined
  /** Skills with these ids. */
  ids?: readonly SkillId[] | undefined
}

/** Skills with one of these ids, or with one of these folded names among their `keys`. */
export interface EngineLookup {
  ids: readonly SkillId[]
  keys: readonly string[]
}

/** A message as an engine searches for it. */
export interface EngineQuery {
  /** Revision to search: rows that were put by then and not retired by then. */
  revision: number
  /** Hash and weight of each word. The score of a row is the sum of products with its own weights. Empty: no row is found by words. */
  words: { hashes: Uint32Array; weights: Float32Array }
  /** The message's vector. Rows are found by dot product. `undefined`: no row is found by meaning. */
  vector: Float32Array | undefined
  filter: EngineFilter
  /** Maximum number of rows by words, and of rows by meaning. */
  limit: number
  /** Also returns these rows, whatever they score and whatever the filter. */
  also?: EngineLookup | undefined
}

/** The rows found for a message. A row may be in both lists. */
export interface EngineAnswer {
  /** The best by words and the best by meaning, each row once. */
  candidates: readonly EngineCandidate[]
  /** Rows of `also`, 100 at most. */
  also: readonly EngineCandidate[]
}

/** The state of a row that `scan` returns. */
export interface EngineRowState extends Pick<EngineRow, 'row' | 'version' | 'attempt'> {
  /** Revision that put the row. */
  since: number
  /** Revision that retired it; `undefined` for a current row. */
  until: number | undefined
}

/**
 * Stores the skills of one library and finds candidates for a message; ranking happens outside. An engine must never return rows of
 * another library.
 *
 * What an engine returns is checked: rows that are damaged or hostile are left out. Rows are immutable. A publish puts new rows with the next revision and retires old ones; both are invisible to readers of the current
 * revision.
 */
export interface SkillEngine {
  /** Name shown in errors, such as the host of a server. */
  readonly name: string
  /** Name of the library that it stores and searches. Then only a library of this name is published to it and opened with it. */
  readonly library?: string | undefined
  /** Creates what rows are stored in, if missing. Called before each publish. `dimensions`: length of the vectors, 0 without vectors. */
  prepare?(options: { dimensions: number } & AbortOptions): Promise<void>
  /** Finds rows for a message in one request. */
  candidates(query: EngineQuery, options?: AbortOptions): Promise<EngineAnswer>
  /** Finds rows by id and name in one request, 100 at most. */
  find(
    lookup: EngineLookup,
    revision: number,
    options?: AbortOptions,
  ): Promise<readonly EngineSkill[]>
  /** Lists skills in a fixed order. `next` continues; it is absent on the last page. */
  page(
    query: { revision: number; filter: EngineFilter; limit: number; cursor?: string | undefined },
    options?: AbortOptions,
  ): Promise<{ rows: readonly EngineListed[]; next?: string | undefined }>
  /** Lists the state of all rows, of every revision. `next` continues. */
  scan(
    query: { limit: number; cursor?: string | undefined },
    options?: AbortOptions,
  ): Promise<{ rows: readonly EngineRowState[]; next?: string | undefined }>
  /** Adds rows, or replaces rows of the same UUID. Visible from `revision` on. Durable when it returns. */
  put(rows: readonly EngineRow[], revision: number, options?: AbortOptions): Promise<void>
  /** Hides rows from `revision` on; `undefined` shows them again. */
  retire(
    rows: readonly string[],
    revision: number | undefined,
    options?: AbortOptions,
  ): Promise<void>
  /** Deletes rows. */
  remove(rows: readonly string[], options?: AbortOptions): Promise<void>
  /** Deletes rows that were retired by `revision` or earlier. */
  sweep(revision: number, options?: AbortOptions): Promise<void>
}
