import type { Vectors } from '../index/vectors.js'
import type { Calibration, SkillModel } from '../model/types.js'
import { type Candidate, createCandidate } from './candidates.js'
import { cosineOf, type NearestSkill, nearestByVector, quantizeQuery } from './nearest.js'
import { CALIBRATION } from './score.js'
import type { SearchedSegment, SkillPredicate, SkillRef } from './searched-segment.js'
import type { QueryVector } from './types.js'

/** A message as one model embeds it. */
export interface QueryEmbedding {
  space: string
  vector: Float32Array
  /** The vectors of the same model in a segment. */
  vectorsIn(segment: SearchedSegment): Vectors | undefined
  weight: VectorWeight
  /** Cosine of unrelated texts. */
  unrelated: number
  /** Embeds another text. Absent for asynchronous embedders. */
  embedText?: (text: string) => Float32Array
  /** Without it, similarity does not contribute to the probability. */
  calibration: Calibration | undefined
}

/** The embedding that ranks, and the one that calibrates the score: not every model is calibrated. */
export interface QueryEmbeddings {
  embedding: QueryEmbedding | undefined
  calibrated: QueryEmbedding | undefined
}

/** Vector weight, from `max` down to `min` as lexical coverage grows from 0 to `fullCoverage`. */
export interface VectorWeight {
  min: number
  max: number
  fullCoverage: number
}

/** Chosen on the dev set: see docs/measured.md. */
const BUNDLED_WEIGHT: VectorWeight = { min: 0.2, max: 0.8, fullCoverage: 0.25 }
const UPGRADE_WEIGHT: VectorWeight = { min: 0.3, max: 0.65, fullCoverage: 0.25 }
/** Share of a message's terms that a model must know to have any weight, and to have its full weight. */
const MIN_MODEL_COVERAGE = 0.2
const FULL_MODEL_COVERAGE = 0.5
/** Similarity of the nearest skill from which similarity has its full weight. */
const NEAR = 0.2
/** Lowest coverage that relevances are scaled to. Below it, all skills would have nearly the same relevance. */
const MIN_COVERAGE = 0.15

/**
 * Embeds a message. The upgrade embedder ranks if it has embedded every skill, otherwise the bundled model, otherwise neither.
 * A part of the bundled model that cannot be loaded is skipped; the next message retries.
 */
export async function embedQuery(
  message: string,
  segments: readonly SearchedSegment[],
  embedder: SkillModel | undefined,
  vector: QueryVector | undefined,
): Promise<QueryEmbeddings> {
  const upgrade = vector && embedWithUpgrade(vector, segments)
  if (upgrade?.calibration) return { embedding: upgrade, calibrated: upgrade }
  const bundled = embedder && (await tryEmbed(embedder, message, segments))
  return { embedding: upgrade ?? bundled, calibrated: bundled }
}

async function tryEmbed(
  embedder: SkillModel,
  message: string,
  segments: readonly SearchedSegment[],
): Promise<QueryEmbedding | undefined> {
  if (!segments.some(({ segment }) => segment.vectors?.space === embedder.space)) return undefined
  try {
    await embedder.prepare?.(message)
  } catch {
    return undefined
  }
  // A language that the model does not know is matched as well as by words alone.
  const coverage = embedder.coverage?.(message) ?? 1
  return coverage < MIN_MODEL_COVERAGE ? undefined : embedWithModel(embedder, message, coverage)
}

/** The vector weight for a message of which the model knows a share. */
function scaleWeight({ min, max, fullCoverage }: VectorWeight, coverage: number): VectorWeight {
  const share = Math.min(1, (coverage - MIN_MODEL_COVERAGE) / (FULL_MODEL_COVERAGE - MIN_MODEL_COVERAGE))
  return { min: min * share, max: max * share, fullCoverage }
}

/** Embeds a message with the model of the vectors in the segments. Call its `prepare` first. */
export function embedWithModel(
  model: SkillModel,
  message: string,
  coverage: number = model.coverage?.(message) ?? 1,
): QueryEmbedding {
  const { space } = model
  return {
    space,
    vector: model.vectorOf(message),
    embedText: text => model.vectorOf(text),
    vectorsIn: ({ segment: { vectors } }) => (vectors?.space === space ? vectors : undefined),
    weight: scaleWeight(BUNDLED_WEIGHT, coverage),
    unrelated: 0,
    calibration: CALIBRATION.meaning,
  }
}

/** The upgrade embedder's vector, if it has embedded every searched skill: similarities of two models are not comparable. */
export function embedWithUpgrade(
  { space, numbers, unrelated = 0, calibration }: QueryVector,
  segments: readonly SearchedSegment[],
): QueryEmbedding | undefined {
  const isEmbedded = ({ upgradeVectors, segment, dead }: SearchedSegment): boolean =>
    upgradeVectors?.space === space || dead.size >= segment.length
  if (!segments.every(isEmbedded)) return undefined
  return {
    space,
    vector: numbers,
    vectorsIn: ({ upgradeVectors }) => upgradeVectors,
    weight: UPGRADE_WEIGHT,
    unrelated,
    calibration,
  }
}

/** Finds the live skills nearest to a message, best first. */
export function findNearest(
  { vector, vectorsIn }: QueryEmbedding,
  segments: readonly SearchedSegment[],
  limit: number,
  only?: SkillPredicate,
): NearestSkill[] {
  const searched = segments.map((segment, segmentIndex) => ({
    vectors: vectorsIn(segment),
    isLive:
      segment.dead.size > 0 || only
        ? (skill: number) => !segment.dead.has(skill) && (!only || only(segmentIndex, skill))
        : undefined,
  }))
  return nearestByVector(vector, searched, limit)
}

/** Adds the nearest skills to the candidates, with the lexical scores that `findByWords` left. */
export function addNearest(
  candidates: Candidate[],
  embedding: QueryEmbedding,
  segments: readonly SearchedSegment[],
  limit: number,
  only?: SkillPredicate,
): void {
  const known = new Set(candidates.map(({ segmentIndex, skill }) => `${segmentIndex} ${skill}`))
  for (const { segmentIndex, skill } of findNearest(embedding, segments, limit, only))
    if (!known.has(`${segmentIndex} ${skill}`))
      candidates.push(createCandidate(segmentIndex, skill, segments[segmentIndex]?.scores[skill] ?? 0))
}

/** The cosine of the message and each skill; 0 if its segment has no vectors of this model. */
export function similaritiesTo(
  skills: readonly SkillRef[],
  { vector, vectorsIn }: QueryEmbedding,
  segments: readonly SearchedSegment[],
): number[] {
  const query = quantizeQuery(vector)
  return skills.map(({ segmentIndex, skill }) => {
    const vectors = vectorsIn(segments[segmentIndex] as SearchedSegment)
    return vectors ? cosineOf(query, vectors, skill) : 0
  })
}

/**
 * Mixes lexical relevance and similarity, each as a share of the best, on the scale of the relevance. The less of the message the words of
 * the best skill cover, the more similarity weighs.
 * @param max The relevance of a skill with every word of the message: see `maxRelevance`.
 */
export function mixRelevance(
  relevances: readonly number[],
  similarities: readonly number[],
  max: number,
  { weight, unrelated }: Pick<QueryEmbedding, 'weight' | 'unrelated'>,
): number[] {
  const nearest = Math.max(...similarities) - unrelated
  if (!(nearest > 0)) return [...relevances]
  const best = Math.max(...relevances, 0)
  const uncovered = max > 0 ? Math.max(0, 1 - best / max / weight.fullCoverage) : 1
  // If even the nearest skill is not near, its similarity says little.
  const share = (weight.min + (weight.max - weight.min) * uncovered) * Math.min(1, nearest / NEAR)
  const scale = Math.max(best, MIN_COVERAGE * max)
  return relevances.map(
    (relevance, index) =>
      scale *
      ((best > 0 ? (1 - share) * (relevance / best) : 0) +
        share * Math.max(0, ((similarities[index] as number) - unrelated) / nearest)),
  )
}
