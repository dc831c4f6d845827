import { classOf, isSpaced, JOINED } from '../../core/text/character-classes.js'
import { maxRelevance, type QueryTerm } from './query-terms.js'

// Two figures of each candidate are mixed: its relevance (BM25F and bonuses) and its similarity (the cosine of message and skill). They have
// different scales, so each is taken as a share of the best candidate's. The weight of similarity is not fixed, because the two fail on
// different messages. Words are right where message and skill share rare ones; meaning is right where they share none, as between languages.
// So similarity weighs little where the best skill has many words of the message, and nearly everything where it has none. It weighs less,
// too, where it is worth less: for a language that the model hardly knows, for a long message, which is a mixture of topics, and where even
// the nearest skill is not near. Two models are one similarity, each with its share: each finds skills that the other does not.

/** Vector weight, from `max` down to `min` as lexical coverage grows from 0 to `fullCoverage`. */
export interface VectorWeight {
  min: number
  max: number
  fullCoverage: number
}

/** Chosen on the dev set: see docs/measured.md. */
export const BUNDLED_WEIGHT: VectorWeight = { min: 0.2, max: 0.9, fullCoverage: 0.35 }
export const UPGRADE_WEIGHT: VectorWeight = { min: 0.3, max: 0.9, fullCoverage: 0.35 }
/** Share in the similarity of an upgrade embedder that is calibrated, and of any other; the rest is that of the bundled model. */
export const CALIBRATED_SHARE = 0.75
export const OTHER_SHARE = 0.5
/** Share of a message's terms that a model must know to have any weight, and to have its full weight. */
export const MIN_MODEL_COVERAGE = 0.2
const FULL_MODEL_COVERAGE = 0.5
/** Terms of a message from which similarity weighs less. */
const MANY_TERMS = 30
/** Similarity of the nearest skill from which similarity has its full weight. */
const NEAR = 0.2
/** Lowest coverage that relevances are scaled to. Below it, all skills would have nearly the same relevance. */
const MIN_COVERAGE = 0.15

/** The vector weight for a message of which the model knows a share. */
export function scaleWeight(
  { min, max, fullCoverage }: VectorWeight,
  coverage: number,
): VectorWeight {
  const share = Math.min(
    1,
    (coverage - MIN_MODEL_COVERAGE) / (FULL_MODEL_COVERAGE - MIN_MODEL_COVERAGE),
  )
  return { min: min * share, max: max * share, fullCoverage }
}

/** The vector weight for a message: less for a long one. Kana and Hangul cover less of a message, so half the coverage is full. */
function weightFor(
  terms: readonly QueryTerm[],
  { min, max, fullCoverage }: VectorWeight,
): VectorWeight {
  const share = Math.min(1, MANY_TERMS / terms.filter(({ term }) => isSpaced(term)).length)
  const isJoined = terms.some(({ term }) => classOf(term.charCodeAt(term.length - 1)) === JOINED)
  return {
    min: min * share,
    max: max * share,
    fullCoverage: isJoined ? fullCoverage / 2 : fullCoverage,
  }
}

/** The similarities of some skills, by one model. */
export interface Similarities {
  /** Of message and skill, in the order of the relevances. */
  cosines: readonly number[]
  /** Cosine of unrelated texts. */
  unrelated: number
  /** Share of this model in the similarity, if a second one ranks, 0 to 1. */
  share: number
}

/**
 * Mixes lexical relevance and the similarities of one model, or of an upgrade and the bundled one. The result is on the scale of the
 * relevance, so that ties and rivals are judged as without a model.
 */
export function mixRelevance(
  relevances: readonly number[],
  models: readonly Similarities[],
  terms: readonly QueryTerm[],
  vectorWeight: VectorWeight,
): number[] {
  const nearest = models.map(({ cosines, unrelated }) => Math.max(...cosines) - unrelated)
  const [first, second] = models
  const ofFirst = first && second ? first.share : 1
  const shares = [ofFirst, 1 - ofFirst]
  // If even the nearest skill is not near, its similarity says little.
  const trust = nearest.map(
    (near, model) => (shares[model] as number) * Math.max(0, Math.min(1, near / NEAR)),
  )
  const total = trust.reduce((sum, one) => sum + one, 0)
  if (!(total > 0)) return [...relevances]
  const weight = weightFor(terms, vectorWeight)
  const max = maxRelevance(terms)
  const best = Math.max(...relevances, 0)
  const uncovered = max > 0 ? Math.max(0, 1 - best / max / weight.fullCoverage) : 1
  const share = (weight.min + (weight.max - weight.min) * uncovered) * total
  const scale = Math.max(best, MIN_COVERAGE * max)
  const similarityOf = (index: number): number =>
    models.reduce((sum, { cosines, unrelated }, model) => {
      const near = Math.max(
        0,
        ((cosines[index] as number) - unrelated) / (nearest[model] as number),
      )
      return trust[model] === 0 ? sum : sum + ((trust[model] as number) / total) * near
    }, 0)
  return relevances.map((relevance, index) => {
    const byWords = best > 0 ? (1 - share) * (relevance / best) : 0
    return scale * (byWords + share * similarityOf(index))
  })
}
