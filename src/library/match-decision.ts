import { abortable } from '../core/abort.js'
import { errorMessage, throwIfAborted } from '../core/errors.js'
import { applyRerank, type Reranker } from '../search/match/rerank.js'
import type { Language, MatcherResult, MatchQuery } from '../search/match/types.js'
import type { SkillId, SkillSummary } from '../skill/skill.js'

/** Matches that a reranker gets by default. */
const CANDIDATES = 5
/** Uncertain matches: the score that the first one must exceed, and their number. */
const MAYBE_SCORE = 0.3
const MAYBE_LIMIT = 3

export interface DecisionOptions {
  limit: number
  threshold: number
  margin: number | undefined
  /** Number of matches that the reranker gets. */
  candidates: number | undefined
  rerank: Reranker | undefined
  /** `undefined` for a skill that was removed. */
  summaryOf(id: SkillId): SkillSummary | undefined
  language?: Language | undefined
  signal?: AbortSignal | undefined
}

/** The number of matches that `decide` needs. */
export function candidateCount({
  limit,
  candidates = CANDIDATES,
  rerank,
}: Pick<DecisionOptions, 'limit' | 'candidates' | 'rerank'>): number {
  return Math.max(limit, MAYBE_LIMIT, rerank ? candidates : 1)
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
  const { limit, threshold, margin, candidates, rerank } = options
  const [first, second] = result.matches
  const isServed = first !== undefined && first.score > threshold
  let undecided = isServed && second !== undefined && first.confidence - second.confidence < (margin ?? 0)
  let { matches } = result
  const considered = matches.slice(0, candidates)
  if (rerank && isServed && considered.length > 1 && (undecided || margin === undefined)) {
    const answer = await callReranker(rerank, query, considered, options)
    matches = [...answer.matches, ...matches.slice(considered.length)]
    if (answer.chosen) undecided = false
  }
  const above = matches.slice(0, limit).filter(({ score }) => score > threshold)
  const maybe = above.length === 0 && first && first.score > MAYBE_SCORE ? matches.slice(0, MAYBE_LIMIT) : []
  return {
    ...result,
    matches: above,
    ...(maybe.length > 0 ? { maybe } : {}),
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
