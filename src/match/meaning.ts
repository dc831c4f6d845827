import type { Calibration } from '../embed/types.js'
import type { Vectors } from '../segment/vectors.js'
import { termWeights } from './evidence.js'
import { cosineOf, nearestByVector } from './nearest.js'
import type { Candidate, Searched, Weighted } from './rank.js'
import { CALIBRATION } from './score.js'
import type { QueryVector } from './types.js'

/** Reads a message as the vectors of the skills were made. */
export interface QueryModel {
  /** Names the weights: only vectors of the same are compared. */
  readonly space: string
  readonly dimensions: number
  /** Loads what this text needs and is not there yet. */
  prepare?(text: string): Promise<void>
  /** Of unit length; zeros where it knows nothing of the text. */
  vectorOf(text: string, into?: Float32Array): Float32Array
}

/** A message as a model reads it, to be compared with the vectors that the skills have of the same model. */
export interface Reading {
  space: string
  numbers: Float32Array
  vectorsOf(searched: Searched): Vectors | undefined
  /** What meaning weighs beside words. */
  share: number
  /** Cosine of texts that have nothing in common. */
  unrelated: number
  /** Without it, how near a skill is says nothing of how probable it is. */
  calibration?: Calibration
}

/** What meaning weighs: the bundled model's, and a transformer's. Picked on dev: see docs/measured.md. */
const SHARE = 0.15
const FURTHER_SHARE = 0.3
/** The share of a message that words explain at least, in the mix. Picked on dev. */
const FLOOR = 0.15

/** By the model whose vectors are in the segments. `undefined` where it knows nothing of the message. */
export function readByOwn(model: QueryModel, message: string): Reading {
  const { space } = model
  return {
    space,
    numbers: model.vectorOf(message),
    vectorsOf: ({ segment: { vectors } }) => (vectors?.space === space ? vectors : undefined),
    share: SHARE,
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
    share: FURTHER_SHARE,
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
 * where words say much and one where they say little are mixed alike. Where words explain next to nothing of the message
 * they are not made more of than they are.
 * @param most The relevance that a skill would have with every word of the message.
 */
export function mixed(
  relevances: readonly number[],
  cosines: readonly number[],
  most: number,
  { share, unrelated }: Pick<Reading, 'share' | 'unrelated'>,
): number[] {
  const nearest = Math.max(...cosines) - unrelated
  if (!(nearest > 0)) return [...relevances]
  const scale = Math.max(...relevances, FLOOR * most) / nearest
  return relevances.map(
    (relevance, index) => (1 - share) * relevance + share * scale * ((cosines[index] as number) - unrelated),
  )
}
