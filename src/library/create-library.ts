import type { AbortOptions } from '../core/abort.js'
import { ASYNC_DISPOSE } from '../core/async-dispose.js'
import { checkOptionNames, ONLY_SIGNAL, type OptionNames } from '../core/text/option-names.js'
import { MATCH_LIMIT, SEARCH_LIMIT, THRESHOLD } from '../search/match/score.js'
import type { LibraryBackend, ReadFileOptions } from './api/backend.js'
import type { Lifetime } from './api/lifetime.js'
import type {
  ExplainOptions,
  MatchOptions,
  SearchOptions,
  SkillFilter,
  SkillLibrary,
} from './api/skill-library.js'
import { checkFilter, checkLimit, checkRatio, filterSkills, toQuery } from './query/arguments.js'

const FILTER = {
  tags: 1,
  origins: 1,
  ids: 1,
  signal: 1,
} satisfies OptionNames<SkillFilter & AbortOptions>
const EXPLAIN = { ...ONLY_SIGNAL, language: 1, wait: 1 } satisfies OptionNames<ExplainOptions>
const SEARCH = { ...FILTER, ...EXPLAIN, limit: 1 } satisfies OptionNames<SearchOptions>
const MATCH = { ...SEARCH, threshold: 1, candidates: 1 } satisfies OptionNames<MatchOptions>
const READ = { ...ONLY_SIGNAL, range: 1 } satisfies OptionNames<ReadFileOptions>

/** Makes a library of a backend. @param extra Methods that only this library has. */
export function createLibrary<Extra extends object>(
  backend: LibraryBackend,
  lifetime: Lifetime,
  extra: Extra,
): SkillLibrary & Extra {
  /** Runs a call of the backend, unless the library is closed or the call aborted, before or meanwhile. */
  const ask = async <T>(
    options: AbortOptions,
    names: object,
    call: () => T | Promise<T>,
  ): Promise<T> => {
    lifetime.check(options)
    checkOptionNames(options, names)
    const answer = await call()
    lifetime.check(options)
    return answer
  }
  const library: SkillLibrary = {
    get snapshot() {
      return backend.snapshot
    },
    list: (filter = {}) =>
      ask(filter, FILTER, async () => {
        checkFilter(filter)
        return (await backend.list?.(filter)) ?? filterSkills(backend.snapshot.skills, filter)
      }),
    get: (name, options = {}) => ask(options, ONLY_SIGNAL, () => backend.get(name, options)),
    read: (name, path, options = {}) => ask(options, READ, () => backend.read(name, path, options)),
    match: (query, options = {}) =>
      ask(options, MATCH, async () => {
        const { limit = MATCH_LIMIT, threshold = THRESHOLD, candidates } = options
        checkRatio('threshold', threshold)
        checkLimit(limit)
        if (candidates !== undefined) checkLimit(candidates, 'candidates')
        checkFilter(options)
        return backend.match(await toQuery(query), { ...options, limit, threshold })
      }),
    search: (query, options = {}) =>
      ask(options, SEARCH, async () => {
        const { limit = SEARCH_LIMIT } = options
        checkLimit(limit)
        checkFilter(options)
        return backend.search(await toQuery(query), { ...options, limit })
      }),
    explain: (query, name, options = {}) =>
      ask(options, EXPLAIN, async () => {
        const found = await backend.explain(await toQuery(query), name, options)
        return { matched: found.rank === 1 && found.score > THRESHOLD, ...found }
      }),
    async refresh(options) {
      lifetime.check(options)
      checkOptionNames(options, ONLY_SIGNAL)
      return backend.refresh(options?.signal)
    },
    on: lifetime.on,
    async close() {
      if (lifetime.close()) await backend.close()
    },
    [ASYNC_DISPOSE]: () => library.close(),
  }
  return Object.defineProperties(library, Object.getOwnPropertyDescriptors(extra)) as SkillLibrary &
    Extra
}
