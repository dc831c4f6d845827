import { abortable } from '../core/abort.js'
import { errorMessage, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { type Reranker, reranked } from '../match/rerank.js'
import type { Language, MatcherResult, MatchQuery } from '../match/types.js'
import type { SkillId, SkillSummary } from '../skill/types.js'

/** Matches that a reranker sees at least, however few are wanted. */
const RERANKED = 5

export interface Deciding {
  limit: number
  threshold: number
  margin: number | undefined
  reranker: Reranker | undefined
  /** What a skill says of itself; `undefined` for one that is gone. */
  summaryOf(id: SkillId): SkillSummary | undefined
  language?: Language | undefined
  signal?: AbortSignal | undefined
}

/** How many matches a decision looks at: the second tells whether the first leads. */
export function lookedAt({ limit, margin, reranker }: Pick<Deciding, 'limit' | 'margin' | 'reranker'>): number {
  return Math.max(limit, margin === undefined ? 1 : 2, reranker ? RERANKED : 1)
}

/**
 * From the best that a matcher found to what `match` gives: whether the first leads, else what a reranker says, and what is above
 * the threshold. A reranker is asked where it can change the answer: more than one match, the first of them above the threshold,
 * and, where a margin is given, no clear lead.
 */
export async function decide(query: MatchQuery, result: MatcherResult, deciding: Deciding): Promise<MatcherResult> {
  const { limit, threshold, margin = 0, reranker } = deciding
  const [first, second] = result.matches
  const serves = first !== undefined && first.score > threshold
  let undecided = serves && second !== undefined && first.confidence - second.confidence < margin
  let { matches } = result
  if (reranker && serves && second && (undecided || deciding.margin === undefined)) {
    const done = await rerank(reranker, query, matches, deciding)
    matches = done.matches
    if (done.chosen) undecided = false
  }
  const above = matches.slice(0, limit).filter(match => match.score > threshold)
  return {
    ...result,
    matches: above,
    ...(above.length === 0 && matches.length > 0 ? { abstained: 'below-threshold' as const } : {}),
    ...(undecided ? { undecided } : {}),
  }
}

async function rerank(
  reranker: Reranker,
  query: MatchQuery,
  matches: MatcherResult['matches'],
  { summaryOf, language, signal }: Deciding,
): Promise<ReturnType<typeof reranked>> {
  const candidates = matches.map(({ id, name, score, confidence }) => {
    const { displayName, description = '' } = summaryOf(id) ?? {}
    return { id, name, ...(displayName === undefined ? {} : { displayName }), description, score, confidence }
  })
  try {
    // In a promise from the start: a reranker may throw before it gives one.
    const asked = Promise.resolve().then(() => reranker(query, candidates, signal ? { signal } : {}))
    return reranked(matches, await abortable(asked, signal), language)
  } catch (error) {
    throwIfAborted(signal)
    const failed = errorMessage(error)
    return reranked(matches, { failed }, language)
  }
}

/** @throws SkillshelfError `invalid-input` */
export function checkShare(what: string, value: number): number {
  if (!(value >= 0 && value <= 1))
    throw new SkillshelfError('invalid-input', `${what} is ${value}; it is a number from 0 to 1`)
  return value
}
