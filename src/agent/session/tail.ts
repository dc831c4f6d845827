import type { SkillMatch } from '../../library/api/match-result.js'
import { isMentioned } from './context.js'
import type { Conversation } from './conversation.js'
import { type MatchLimits, type MessageMatches, searchOffered, TAIL_SKILLS } from './matches.js'

/** The score from which a skill is worth a row beside a likely match, or if nothing matches and the catalog does not list it. */
const LISTED_SCORE = 0.02
/** If nothing matches and the catalog lists every skill: one message in eight that no skill serves has such a row. */
const UNLIKELY_SCORE = 0.2
/** If the answer is uncertain, rows are short and more of them: the right skill is often below the fifth. */
const POSSIBLE_SKILLS = 13
/** The share of the first score from which an uncertain skill is worth a row. */
const POSSIBLE_SHARE = 0.001

/** The rows of a tail. */
export interface TailRows {
  element: 'matching_skills' | 'possible_skills'
  rows: readonly Pick<SkillMatch, 'id' | 'score'>[]
}

/** Chooses the skills that the tail offers for a message: those that could serve it and are not open. The measure is `npm run saving -- --described`. */
export async function tailRows(
  { session, named, library }: Conversation,
  { matches, maybe, query }: MessageMatches,
  { limit, signal }: MatchLimits,
): Promise<TailRows> {
  const { dialect, open } = session
  const isOpen = (id: string): boolean => open.some(({ skill }) => skill.id === id)
  // A manual skill is in no search. The user asked for it by its name.
  const asked = library.snapshot.skills
    .filter(skill => named.has(skill.id) && !isOpen(skill.id))
    .filter(skill => isMentioned(skill, [{ role: 'user', content: query.message }]))
    .map(({ id }) => ({ id, score: 1 }))
  if (asked.length > 0 || matches.length > 0) {
    const rows = matches.filter(({ id, score }) => score >= LISTED_SCORE && !isOpen(id))
    return { element: 'matching_skills', rows: [...asked, ...rows] }
  }
  // A machine alone has spoken.
  if (query.message === '') return { element: 'possible_skills', rows: [] }
  const most = limit ?? (maybe.length > 0 ? POSSIBLE_SKILLS : TAIL_SKILLS)
  const { found } = await searchOffered(session, query, most + open.length, { signal })
  const known = new Set(maybe.map(({ id }) => id))
  const nearest = found.map(({ match }) => match).filter(({ id }) => !known.has(id) && !isOpen(id))
  const [best] = maybe
  const listsAll = dialect.listsAllSkills?.(session) ?? true
  const least = best ? best.score * POSSIBLE_SHARE : listsAll ? UNLIKELY_SCORE : LISTED_SCORE
  const rows = [...maybe, ...nearest].filter(({ score }) => score >= least).slice(0, most)
  return { element: 'possible_skills', rows }
}
