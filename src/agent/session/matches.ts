import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError } from '../../core/errors.js'
import type { MatchResult, SearchResult, SkillMatch } from '../../library/api/match-result.js'
import { isServed } from '../../search/decide/decide.js'
import { loadMessageLanguage } from '../../search/match/corpus-statistics.js'
import { THRESHOLD } from '../../search/match/score.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { SkillSummary } from '../../skill/skill.js'
import type { Said } from './messages.js'
import type { Session } from './types.js'

/** The largest `limit` that a server accepts. */
const SERVER_LIMIT = 50
/** Skills that a tail lists beside a likely match. */
export const TAIL_SKILLS = 5
/** Earlier messages passed to `match`, and those among which the one is found that a message leans on. */
const HISTORY_MESSAGES = 3
const MAX_LEANING = 10
/** Words of a message that may refer to the one before it, such as "yes, do that". An ideograph counts a third. */
const SHORT_MESSAGE_WORDS = 8
/** Words of a message that has hardly any words of its own. */
const BARE_MESSAGE_WORDS = 3
/** Characters of a message that are matched. A server accepts no more. */
const MESSAGE_LENGTH = 10_000

export interface MatchLimits extends AbortOptions {
  limit?: number | undefined
  threshold?: number | undefined
}

/** The offered skills of a result. */
interface Found extends Pick<SearchResult, 'served' | 'complete'> {
  matches: readonly SkillMatch[]
  maybe: readonly SkillMatch[]
}

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
  const dropped = session.library.snapshot.skills.length - session.offered.length
  const found = await findMore(limit, dropped, find)
  // Read after the search: a library in an engine lists skills when it finds them.
  const ids = new Set(session.offered.map(({ id }) => id))
  const offeredOf = (found: readonly SkillMatch[]): SkillMatch[] =>
    found.filter(({ id }) => ids.has(id)).slice(0, limit)
  const maybe = 'maybe' in found ? offeredOf(found.maybe) : []
  const { served, complete } = found
  return { served, complete, matches: offeredOf(found.matches), maybe }
}

/** Finds more skills than the caller wants, because some will be dropped. */
export async function findMore<Result>(
  limit: number,
  dropped: number,
  find: (limit: number) => Promise<Result>,
): Promise<Result> {
  const wanted = limit + dropped
  return find(wanted).catch(error => {
    if (wanted <= SERVER_LIMIT || !isSkillshelfError(error, 'invalid-input')) throw error
    return find(Math.max(limit, SERVER_LIMIT))
  })
}

/** A match whose first skill was left out is none: the next ones were beside it, and are not likely. */
export function likelyOnly<Result extends Pick<Found, 'matches' | 'maybe' | 'served'>>(
  found: Result,
  threshold = THRESHOLD,
): Result {
  const [first] = found.matches
  if (first === undefined || first.score > threshold) return found
  return { ...found, matches: [], maybe: isServed(found) ? found.matches : [] }
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

/** Finds the skills for what the user said in this conversation. */
export async function matchMessage(
  session: Session,
  { message, pasted, earlier }: Said,
  { limit: maxMatches = TAIL_SKILLS, ...options }: MatchLimits,
): Promise<MessageMatches> {
  const { library, open, place } = session
  const match = async (said: MatchQuery): Promise<MessageMatches> => {
    const query = { ...said, ...place }
    const offered = await offeredMatches(session, maxMatches, limit =>
      library.match(query, { ...options, limit }),
    )
    const found = likelyOnly(offered, options.threshold)
    const maybe = found.maybe.filter(({ id }) => !open.some(({ skill }) => skill.id === id))
    return { matches: found.matches, maybe, query }
  }
  // A machine alone has spoken.
  if (message === '') return { matches: [], maybe: [], query: { message } }
  const own = { message: shortenMessage(message), pasted: shortenMessage(pasted) }
  const history = isShort(message) ? await lastTopic(session, earlier, options) : []
  const found = await match({ ...own, history })
  const [leaned] = history
  if (found.matches.length > 0 || leaned === undefined) return found
  if (lengthOf(message) > BARE_MESSAGE_WORDS) {
    // Words such as "this month" look as if they referred to another message.
    const alone = await match(own)
    if (alone.matches.length > 0) return alone
  }
  const { refersBack } = await loadMessageLanguage()
  if (!refersBack(message)) return found
  // A message such as "yes, do that" asks for nothing itself.
  return match({ message: shortenMessage(leaned) })
}

/**
 * The last message that leans on no other one, and those after it that lean on it. What was said before it is another topic. A message such as
 * "cut this clip" only looks as if it leaned: it finds a skill on its own.
 */
async function lastTopic(
  { library }: Session,
  earlier: readonly string[],
  { signal }: AbortOptions,
): Promise<string[]> {
  const read = earlier.slice(-MAX_LEANING)
  if (read.length < 2) return read
  const { refersBack } = await loadMessageLanguage()
  for (let first = read.length - 1; first >= 0; first--) {
    const [one, ...after] = read.slice(first) as [string, ...string[]]
    if (isShort(one) && refersBack(one)) {
      // Not `match`, which may call a reranker.
      const { matches } = await library.search(shortenMessage(one), { limit: 1, signal })
      if ((matches[0]?.score ?? 0) <= THRESHOLD) continue
    }
    return [one, ...after.slice(1 - HISTORY_MESSAGES)]
  }
  return read.slice(-1)
}

/** Keeps both ends: a request comes before or after pasted text. */
function shortenMessage(message: string): string {
  if (typeof message !== 'string' || message.length <= MESSAGE_LENGTH) return message
  return `${message.slice(0, MESSAGE_LENGTH / 2 - 1)} ${message.slice(-MESSAGE_LENGTH / 2)}`
}

/** Whether a message may refer to the one before it, such as "yes, do that". */
export function isFollowUp({ message, earlier }: Said): boolean {
  return isShort(message) && earlier.some(one => one !== message)
}

function isShort(message: string): boolean {
  return lengthOf(message) <= SHORT_MESSAGE_WORDS
}

function lengthOf(message: string): number {
  const ideographs =
    message.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0
  const words = message.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
  return words + ideographs / 3
}
