import { K1 } from '../index/weights.js'
import type { Calibration } from '../model/types.js'
import type { QueryTerm } from './query.js'

/** Defaults of `match`: the score that a match must exceed, and the maximum number of matches. */
export const THRESHOLD = 0.7
export const MATCH_LIMIT = 3
/** Maximum number of matches of `search`. */
export const SEARCH_LIMIT = 5

/**
 * Coefficients of the probability, fitted by `npm run calibrate` on messages that a library serves and messages that no library serves, of
 * the same lengths, in nine languages. The intercept is set so that 3 % of the latter score above the threshold 0.7.
 */
export const CALIBRATION: Readonly<Record<'words' | 'meaning' | 'embedding', Calibration>> = {
  words: { intercept: -2.27, relevance: 1.15, coverage: 2.25, named: 4.88, similarity: 0, temperature: 2.55 },
  meaning: { intercept: -4.15, relevance: 0.78, coverage: 0, named: 3.54, similarity: 11.24, temperature: 2.98 },
  // On the cosine of the nearest skill alone. Its accuracy is in docs/measured.md.
  embedding: { intercept: -4.06, relevance: 0, coverage: 0, named: 0, similarity: 13.29, temperature: 0.043 },
}

/** Ranks among which confidence is divided. */
const RIVALS = 20

/** The evidence for the best skill. It uses the idf of skills at large, so that it is comparable across libraries. */
export interface ScoreFeatures {
  /** BM25F: the sum of idf times saturated frequency over the terms of the message. */
  relevance: number
  /** Lexical coverage: `relevance` as a share of its maximum, 0 to 1. */
  coverage: number
  /** True if the message contains the skill's name or display name. */
  named: boolean
  /** Cosine of message and skill; `undefined` without an embedder. */
  similarity?: number | undefined
}

/** @param weights The weight of each form of each term in the best skill: see `formWeights`. */
export function scoreFeatures(
  terms: readonly QueryTerm[],
  weights: readonly (readonly number[])[],
  { named, similarity }: Pick<ScoreFeatures, 'named' | 'similarity'>,
): ScoreFeatures {
  let relevance = 0
  let max = 0
  for (const [index, { backgroundIdf, weight }] of terms.entries()) {
    const idf = weight * backgroundIdf
    const frequency = Math.fround((weights[index] ?? []).reduce((sum, ofForm) => sum + ofForm, 0))
    // Several forms of a word must not cover more than the word.
    relevance += idf * Math.min(frequency, K1 + 1)
    max += idf * (K1 + 1)
  }
  return { relevance, coverage: max === 0 ? 0 : relevance / max, named, similarity }
}

/**
 * The probability that the library serves the message: a logistic function of the features of its best skill.
 * @param calibration Default: that of words alone, or of the bundled model if there is a similarity.
 */
export function servedProbability(
  { relevance, coverage, named, similarity }: ScoreFeatures,
  calibration: Calibration = similarity === undefined ? CALIBRATION.words : CALIBRATION.meaning,
): number {
  if (relevance <= 0 && !similarity) return 0
  const { intercept, relevance: r, coverage: c, named: n, similarity: s } = calibration
  const x = intercept + r * Math.log1p(relevance) + c * coverage + (named ? n : 0) + s * (similarity ?? 0)
  return 1 / (1 + Math.exp(-x))
}

/**
 * Scores ranked skills: the first one gets the probability, the others a share of it by relevance.
 * @param ranked Best first.
 * @param limit Number of skills to score.
 * @param strengthOf What confidence is divided by. Default: relevance.
 */
export function scoreRanked<Ranked extends { relevance: number }>(
  ranked: readonly Ranked[],
  probability: number,
  { temperature }: Calibration,
  limit: number,
  strengthOf: (ranked: Ranked) => number = ({ relevance }) => relevance,
): (Ranked & { score: number; confidence: number })[] {
  const best = ranked[0]?.relevance ?? 1
  const shares = candidateShares(ranked.slice(0, RIVALS).map(strengthOf), temperature)
  return ranked.slice(0, limit).map((skill, index) => ({
    ...skill,
    score: probability * (skill.relevance / best),
    confidence: probability * (shares[index] ?? 0),
  }))
}

/** The probability of each candidate, given that one of them is right: a softmax over their relevances. */
export function candidateShares(relevances: readonly number[], temperature: number): number[] {
  const max = Math.max(...relevances)
  const powers = relevances.map(relevance => Math.exp((relevance - max) / temperature))
  const sum = powers.reduce((a, b) => a + b, 0)
  return powers.map(power => power / sum)
}
