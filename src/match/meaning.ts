import type { Calibration, SkillModel } from '../embed/types.js'
import type { Vectors } from '../segment/vectors.js'
import { termWeights } from './evidence.js'
import { cosineOf, nearestByVector } from './nearest.js'
import type { Candidate, Searched, Weighted } from './rank.js'
import { CALIBRATION } from './score.js'
import type { QueryVector } from './types.js'

/** A message as a model reads it, to be compared with the vectors that the skills have of the same model. */
export interface Reading {
  space: string
  numbers: Float32Array
  vectorsOf(searched: Searched): Vectors | undefined
  lean: Lean
  /** Cosine of texts that have nothing in common. */
  unrelated: number
  /** Without it, how near a skill is says nothing of how probable it is. */
  calibration?: Calibration
}

/** What meaning weighs beside words: `least` where they explain `full` of a message or more, up to `most` where they explain nothing. */
export interface Lean {
  least: number
  most: number
  full: number
}

/** Of the bundled model, and of a transformer. Picked on dev: see docs/measured.md. */
const OWN: Lean = { least: 0.15, most: 0.7, full: 0.25 }
const FURTHER: Lean = { least: 0.3, most: 0.65, full: 0.25 }
/** Where words explain less than this share of a message, relevances are made no less of: they would all be alike. */
const FLOOR = 0.15

/** By the model whose vectors are in the segments. `undefined` where it knows nothing of the message. */
export function readByOwn(model: SkillModel, message: string): Reading {
  const { space } = model
  return {
    space,
    numbers: model.vectorOf(message),
    vectorsOf: ({ segment: { vectors } }) => (vectors?.space === space ? vectors : undefined),
    lean: OWN,
    unrelated: 0,
    calibration: CALIBRATION.meaning,
  }
}

/** By a further model, once it has read every skill that is searched: ranks of two models cannot be compared. */
export function readByFurther(vector: QueryVector, searched: readonly Searched[]): Reading | undefined {
  const { space, numbers, unrelated = 0, calibration } = vector
  const has = ({ further, segment, dead }: Searched): boolean => further?.space === space || dead.size >= segment.length
  if (!searched.every(has)) return undefined
  return {
    space,
    numbers,
    vectorsOf: ({ further }) => further,
    lean: FURTHER,
    unrelated,
    ...(calibration ? { calibration } : {}),
  }
}

/** The candidates, and beside them the live skills that are nearest in meaning, with what words say of those. */
export function withNearest(
  candidates: readonly Candidate[],
  { numbers, vectorsOf }: Reading,
  weighted: readonly Weighted[],
  searched: readonly Searched[],
  limit: number,
  only?: (at: number, skill: number) => boolean,
): Candidate[] {
  const known = new Set(candidates.map(({ at, skill }) => `${at} ${skill}`))
  const segments = searched.map((one, at) => ({
    vectors: vectorsOf(one),
    alive:
      one.dead.size > 0 || only ? (skill: number) => !one.dead.has(skill) && (!only || only(at, skill)) : undefined,
  }))
  const added = nearestByVector(numbers, segments, limit)
    .filter(({ at, skill }) => !known.has(`${at} ${skill}`))
    .map(({ at, skill }): Candidate => ({ at, skill, lexical: 0, bonus: 0, worth: 0, pairs: [] }))
  for (const [index, weights] of termWeights(weighted, added, searched).entries()) {
    const { idf, weight } = weighted[index] as Weighted
    for (const [at, candidate] of added.entries()) candidate.lexical += idf * weight * (weights[at] as number)
  }
  return [...candidates, ...added]
}

/** How near each candidate is in meaning; 0 where its segment has no vectors of this model. */
export function cosinesOf(
  candidates: readonly Pick<Candidate, 'at' | 'skill'>[],
  { numbers, vectorsOf }: Reading,
  searched: readonly Searched[],
): number[] {
  return candidates.map(({ at, skill }) => {
    const vectors = vectorsOf(searched[at] as Searched)
    return vectors ? cosineOf(numbers, vectors, skill) : 0
  })
}

/**
 * Words and meaning as one figure, on the scale of the relevance: each as a share of the best there is, so that a library
 * where words say much and one where they say little are mixed alike. The less the words of the best skill explain of the
 * message, the more meaning weighs.
 * @param most The relevance that a skill would have with every word of the message.
 */
export function mixed(
  relevances: readonly number[],
  cosines: readonly number[],
  most: number,
  { lean, unrelated }: Pick<Reading, 'lean' | 'unrelated'>,
): number[] {
  const nearest = Math.max(...cosines) - unrelated
  if (!(nearest > 0)) return [...relevances]
  const best = Math.max(...relevances, 0)
  const unexplained = most > 0 ? Math.max(0, 1 - best / most / lean.full) : 1
  const share = lean.least + (lean.most - lean.least) * unexplained
  const scale = Math.max(best, FLOOR * most)
  return relevances.map(
    (relevance, index) =>
      scale *
      ((best > 0 ? (1 - share) * (relevance / best) : 0) +
        share * (((cosines[index] as number) - unrelated) / nearest)),
  )
}
