import { isSkillshelfError } from '../../core/errors.js'
import type { MatcherResult, SkillMatch } from '../../search/match/types.js'
import type { Session } from './types.js'

/** The largest `limit` that a server accepts. */
const SERVER_LIMIT = 50

/** Finds the first `limit` skills that the session offers. Asks for more, because skills that are not offered are dropped. */
export async function offeredMatches(
  session: Session,
  limit: number,
  find: (limit: number) => Promise<MatcherResult>,
): Promise<Pick<MatcherResult, 'matches' | 'maybe'>> {
  const wanted = limit + session.library.snapshot.skills.length - session.offered.length
  const { matches, maybe } = await find(wanted).catch(error => {
    if (wanted <= SERVER_LIMIT || !isSkillshelfError(error, 'invalid-input')) throw error
    return find(Math.max(limit, SERVER_LIMIT))
  })
  // Read after the search: a library in an engine lists skills when it finds them.
  const ids = new Set(session.offered.map(({ id }) => id))
  const offeredOf = (found: readonly SkillMatch[]): SkillMatch[] =>
    found.filter(({ id }) => ids.has(id)).slice(0, limit)
  return { matches: offeredOf(matches), ...(maybe ? { maybe: offeredOf(maybe) } : {}) }
}
