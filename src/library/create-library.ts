import type { AbortOptions } from '../core/abort.js'
import { MATCH_LIMIT, SEARCH_LIMIT, THRESHOLD } from '../search/match/score.js'
import type { LibraryBackend } from './api/backend.js'
import type { Lifetime } from './api/lifetime.js'
import type { SkillLibrary } from './api/skill-library.js'
import { checkFilter, checkLimit, checkRatio, filterSkills, toQuery } from './query/arguments.js'

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
      ask(options, async () => {
        const { candidates } = options
        checkRatio('threshold', threshold)
        checkLimit(limit)
        if (candidates !== undefined) checkLimit(candidates, 'candidates')
        checkFilter(options)
        return backend.match(await toQuery(query), { ...options, limit, threshold })
      }),
    search: (query, { limit = SEARCH_LIMIT, ...options } = {}) =>
      ask(options, async () => {
        checkLimit(limit)
        checkFilter(options)
        return backend.search(await toQuery(query), { ...options, limit })
      }),
    explain: (query, name, options = {}) =>
      ask(options, async () => {
        const found = await backend.explain(await toQuery(query), name, options)
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
  return Object.defineProperties(library, Object.getOwnPropertyDescriptors(extra)) as SkillLibrary &
    Extra
}
