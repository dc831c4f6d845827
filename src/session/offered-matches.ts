import { isSkillshelfError } from '../core/errors.js'
import type { MatcherResult, SkillMatch } from '../match/types.js'
import type { Session } from './types.js'

/** Skills that a server gives at most. */
const SERVED = 50

/** The first of what is found that the session offers. More is asked for than is wanted: what is not offered would take their places. */
export async function offeredMatches(
  { library, offered }: Session,
  limit: number,
  ask: (limit: number) => Promise<MatcherResult>,
): Promise<SkillMatch[]> {
  const ids = new Set(offered.map(({ id }) => id))
  const most = limit + library.snapshot.skills.length - ids.size
  const { matches } = await ask(most).catch(error => {
    if (most <= SERVED || !isSkillshelfError(error, 'invalid-input')) throw error
    return ask(Math.max(limit, SERVED))
  })
  return matches.filter(({ id }) => ids.has(id)).slice(0, limit)
}
