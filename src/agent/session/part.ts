import type { AbortOptions } from '../../core/abort.js'
import { invalidInput, isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { isRecord, isStrings } from '../../core/plain-data.js'
import { foldText } from '../../core/text/fold.js'
import type { MatchResult, SkillMatch } from '../../library/api/match-result.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { LibrarySnapshot } from '../../library/catalog/catalog-entry.js'
import { createLookup } from '../../library/catalog/lookup.js'
import { statusOf } from '../../search/decide/decide.js'
import { MATCH_LIMIT, SEARCH_LIMIT, THRESHOLD } from '../../search/match/score.js'
import type { SkillSummary } from '../../skill/skill.js'
import { findMore, likelyOnly } from './matches.js'
import { nestedSkillOf } from './nested-skill.js'

/** Ids that a server takes in a message. */
const REQUEST_IDS = 1_000

/** The skills of a session: names or ids, those with one of some tags, or those that a function accepts. */
export type SkillSelection =
  | readonly string[]
  | { readonly tags: readonly string[] }
  | ((skill: SkillSummary) => boolean)

/**
 * The part of a library that a session is over. For the session, the library has no other skills: they are not listed, not found and not opened,
 * and errors do not name them.
 */
export function partOf(library: SkillLibrary, only: SkillSelection): SkillLibrary {
  const accepts = predicateOf(only)
  let whole: LibrarySnapshot | undefined
  let part = library.snapshot
  const snapshot = (): LibrarySnapshot => {
    if (whole !== library.snapshot) {
      whole = library.snapshot
      part = { ...whole, skills: whole.skills.filter(accepts) }
    }
    return part
  }
  /** The id of an accepted skill. A library in a search engine lists a skill when it finds it. */
  const idOf = async (name: string, options: AbortOptions | undefined): Promise<string> => {
    try {
      return createLookup(snapshot().skills, new Map()).find(name).id
    } catch (error) {
      if (!library.page || !isSkillshelfError(error, 'skill-not-found')) throw error
      const skill = await library.get(name, options)
      if (!accepts(skill)) throw error
      return skill.id
    }
  }
  /** Finds more, because some are dropped. */
  const find = <Result>(
    limit: number,
    search: (options: { limit: number; ids?: readonly string[] }) => Promise<Result>,
  ): Promise<Result> => {
    const ids = snapshot().skills.map(({ id }) => id)
    const dropped = library.snapshot.skills.length - ids.length
    const named = canNameAll(library, ids) ? { ids } : {}
    return findMore(limit, dropped, more => search({ limit: more, ...named }))
  }
  const inPart = (matches: readonly SkillMatch[], limit: number): readonly SkillMatch[] => {
    const accepted = new Set(snapshot().skills.map(({ id }) => id))
    return matches.filter(({ id }) => accepted.has(id)).slice(0, limit)
  }
  const over: Partial<SkillLibrary> = {
    list: async options => (await library.list(options)).filter(accepts),
    get: async (name, options) => library.get(await idOf(name, options), options),
    async read(name, path, options) {
      const id = await idOf(name, options)
      const outer = library.snapshot.skills.find(skill => skill.id === id)
      const nested = outer && nestedSkillOf(library, outer, path)
      if (nested && !accepts(nested.skill)) {
        const message = `Resource not found: ${outer.name} has no ${path}`
        throw new SkillshelfError('resource-not-found', message, { subject: path })
      }
      return library.read(id, path, options)
    },
    async search(query, { limit = SEARCH_LIMIT, ...options } = {}) {
      const found = await find(limit, more => library.search(query, { ...options, ...more }))
      const result = { ...found, matches: inPart(found.matches, limit) }
      return { ...result, status: statusOf(result, THRESHOLD) }
    },
    async match(query, { limit = MATCH_LIMIT, ...options } = {}) {
      const found = await find(limit, more => library.match(query, { ...options, ...more }))
      const [matches, maybe] = [inPart(found.matches, limit), inPart(found.maybe, limit)]
      return withStatus(likelyOnly({ ...found, matches, maybe }, options.threshold))
    },
    explain: async (query, name, options) =>
      library.explain(query, await idOf(name, options), options),
  }
  // Everything else, such as `on` and `learn`, is that of the library.
  return Object.defineProperty(
    Object.assign(Object.create(library) as SkillLibrary, over),
    'snapshot',
    {
      get: snapshot,
    },
  )
}

/** Whether a search can be limited to the ids of a part: the library lists all skills, and a server takes as many ids. */
function canNameAll(library: SkillLibrary, ids: readonly string[]): boolean {
  const isLocal = 'upgrade' in library
  return library.page === undefined && (isLocal || ids.length <= REQUEST_IDS)
}

/** A result by the lists that have skills. */
function withStatus(
  found: Omit<MatchResult, 'status' | 'matches' | 'maybe'> & {
    matches: readonly SkillMatch[]
    maybe: readonly SkillMatch[]
  },
): MatchResult {
  const { matches, maybe } = found
  const status = matches.length > 0 ? 'match' : maybe.length > 0 ? 'maybe' : 'none'
  return { ...found, status } as MatchResult
}

/** @throws SkillshelfError `invalid-input` */
function predicateOf(only: SkillSelection): (skill: SkillSummary) => boolean {
  if (typeof only === 'function') return only
  if (isStrings(only)) {
    const names = new Set(only.flatMap(name => [name, foldText(name)]))
    return ({ id, name }) => names.has(id) || names.has(foldText(name))
  }
  const tags = isRecord(only) ? (only as { tags?: unknown }).tags : undefined
  if (!isStrings(tags)) {
    throw invalidInput('"only" must be names of skills, { tags: […] } or a function')
  }
  const wanted = new Set(tags.map(tag => tag.toLowerCase()))
  return skill => skill.tags.some(tag => wanted.has(tag.toLowerCase()))
}
