import { abortable } from '../core/abort.js'
import { errorMessage, throwIfAborted } from '../core/errors.js'
import { applyRerank, type Reranker } from '../match/rerank.js'
import type { Language, MatcherResult, MatchQuery } from '../match/types.js'
import type { SkillId, SkillSummary } from '../skill/types.js'

/** Matches that a reranker gets at least. */
const RERANKED = 5

export interface DecisionOptions {
  limit: number
  threshold: number
  margin: number | undefined
  rerank: Reranker | undefined
  /** `undefined` for a skill that was removed. */
  summaryOf(id: SkillId): SkillSummary | undefined
  language?: Language | undefined
  signal?: AbortSignal | undefined
}

/** The number of matches that `decide` needs. A margin needs the second match too. */
export function candidateCount({
  limit,
  margin,
  rerank,
}: Pick<DecisionOptions, 'limit' | 'margin' | 'rerank'>): number {
  return Math.max(limit, margin === undefined ? 1 : 2, rerank ? RERANKED : 1)
}

/**
 * Applies threshold, margin and reranker to the result of a matcher. The reranker is called only if it can change the answer: more than
 * one match, the first one above the threshold and, with a margin, no clear lead.
 */
export async function decide(
  query: MatchQuery,
  result: MatcherResult,
  options: DecisionOptions,
): Promise<MatcherResult> {
  const { limit, threshold, margin, rerank } = options
  const [first, second] = result.matches
  const isServed = first !== undefined && first.score > threshold
  let undecided = isServed && second !== undefined && first.confidence - second.confidence < (margin ?? 0)
  let { matches } = result
  if (rerank && isServed && second && (undecided || margin === undefined)) {
    const answer = await callReranker(rerank, query, matches, options)
    matches = answer.matches
    if (answer.chosen) undecided = false
  }
  const above = matches.slice(0, limit).filter(({ score }) => score > threshold)
  return {
    ...result,
    matches: above,
    ...(above.length === 0 && matches.length > 0 ? { abstained: 'below-threshold' as const } : {}),
    ...(undecided ? { undecided } : {}),
  }
}

async function callReranker(
  rerank: Reranker,
  query: MatchQuery,
  matches: MatcherResult['matches'],
  { summaryOf, language, signal }: DecisionOptions,
): Promise<ReturnType<typeof applyRerank>> {
  const candidates = matches.map(({ id, name, score, confidence }) => {
    const { displayName, description = '' } = summaryOf(id) ?? {}
    return { id, name, ...(displayName === undefined ? {} : { displayName }), description, score, confidence }
  })
  try {
    // Inside the promise, because a reranker may throw synchronously.
    const answer = Promise.resolve().then(() => rerank(query, candidates, { signal }))
    return applyRerank(matches, await abortable(answer, signal), language)
  } catch (error) {
    throwIfAborted(signal)
    return applyRerank(matches, { failed: errorMessage(error) }, language)
  }
}
