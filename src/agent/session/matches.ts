import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError } from '../../core/errors.js'
import type { MatchResult, SearchResult, SkillMatch } from '../../library/api/match-result.js'
import { loadMessageLanguage } from '../../search/match/corpus-statistics.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { SkillSummary } from '../../skill/skill.js'
import type { SessionMessage } from './messages.js'
import type { Session } from './types.js'

/** The largest `limit` that a server accepts. */
const SERVER_LIMIT = 50
/** Skills that a tail lists. */
const TAIL_SKILLS = 5
/** Earlier messages passed to `match`. */
const HISTORY_MESSAGES = 3
/** Words of a message that may refer to the one before it, such as "yes, do that". An ideograph counts a third. */
const SHORT_MESSAGE_WORDS = 8
/** Characters of a message that are matched. A server accepts no more. */
const MESSAGE_LENGTH = 10_000

export interface MatchLimits extends AbortOptions {
  limit?: number | undefined
  threshold?: number | undefined
}

type Found = Pick<MatchResult, 'matches' | 'maybe' | 'complete'>

/** The skills for a message, and what found them: the message, or the one that it refers to. */
export interface MessageMatches {
  matches: readonly SkillMatch[]
  /** Without open skills. */
  maybe: readonly SkillMatch[]
  query: MatchQuery
}

/** Finds the first `limit` skills that the session offers. Asks for more, because skills that are not offered are dropped. */
export async function offeredMatches(
  session: Session,
  limit: number,
  find: (limit: number) => Promise<MatchResult | SearchResult>,
): Promise<Found> {
  const wanted = limit + session.library.snapshot.skills.length - session.offered.length
  const found = await find(wanted).catch(error => {
    if (wanted <= SERVER_LIMIT || !isSkillshelfError(error, 'invalid-input')) throw error
    return find(Math.max(limit, SERVER_LIMIT))
  })
  // Read after the search: a library in an engine lists skills when it finds them.
  const ids = new Set(session.offered.map(({ id }) => id))
  const offeredOf = (found: readonly SkillMatch[]): SkillMatch[] =>
    found.filter(({ id }) => ids.has(id)).slice(0, limit)
  const maybe = 'maybe' in found ? offeredOf(found.maybe) : []
  return { complete: found.complete, matches: offeredOf(found.matches), maybe }
}

/** Finds the `limit` offered skills nearest to a query, best first. */
export async function searchOffered(
  session: Session,
  query: string | MatchQuery,
  limit: number,
  options: AbortOptions,
): Promise<{ found: { match: SkillMatch; skill: SkillSummary }[]; complete: boolean }> {
  const { library } = session
  const placed = { ...session.place, ...(typeof query === 'string' ? { message: query } : query) }
  const find = (limit: number): Promise<SearchResult> =>
    library.search(placed, { ...options, limit })
  const { matches, complete } = await offeredMatches(session, limit, find)
  const byId = new Map(session.offered.map(skill => [skill.id, skill]))
  const found = matches.flatMap(match => {
    const skill = byId.get(match.id)
    return skill ? [{ match, skill }] : []
  })
  return { found, complete }
}

/** Finds the skills for a message of this conversation. */
export async function matchMessage(
  session: Session,
  message: string,
  { limit: maxMatches = TAIL_SKILLS, ...options }: MatchLimits,
): Promise<MessageMatches> {
  const { library, messages, open, place } = session
  const match = async (said: MatchQuery): Promise<MessageMatches> => {
    const query = { ...said, ...place }
    const found = await offeredMatches(session, maxMatches, limit =>
      library.match(query, { ...options, limit }),
    )
    const maybe = found.maybe.filter(({ id }) => !open.some(({ skill }) => skill.id === id))
    return { matches: found.matches, maybe, query }
  }
  const spoken = messages.filter(
    ({ role, content }) => content !== '' && (role === 'user' || role === 'assistant'),
  )
  const history = spoken.slice(-HISTORY_MESSAGES).map(({ content }) => content)
  const found = await match({ message: shortenMessage(message), history })
  const previous = spoken.findLast(({ role }) => role === 'user')?.content
  if (found.matches.length > 0 || previous === undefined || !isShort(message)) return found
  const { refersBack } = await loadMessageLanguage()
  if (!refersBack(message)) return found
  // A message such as "yes, do that" refers to the previous one.
  return match({ message: shortenMessage(previous) })
}

/** The skills for the tail, filled with the nearest ones up to the limit. None if no skill serves the message and the catalog lists all. */
export async function tailMatches(
  session: Session,
  { matches, maybe, query }: MessageMatches,
  { limit = TAIL_SKILLS, signal }: MatchLimits,
): Promise<readonly SkillMatch[]> {
  const { dialect, open } = session
  const found = matches.length > 0 ? matches : maybe
  if (
    found.length >= limit ||
    (found.length === 0 && (dialect.listsAllSkills?.(session) ?? true))
  ) {
    return found
  }
  const { found: nearest } = await searchOffered(session, query, limit, { signal })
  const known = new Set([...found.map(({ id }) => id), ...open.map(({ skill }) => skill.id)])
  return [...found, ...nearest.flatMap(({ match }) => (known.has(match.id) ? [] : [match]))].slice(
    0,
    limit,
  )
}

/** Keeps both ends: a request comes before or after pasted text. */
function shortenMessage(message: string): string {
  if (typeof message !== 'string' || message.length <= MESSAGE_LENGTH) return message
  return `${message.slice(0, MESSAGE_LENGTH / 2 - 1)} ${message.slice(-MESSAGE_LENGTH / 2)}`
}

/** Whether a message may refer to the one before it, such as "yes, do that". */
export function isFollowUp(message: string, messages: readonly SessionMessage[]): boolean {
  return (
    isShort(message) && messages.some(({ role, content }) => role === 'user' && content !== message)
  )
}

function isShort(message: string): boolean {
  const ideographs =
    message.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0
  const words = message.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
  return words + ideographs / 3 <= SHORT_MESSAGE_WORDS
}
