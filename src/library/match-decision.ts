import { abortable } from '../core/abort.js'
import { errorMessage, throwIfAborted } from '../core/errors.js'
import { noReason } from '../search/match/reason.js'
import { applyRerank, type Reranker } from '../search/match/rerank.js'
import type { Language, MatcherResult, MatchQuery } from '../search/match/types.js'
import type { SkillId, SkillSummary } from '../skill/skill.js'
import type { LibraryBackend, RankedSkill, RankOptions } from './create-library.js'
import type { SearchOptions } from './types.js'

/** Matches that a reranker gets by default. */
const CANDIDATES = 5
/** Uncertain matches: the score that the first one must exceed, and their number. */
const MAYBE_SCORE = 0.3
const MAYBE_LIMIT = 3

/** Finds candidates: the nearest skills, and their summaries. */
export type FindCandidates = (
  query: MatchQuery,
  options: RankOptions,
) => Promise<{
  result: MatcherResult
  /** `undefined` for a skill that was removed. */
  summaryOf: SummaryOf
}>

type SummaryOf = (id: SkillId) => SkillSummary | undefined

/**
 * Makes `match` of a backend that finds candidates: applies threshold, margin and reranker to them. The reranker is called only if it can
 * change the answer: more than one match, the first one above the threshold and, with a margin, no clear lead.
 */
export function decideMatches(find: FindCandidates, reranker: Reranker | undefined): LibraryBackend['match'] {
  return async (query, { limit, threshold, margin, candidates, ...options }) => {
    const needed = Math.max(limit, MAYBE_LIMIT, reranker ? (candidates ?? CANDIDATES) : 1)
    const { result, summaryOf } = await find(query, { ...options, limit: needed })
    const [first, second] = result.matches
    const isServed = first !== undefined && first.score > threshold
    let undecided = isServed && second !== undefined && first.confidence - second.confidence < (margin ?? 0)
    let { matches } = result
    const considered = matches.slice(0, candidates)
    // The user's own choice stays first.
    const rerank = first?.signals.learned?.exact ? undefined : reranker
    if (rerank && isServed && considered.length > 1 && (undecided || margin === undefined)) {
      const answer = await callReranker(rerank, query, considered, summaryOf, options)
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
}

async function callReranker(
  rerank: Reranker,
  query: MatchQuery,
  matches: MatcherResult['matches'],
  summaryOf: SummaryOf,
  { language, signal }: SearchOptions,
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

/** The explanation of a skill that shares nothing with the message, or is hidden by another one. */
export function unranked(
  { id, name }: SkillSummary,
  reason: 'nothing' | 'shadowed',
  language: Language | undefined,
): RankedSkill {
  return {
    id,
    name,
    score: 0,
    confidence: 0,
    reason: noReason(reason, language),
    signals: { terms: [], rules: [], missing: [], relevance: 0 },
    rank: 0,
  }
}
