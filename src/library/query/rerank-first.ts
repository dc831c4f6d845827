import { type AbortOptions, abortable } from '../../core/abort.js'
import { errorMessage, throwIfAborted } from '../../core/errors.js'
import { applyRerank, type RerankCandidate, type Reranker } from '../../search/decide/rerank.js'
import type {
  Language,
  MatcherResult,
  MatchQuery,
  RankedMatch,
} from '../../search/match/skill-match.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'

export interface RerankOptions extends AbortOptions {
  /** How many of the first matches the reranker gets. */
  considered: number
  summaryOf(id: SkillId): SkillSummary | undefined
  language: Language | undefined
}

/** The matches with the first ones in the order of a reranker. If it fails, their order is kept, and the first reason says so. */
export async function rerankFirst(
  rerank: Reranker,
  query: MatchQuery,
  { matches, served }: Pick<MatcherResult, 'matches' | 'served'>,
  { considered, summaryOf, language, signal }: RerankOptions,
): Promise<readonly RankedMatch[]> {
  const first = matches.slice(0, considered)
  const others = matches.slice(considered)
  const candidates = first.map(match => toCandidate(match, summaryOf(match.id)))
  try {
    // Inside the promise, because a reranker may throw synchronously.
    const answer = Promise.resolve().then(() => rerank(query, candidates, { signal }))
    return [...applyRerank(first, await abortable(answer, signal), served, language), ...others]
  } catch (error) {
    throwIfAborted(signal)
    return [...applyRerank(first, { failed: errorMessage(error) }, served, language), ...others]
  }
}

function toCandidate(
  { id, name, score }: RankedMatch,
  summary: SkillSummary | undefined,
): RerankCandidate {
  const { displayName, description = '' } = summary ?? {}
  return { id, name, ...(displayName === undefined ? {} : { displayName }), description, score }
}
