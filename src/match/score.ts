import type { Calibration } from '../embed/types.js'

/**
 * From figures to probabilities. The constants are fitted by training/calibrate (`npm run calibrate`) on messages that a library
 * serves against messages that none does, of the same lengths; the intercept is set so that 0.7 keeps nine in ten of the right matches.
 */
export const CALIBRATION: Readonly<Record<'words' | 'meaning', Calibration>> = {
  words: { intercept: -2.21, relevance: 0.92, coverage: 5.24, named: 4.18, similarity: 0, temperature: 2.33 },
  meaning: { intercept: -4.52, relevance: 0.34, coverage: 2.73, named: 3.89, similarity: 15.44, temperature: 2.98 },
}

/** What the best skill has of a message, in absolute figures: rarity is the background's, so that libraries can be compared. */
export interface Figures {
  /** Sum of rarity times saturated frequency over the message's terms. */
  relevance: number
  /** `relevance` over what it would be if every term were in the skill's name many times: 0 to 1. */
  coverage: number
  /** The skill's name or display name stands whole in the message. */
  named: boolean
  /** How near the skill is in meaning, where a model says so: the cosine. */
  similarity?: number | undefined
}

/**
 * The probability that the library serves the message: a logistic over the figures of its best skill.
 * @param constants Default: those of words alone, or of the bundled model where there is a similarity.
 */
export function servedProbability(
  { relevance, coverage, named, similarity }: Figures,
  constants: Calibration = similarity === undefined ? CALIBRATION.words : CALIBRATION.meaning,
): number {
  if (relevance <= 0 && !similarity) return 0
  const { intercept, relevance: r, coverage: c, named: n, similarity: s } = constants
  return logistic(intercept + r * Math.log1p(relevance) + c * coverage + (named ? n : 0) + s * (similarity ?? 0))
}

/** How probable each candidate is if one of them is right: a softmax over their relevances. */
export function candidateShares(relevances: readonly number[], temperature: number): number[] {
  const top = Math.max(...relevances)
  const powers = relevances.map(relevance => Math.exp((relevance - top) / temperature))
  const sum = powers.reduce((a, b) => a + b, 0)
  return powers.map(power => power / sum)
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x))
}
