import { abortable } from '../../core/abort.js'
import { errorMessage, throwIfAborted } from '../../core/errors.js'
import { noReason } from '../../search/match/reason.js'
import { applyRerank, type Reranker } from '../../search/match/rerank.js'
import { FOLLOWER_SHARE, MAYBE_LIMIT, MAYBE_SERVED } from '../../search/match/score.js'
import type { Language, MatcherResult, MatchQuery, SkillMatch } from '../../search/match/skill-match.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import type { LibraryBackend, RankedSkill, RankOptions } from '../create-library.js'
import type { SearchOptions } from '../skill-library.js'

/** Matches that a reranker gets by default. */
const CANDIDATES = 5

/** Finds the nearest skills, and their summaries: `undefined` for a skill that was removed. */
export type FindCandidates = (query: MatchQuery, options: RankOptions) => Promise<Candidates>

type Candidates = { result: MatcherResult; summaryOf(id: SkillId): SkillSummary | undefined }

/** Makes `match`: `matches` if the first is likely right, `maybe` if some skill serves the message, or neither. The reranker may choose. */
export function decideMatches(find: FindCandidates, reranker: Reranker | undefined): LibraryBackend['match'] {
  return async (query, { limit, threshold, candidates, ...options }) => {
    const needed = Math.max(limit, MAYBE_LIMIT, reranker ? (candidates ?? CANDIDATES) : 1)
    const { result, summaryOf } = await find(query, { ...options, limit: needed })
    const { served } = result
    let { matches } = result
    const isLikely = (): boolean => (matches[0]?.score ?? 0) > threshold
    const considered = matches.slice(0, candidates ?? Math.max(limit, CANDIDATES))
    // The user's own choice stays first.
    const rerank = matches[0]?.signals.learned?.exact ? undefined : reranker
    if (rerank && considered.length > 1 && (isLikely() || served >= MAYBE_SERVED)) {
      const reordered = await callReranker(rerank, query, considered, served, summaryOf, options)
      matches = [...reordered, ...matches.slice(considered.length)]
    } else matches = matches.filter(({ score }, rank) => rank === 0 || score >= threshold * FOLLOWER_SHARE)
    if (isLikely()) return { ...result, matches: matches.slice(0, limit) }
    return {
      ...result,
      matches: [],
      ...(served >= MAYBE_SERVED && matches.length > 0 ? { maybe: matches.slice(0, MAYBE_LIMIT) } : {}),
      ...(matches.length > 0 ? { abstained: 'below-threshold' as const } : {}),
    }
  }
}

async function callReranker(
  rerank: Reranker,
  query: MatchQuery,
  matches: MatcherResult['matches'],
  served: number,
  summaryOf: Candidates['summaryOf'],
  { language, signal }: SearchOptions,
): Promise<readonly SkillMatch[]> {
  const candidates = matches.map(({ id, name, score }) => {
    const { displayName, description = '' } = summaryOf(id) ?? {}
    return { id, name, ...(displayName === undefined ? {} : { displayName }), description, score }
  })
  try {
    // Inside the promise, because a reranker may throw synchronously.
    const answer = Promise.resolve().then(() => rerank(query, candidates, { signal }))
    return applyRerank(matches, await abortable(answer, signal), served, language)
  } catch (error) {
    throwIfAborted(signal)
    return applyRerank(matches, { failed: errorMessage(error) }, served, language)
  }
}

/** The explanation of a skill that shares nothing with the message, or is hidden by another one. */
export function unranked({ id, name }: SkillSummary, why: 'nothing' | 'shadowed', language?: Language): RankedSkill {
  const signals = { terms: [], rules: [], missing: [], relevance: 0 }
  return { id, name, score: 0, reason: noReason(why, language), signals, rank: 0 }
}
