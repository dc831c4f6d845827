import { sum } from '../../core/lists.js'
import { K1 } from '../index/weights.js'
import type { Calibration } from '../model/skill-model.js'
import { adjustFirst, adjustServed } from './first-odds.js'
import { ACROSS_WEIGHT } from './query.js'
import type { QueryTerm } from './query-terms.js'

// A score is a probability, so that one threshold means the same in every library: the probability that some skill serves the message
// (`served`), times the probability that the first one is the right one then. Two functions, because they answer two questions: a lead over
// the second skill says which one is right and nothing about whether any is; coverage says the opposite. Both are logistic functions of the
// figures in `Evidence`. They are fitted to messages of authors, messages in the words of users, and messages that no skill serves, in nine
// languages and libraries of 2 to 1,900 skills, held out by origin: `served` to whether the library has the right skill, `first` to whether
// it ranks first where it has, so that the product is right. See docs/decisions/019-scores.md.

/** Defaults of `match`: the score that the first match must exceed, and the maximum number of matches. */
export const THRESHOLD = 0.7
export const MATCH_LIMIT = 3
/** Maximum number of matches of `search`. */
export const SEARCH_LIMIT = 5
/** The share of the threshold from which `match` gives a skill beside the first. */
export const FOLLOWER_SHARE = 0.005
/** `maybe`: the probability from which the library probably serves the message, and the number of skills to choose from. */
export const MAYBE_SERVED = 0.4
export const MAYBE_LIMIT = 8

/** How a score is shown. Rounded down: a score below the threshold must not read as one above it. */
export function twoDigits(score: number): string {
  // 0.29 * 100 is a little less than 29.
  return (Math.floor(score * 100 + 1e-9) / 100).toFixed(2)
}

/** Evidence of words where similarity alone counts. `CALIBRATION` does not spread it: bundlers would then keep both in every bundle. */
export const NO_WORDS = {
  relevance: 0,
  coverage: 0,
  named: 0,
  words: 0,
  messages: 0,
  foreign: 0,
  unspaced: 0,
  own: 0,
  said: 0,
  byWords: 0,
  wish: 1,
  ruledOut: 0,
}

/**
 * Coefficients of the scores, fitted by `npm run calibrate`, and `informed` by `npm run calibrate -- --informed`: `first` so that its product
 * with `served` is right. The intercepts of `served` are set so that less than 2 % of the messages that no skill serves score above the threshold 0.7.
 */
export const CALIBRATION: Readonly<Record<'words' | 'meaning' | 'embedding', Calibration>> = {
  words: {
    served: {
      intercept: -5.66,
      relevance: 1.02,
      coverage: 3.21,
      named: 2.23,
      similarity: 0,
      words: 1.47,
      messages: -1.69,
      foreign: 0.66,
      unspaced: 0.6,
    },
    informed: {
      intercept: -12.04,
      relevance: 0,
      coverage: 10,
      named: 2.35,
      similarity: 0,
      words: 3.42,
      messages: -0.13,
      foreign: 1.46,
      unspaced: 1,
      own: 5.61,
    },
    first: {
      intercept: -1.17,
      margin: 3.23,
      rivals: -1.59,
      coverage: 5.79,
      similarity: 0,
      foreign: 0.33,
      unspaced: -0.63,
    },
  },
  meaning: {
    served: {
      intercept: -6.05,
      relevance: -0.2,
      coverage: 4.05,
      named: 3.49,
      similarity: 9.1,
      words: 0.73,
      messages: -1.79,
      foreign: 1.72,
      unspaced: 0.36,
    },
    informed: {
      intercept: -14.49,
      relevance: -0.98,
      coverage: 10.85,
      named: 2.24,
      similarity: 12.42,
      words: 3.04,
      messages: -0.01,
      foreign: 1.65,
      unspaced: -0.35,
      own: 5.26,
    },
    first: {
      intercept: 3.62,
      margin: 9.1,
      rivals: -1.52,
      coverage: -1.25,
      similarity: -1.65,
      foreign: -0.09,
      unspaced: 0.52,
    },
    leads: {
      served: 0.19,
      english: { intercept: -1.24, score: 0.36, said: 0.43, margin: 3.17, third: 2.04 },
      foreign: { intercept: -0.78, score: 0.49, margin: 2.83, third: 2.29 },
      unspaced: { intercept: -1.1, score: 1.06, rivals: 0.47, byWords: 0.78 },
    },
  },
  embedding: {
    served: {
      intercept: -8.29,
      relevance: 0,
      coverage: 0,
      named: 0,
      similarity: 16.52,
      words: 0,
      messages: 0,
      foreign: 0,
      unspaced: 0,
    },
    first: {
      intercept: 2.71,
      margin: 15.11,
      rivals: -1.06,
      coverage: 0,
      similarity: 0,
      foreign: 0,
      unspaced: 0,
    },
  },
}

/** How fast the weight of a rival falls with its distance to the best. */
const RIVAL_SCALE = 6
/** Power of that weight by which only rivals that are nearly equal count. */
const EQUAL_POWER = 3

/** Part of the doubt about a skill with messages that words of its name, description or tags take away. */
const HEAD_SHARE = 0.75

/** The figures that the scores of a ranking are computed from. Words count by the idf of skills at large, which is comparable across libraries. */
export interface Evidence {
  /** Logarithm of 1 and the BM25F of the best skill. */
  relevance: number
  /** Square root of the share of the message that the words of the best skill cover, 0 to 1. */
  coverage: number
  /** 1 if the message contains the name or display name of the best skill. */
  named: number
  /** Cosine of message and best skill; 0 without an embedder. */
  similarity: number
  /** Logarithm of 1 and the number of terms of the message. */
  words: number
  /**
   * 0 for a skill without messages of users. With them it shares words with messages of any kind: 1 if only they, its body or nothing
   * explain the relevance, .25 if its name, description and tags do.
   */
  messages: number
  /** 1 if the message is in another language with spaces than English, the language of most skills: then each word says more. */
  foreign: number
  /** 1 if the message is in a script without spaces. */
  unspaced: number
  /** Likeness of the message and the nearest one of the best skill's own, 0 to 1. */
  own: number
  /** How much the words say that the best skill has, more or less than usual: see `saidEvidence`. 0 if the message is not English. */
  said: number
  /** 1 if the best skill is the best by words too. */
  byWords: number
  /** How far the message says enough for one skill, 0 to 1: see `wishOf`. 1 if it names the best skill. */
  wish: number
  /** How far its author rules the message out: a loss of odds, 0 for most. */
  ruledOut: number
  /** Lead of the best skill over the second, as a share of its relevance, 0 to 1. */
  margin: number
  /** The same over the third; `undefined` among fewer than three skills. */
  third: number | undefined
  /** Logarithm of the number of skills that are as relevant as the best; less relevant ones count less. */
  rivals: number
  /** Part of the best among skills that are nearly as relevant: of two equal ones, half. */
  part: number
}

/**
 * @param weights The weight of each form of each term in the best skill: see `findWeights`.
 * @param isInHead Whether name, description or tags of that skill contain a term, if it has messages.
 */
export function wordEvidence(
  terms: readonly QueryTerm[],
  weights: readonly (readonly number[])[],
  isInHead?: (term: string) => boolean,
): Pick<Evidence, 'relevance' | 'coverage' | 'words' | 'messages'> {
  let relevance = 0
  let inHead = 0
  let max = 0
  for (const [index, { corpusIdf, weight, forms }] of terms.entries()) {
    // An n-gram across two words says little about the message.
    if (weight === ACROSS_WEIGHT) continue
    const idf = weight * corpusIdf
    const ofForms = weights[index] ?? []
    const frequency = Math.fround(ofForms.reduce((sum, ofForm) => sum + ofForm, 0))
    // Several forms of a word must not cover more than the word.
    const part = idf * Math.min(frequency, K1 + 1)
    relevance += part
    if (isInHead && forms.some(({ term }, form) => (ofForms[form] ?? 0) > 0 && isInHead(term))) {
      inHead += part
    }
    max += idf * (K1 + 1)
  }
  return {
    relevance: Math.log1p(relevance),
    coverage: max === 0 ? 0 : Math.sqrt(relevance / max),
    words: Math.log1p(terms.filter(({ weight }) => weight === 1).length),
    messages: isInHead ? 1 - HEAD_SHARE * (inHead / (relevance || 1)) : 0,
  }
}

/** @param relevances Best first. */
export function rivalEvidence(
  relevances: readonly number[],
): Pick<Evidence, 'margin' | 'third' | 'rivals' | 'part'> {
  const [best = 1, second = 0, third] = relevances
  const weights = rivalWeights(relevances)
  return {
    margin: 1 - second / best,
    third: third === undefined ? undefined : 1 - third / best,
    rivals: Math.log(sum(weights)),
    part: 1 / sum(weights.map(weight => weight ** EQUAL_POWER)),
  }
}

export interface Scores {
  /** The probability that some skill serves the message. */
  served: number
  /** The probability that each skill is what the message needs, best first. They add up to `served` or less. */
  scores: number[]
}

/**
 * Scores ranked skills. The first score is the probability that the library serves the message, times the probability that its best skill
 * is the right one then, both logistic functions of the evidence, adjusted by its leads and by what its author rules out. The others share the rest by their distance to the best.
 * @param relevances Of all ranked skills, best first.
 * @param limit Number of skills to score.
 */
export function scoreRanked(
  relevances: readonly number[],
  evidence: Evidence,
  calibration: Calibration,
  limit: number,
): Scores {
  if (evidence.relevance <= 0 && evidence.similarity <= 0) {
    return { served: 0, scores: relevances.slice(0, limit).fill(0) }
  }
  const first = firstScore(calibration, evidence)
  // A lead may say more than coverage: that a skill is right says that the library serves the message.
  const probability = Math.max(first, servedScore(calibration, evidence))
  // A library may serve a subject. Which skill is wanted, a subject does not say.
  const best = first * evidence.wish
  const weights = rivalWeights(relevances)
  const all = sum(weights) - 1
  const scores = weights.slice(0, limit).map((weight, rank) => {
    if (rank === 0) return best
    return Math.min(best, (probability - best) * (weight / all))
  })
  return { served: probability, scores }
}

/**
 * The coefficients of `served` for a best skill with messages. Those that know its messages count where they say more: messages in other
 * words or another language than the user's are no evidence against a skill.
 */
export function withMessagesKnown(calibration: Calibration, evidence: Evidence): Calibration {
  const { served, informed } = calibration
  if (!informed || logistic(informed, evidence) <= logistic(served, evidence)) return calibration
  return { ...calibration, served: informed }
}

/** The score of the best skill for a message that says enough. */
export function firstScore(calibration: Calibration, evidence: Evidence): number {
  const served = servedScore(calibration, evidence)
  return adjustFirst(served * certainty(calibration, evidence), served, evidence, calibration.leads)
}

/** The probability that the library serves the message. */
function servedScore(calibration: Calibration, evidence: Evidence): number {
  return adjustServed(logistic(calibration.served, evidence), evidence, calibration.leads)
}

/** The probability that the best skill is the right one, if any is. */
function certainty({ first }: Calibration, evidence: Evidence): number {
  return Math.min(evidence.part, logistic(first, evidence))
}

/** The weight of a skill beside the best one, 0 to 1. */
export function rivalWeight(relevance: number, best: number): number {
  return Math.exp(-RIVAL_SCALE * (1 - relevance / best))
}

function rivalWeights(relevances: readonly number[]): number[] {
  const [best = 1] = relevances
  return relevances.map(relevance => rivalWeight(relevance, best))
}

function logistic(
  coefficients: Calibration['served'] | Calibration['first'],
  evidence: Evidence,
): number {
  let odds = coefficients.intercept
  let name: keyof typeof coefficients
  for (name in coefficients) {
    if (name !== 'intercept') odds += coefficients[name] * evidence[name]
  }
  return 1 / (1 + Math.exp(-odds))
}

/** Weight of a message of the author that is equal to the user's. The rest is for what the user meant otherwise. */
const EQUAL_WEIGHT = 0.95

/**
 * Raises the scores of the first skills, which have a message that is equal to the user's: they share what that proves.
 * @param equal Number of these skills, at the start of the ranking.
 */
export function raiseEqual({ served, scores }: Scores, equal: number): Scores {
  if (equal === 0) return { served, scores }
  const raised = served + EQUAL_WEIGHT * (1 - served)
  return {
    served: raised,
    scores: scores.map(
      (score, rank) =>
        (1 - EQUAL_WEIGHT) * score + (rank < equal ? (EQUAL_WEIGHT * raised) / equal : 0),
    ),
  }
}

/** Evidence of a weight, 0 to 1, that a skill is right. */
export interface Proof {
  id: string
  weight: number
}

/**
 * Applies proofs to scores, such as the choice of a reranker or a learned message: scores become `(1 - w)` of their value, where `w` is the
 * weight of the best proof, and the proven skills share `w` of the probability that the library serves the message.
 * @returns The matches, best first.
 */
export function applyProofs<Match extends { id: string; score: number }>(
  matches: readonly Match[],
  proofs: readonly Proof[],
  served: number,
): Match[] {
  const strongest = Math.max(0, ...proofs.map(({ weight }) => weight))
  const all = sum(proofs.map(({ weight }) => weight))
  const proven = new Map(proofs.map(({ id, weight }) => [id, strongest * (weight / all)]))
  return matches
    .map(match => ({
      ...match,
      score: (1 - strongest) * match.score + served * (proven.get(match.id) ?? 0),
    }))
    .sort((a, b) => b.score - a.score)
}
