import type { SkillId } from '../../skill/skill.js'
import { withRerankNote } from './reason.js'
import type { KeptBecause, Language, MatchQuery, RerankNote, SkillMatch } from './types.js'

/** A match as a reranker receives it. */
export interface RerankCandidate {
  id: SkillId
  name: string
  displayName?: string
  description: string
  score: number
  confidence: number
}

/** Ids in their new order, or why the order is kept. Missing ids follow in their previous order. */
export type RerankAnswer = readonly SkillId[] | { kept: KeptBecause }

/**
 * Reorders the best matches: a language model (`llmRerank`), a cross-encoder, or a rule of the host. If it throws, the order is kept and the
 * reason of the first match says so.
 */
export type Reranker = (
  query: MatchQuery,
  candidates: readonly RerankCandidate[],
  options: { signal?: AbortSignal | undefined },
) => Promise<RerankAnswer>

/** A record of the union, so that the compiler reports a missing member. */
const KEPT: Readonly<Record<KeptBecause, true>> = {
  'no-number': true,
  'out-of-range': true,
  'several-numbers': true,
  'none-chosen': true,
  late: true,
  failed: true,
}

/**
 * Applies the answer of a reranker.
 *
 * Scores and confidences belong to ranks, not to skills: the first score is the probability that the library serves the message, which
 * does not depend on the skill that comes first. As many matches pass a threshold as before. The reason of the first match says what the
 * reranker did.
 */
export function applyRerank(
  matches: readonly SkillMatch[],
  answer: RerankAnswer | { failed: string },
  language?: Language,
): { matches: SkillMatch[]; chosen: boolean } {
  const byId = new Map(matches.map(match => [match.id, match]))
  const chosen = Array.isArray(answer) ? [...new Set<SkillId>(answer)].flatMap(id => byId.get(id) ?? []) : []
  const order = [...chosen, ...matches.filter(match => !chosen.includes(match))]
  const note: RerankNote =
    chosen.length > 0 ? { chosen: true, among: matches.length } : { chosen: false, ...keptOf(answer) }
  return {
    matches: order.map((match, rank) => {
      const { score, confidence } = matches[rank] as SkillMatch
      return rank === 0
        ? withRerankNote({ ...match, score, confidence }, note, language)
        : { ...match, score, confidence }
    }),
    chosen: chosen.length > 0,
  }
}

function keptOf(answer: RerankAnswer | { failed: string }): { kept: KeptBecause; message?: string } {
  if (Array.isArray(answer)) return { kept: 'none-chosen' }
  if (typeof answer !== 'object' || answer === null)
    return { kept: 'failed', message: 'the reranker did not return a list of ids' }
  if ('failed' in answer) return { kept: 'failed', message: answer.failed }
  const { kept } = answer as { kept: KeptBecause }
  return Object.hasOwn(KEPT, kept) ? { kept } : { kept: 'failed', message: 'the reranker did not return a list of ids' }
}
