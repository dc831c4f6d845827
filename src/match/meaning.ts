import { termWeights } from './evidence.js'
import { cosineOf, nearestByVector } from './nearest.js'
import type { Candidate, Searched, Weighted } from './rank.js'

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

/** What meaning weighs beside words. Picked on dev: see docs/measured.md. */
const SHARE = 0.15
/** The share of a message that words explain at least, in the mix. Picked on dev. */
const FLOOR = 0.15

/** The candidates, and beside them the live skills that are nearest in meaning, with what words say of those. */
export function withNearest(
  candidates: readonly Candidate[],
  vector: Float32Array,
  model: QueryModel,
  weighted: readonly Weighted[],
  searched: readonly Searched[],
  limit: number,
  only?: (at: number, skill: number) => boolean,
): Candidate[] {
  const known = new Set(candidates.map(({ at, skill }) => `${at} ${skill}`))
  const segments = searched.map(({ segment: { vectors }, dead }, at) => ({
    vectors: vectors?.space === model.space ? vectors : undefined,
    alive: dead.size > 0 || only ? (skill: number) => !dead.has(skill) && (!only || only(at, skill)) : undefined,
  }))
  const added = nearestByVector(vector, segments, limit)
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
  candidates: readonly Candidate[],
  vector: Float32Array,
  model: QueryModel,
  searched: readonly Searched[],
): number[] {
  return candidates.map(({ at, skill }) => {
    const vectors = searched[at]?.segment.vectors
    return vectors?.space === model.space ? cosineOf(vector, vectors, skill) : 0
  })
}

/**
 * Words and meaning as one figure, on the scale of the relevance: each as a share of the best there is, so that a library
 * where words say much and one where they say little are mixed alike. Where words explain next to nothing of the message
 * they are not made more of than they are.
 * @param most The relevance that a skill would have with every word of the message.
 */
export function mixed(relevances: readonly number[], cosines: readonly number[], most: number): number[] {
  const nearest = Math.max(...cosines, 0)
  if (nearest === 0) return [...relevances]
  const scale = Math.max(...relevances, FLOOR * most) / nearest
  return relevances.map((relevance, index) => (1 - SHARE) * relevance + SHARE * scale * (cosines[index] as number))
}
