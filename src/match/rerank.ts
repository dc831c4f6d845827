import type { SkillId } from '../skill/types.js'
import { withNote } from './reason.js'
import type { KeptBecause, Language, MatchQuery, RerankNote, SkillMatch } from './types.js'

/** What a reranker is told of a skill. */
export interface RerankCandidate {
  id: SkillId
  name: string
  displayName?: string
  description: string
  score: number
  confidence: number
}

/** The ids in their new order, or why there is none. Ids that are left out follow in the order they had. */
export type RerankAnswer = readonly SkillId[] | { kept: KeptBecause }

/**
 * Orders the best matches once more, with more time for each than a search has: a language model (`llmRerank`), a cross-encoder,
 * a rule of the host. What it throws keeps the order.
 */
export type Reranker = (
  query: MatchQuery,
  candidates: readonly RerankCandidate[],
  options: { signal?: AbortSignal | undefined },
) => Promise<RerankAnswer>

/** Indexed by the union, so that none is forgotten. */
const KEPT: Readonly<Record<KeptBecause, true>> = {
  'no-number': true,
  'out-of-range': true,
  'several-numbers': true,
  'none-chosen': true,
  late: true,
  failed: true,
}

/**
 * The matches as a reranker ordered them. Score and confidence stay with the places, and skills change theirs: the score of the
 * first place is the probability that the library serves the message at all, which is no other because another skill is the one.
 * So what a reranker puts first has the score that the first had, the next have theirs, and as many pass a threshold as before.
 * The reason of the first says what the reranker did.
 */
export function reranked(
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
    matches: order.map((match, place) => {
      const { score, confidence } = matches[place] as SkillMatch
      return place === 0 ? withNote({ ...match, score, confidence }, note, language) : { ...match, score, confidence }
    }),
    chosen: chosen.length > 0,
  }
}

function keptOf(answer: RerankAnswer | { failed: string }): { kept: KeptBecause; message?: string } {
  if (Array.isArray(answer)) return { kept: 'none-chosen' }
  if (typeof answer !== 'object' || answer === null)
    return { kept: 'failed', message: 'the reranker gave no list of ids' }
  if ('failed' in answer) return { kept: 'failed', message: answer.failed }
  const { kept } = answer as { kept: KeptBecause }
  return Object.hasOwn(KEPT, kept) ? { kept } : { kept: 'failed', message: 'the reranker gave no list of ids' }
}
