import { isSkillshelfError } from '../core/errors.js'
import type { MatcherResult, SkillMatch } from '../match/types.js'
import type { Session } from './types.js'

/** The largest `limit` that a server accepts. */
const SERVER_LIMIT = 50

/** Finds the first `limit` matches that the session offers. Asks for more, because matches that are not offered are dropped. */
export async function offeredMatches(
  { library, offered }: Session,
  limit: number,
  find: (limit: number) => Promise<MatcherResult>,
): Promise<SkillMatch[]> {
  const ids = new Set(offered.map(({ id }) => id))
  const wanted = limit + library.snapshot.skills.length - ids.size
  const { matches } = await find(wanted).catch(error => {
    if (wanted <= SERVER_LIMIT || !isSkillshelfError(error, 'invalid-input')) throw error
    return find(Math.max(limit, SERVER_LIMIT))
  })
  return matches.filter(({ id }) => ids.has(id)).slice(0, limit)
}
