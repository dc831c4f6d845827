import type { AbortOptions } from '../core/abort.js'
import { MATCH_LIMIT, SEARCH_LIMIT, THRESHOLD } from '../search/match/score.js'
import type { MatcherResult, MatchQuery } from '../search/match/skill-match.js'
import type { Skill, SkillFile, SkillSummary } from '../skill/skill.js'
import type { ByteRange } from '../source/source.js'
import type { LibraryChange, LibrarySnapshot } from './catalog/catalog-entry.js'
import type { Lifetime } from './lifetime.js'
import { checkFilter, checkLimit, checkRatio, filterSkills, toQuery } from './query/arguments.js'
import type {
  ExplainOptions,
  Explanation,
  MatchOptions,
  SearchOptions,
  SkillFilter,
  SkillLibrary,
} from './skill-library.js'

/**
 * Where the skills of a library are: in sources of this process, behind HTTP, or in a search engine. `createLibrary` makes a library of
 * it. Arguments, aborted signals, closing, threshold, reranker and lists are the same for every library, so they are in
 * `createLibrary` only, and a backend just finds, opens, reads and refreshes. Its methods get checked arguments, and are not called after
 * `close`.
 */
export interface LibraryBackend {
  readonly snapshot: LibrarySnapshot
  /** Lists skills. Absent, or `undefined`: the snapshot has every skill. */
  list?(filter: SkillFilter & AbortOptions): Promise<SkillSummary[]> | undefined
  /** Opens a skill by id or name. */
  get(name: string, options: AbortOptions): Promise<Skill>
  read(name: string, path: string, options: ReadFileOptions): Promise<SkillFile>
  /** Finds the nearest skills. */
  search(query: MatchQuery, options: CheckedSearchOptions): Promise<MatcherResult>
  /** Finds the skills that serve a message: see `query/answer.ts`. */
  match(query: MatchQuery, options: CheckedMatchOptions): Promise<MatcherResult>
  /** Explains the rank of one skill. `matched` is set only by a backend that decides it itself. */
  explain(query: MatchQuery, name: string, options: ExplainOptions): Promise<RankedSkill>
  refresh(signal: AbortSignal | undefined): Promise<LibraryChange>
  close(): void | Promise<void>
}

export interface ReadFileOptions extends AbortOptions {
  range?: ByteRange | undefined
}

export interface PageQuery extends SkillFilter, AbortOptions {
  limit: number
  cursor?: string | undefined
}

export interface CheckedSearchOptions extends SearchOptions {
  limit: number
}

export interface CheckedMatchOptions extends MatchOptions {
  limit: number
  threshold: number
}

export type RankedSkill = Omit<Explanation, 'matched'> & Partial<Pick<Explanation, 'matched'>>

/** Makes a library of a backend. @param extra Methods that only this library has. */
export function createLibrary<Extra extends object>(
  backend: LibraryBackend,
  lifetime: Lifetime,
  extra: Extra,
): SkillLibrary & Extra {
  /** Runs a call of the backend, unless the library is closed or the call aborted, before or meanwhile. */
  const ask = async <T>(options: AbortOptions, call: () => T | Promise<T>): Promise<T> => {
    lifetime.check(options)
    const answer = await call()
    lifetime.check(options)
    return answer
  }
  const library: SkillLibrary = {
    get snapshot() {
      return backend.snapshot
    },
    list: (filter = {}) =>
      ask(filter, async () => {
        checkFilter(filter)
        return (await backend.list?.(filter)) ?? filterSkills(backend.snapshot.skills, filter)
      }),
    get: (name, options = {}) => ask(options, () => backend.get(name, options)),
    read: (name, path, options = {}) => ask(options, () => backend.read(name, path, options)),
    match: (query, { limit = MATCH_LIMIT, threshold = THRESHOLD, ...options } = {}) =>
      ask(options, () => {
        const { candidates } = options
        checkRatio('threshold', threshold)
        checkLimit(limit)
        if (candidates !== undefined) checkLimit(candidates, 'candidates')
        checkFilter(options)
        return backend.match(toQuery(query), { ...options, limit, threshold })
      }),
    search: (query, { limit = SEARCH_LIMIT, ...options } = {}) =>
      ask(options, () => {
        checkLimit(limit)
        checkFilter(options)
        return backend.search(toQuery(query), { ...options, limit })
      }),
    explain: (query, name, options = {}) =>
      ask(options, async () => {
        const found = await backend.explain(toQuery(query), name, options)
        return { matched: found.rank === 1 && found.score > THRESHOLD, ...found }
      }),
    async refresh(options) {
      lifetime.check(options)
      return backend.refresh(options?.signal)
    },
    on: lifetime.on,
    async close() {
      if (lifetime.close()) await backend.close()
    },
    [Symbol.asyncDispose]: () => library.close(),
  }
  return Object.defineProperties(library, Object.getOwnPropertyDescriptors(extra)) as SkillLibrary & Extra
}
