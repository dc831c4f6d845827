import { classOf, isSpaced, JOINED } from '../../core/text/character-classes.js'
import { removeRuledOut } from '../../core/text/ruled-out.js'
import type { Vectors } from '../index/vectors.js'
import { prepareInTime } from '../model/prepare.js'
import type { Calibration, SkillModel } from '../model/skill-model.js'
import { type Candidate, createCandidate } from './candidates.js'
import { cosineOf, type NearestSkill, nearestByVector, quantizeQuery } from './nearest.js'
import { maxRelevance, type QueryTerm } from './query.js'
import { CALIBRATION } from './score.js'
import type { SearchedSegment, Segments, SkillPredicate, SkillRef } from './searched-segment.js'
import type { QueryVector } from './skill-match.js'

/** A message as one model embeds it. */
export interface QueryEmbedding {
  space: string
  vector: Float32Array
  /** Vectors of the sentences of a long message. A skill is as similar as it is to the nearest of them. */
  sentences?: readonly Float32Array[]
  /** The vectors of the same model in a segment. */
  vectorsIn(segment: SearchedSegment): Vectors | undefined
  weight: VectorWeight
  /** Cosine of unrelated texts. */
  unrelated: number
  /** Share in the similarity, if a second model ranks. */
  share: number
  /** Embeds another text. Absent for asynchronous embedders. */
  embedText?: (text: string) => Float32Array
  /** Without it, similarity does not contribute to the probability. */
  calibration: Calibration | undefined
}

/** The embeddings that rank, and the one that calibrates the score: not every model is calibrated. */
export interface QueryEmbeddings {
  embedding: QueryEmbedding | undefined
  /** The bundled model, if `embedding` is that of an upgrade: each finds skills that the other does not. */
  second?: QueryEmbedding | undefined
  calibrated: QueryEmbedding | undefined
  /** The bundled model lacks a part that the message needs. */
  isPartMissing?: boolean | undefined
}

/** Vector weight, from `max` down to `min` as lexical coverage grows from 0 to `fullCoverage`. */
export interface VectorWeight {
  min: number
  max: number
  fullCoverage: number
}

/** Chosen on the dev set: see docs/measured.md. */
const BUNDLED_WEIGHT: VectorWeight = { min: 0.2, max: 0.9, fullCoverage: 0.35 }
const UPGRADE_WEIGHT: VectorWeight = { min: 0.3, max: 0.9, fullCoverage: 0.35 }
/** Share in the similarity of an upgrade embedder that is calibrated, and of any other; the rest is that of the bundled model. */
const CALIBRATED_SHARE = 0.75
const OTHER_SHARE = 0.5
/** Share of a message's terms that a model must know to have any weight, and to have its full weight. */
const MIN_MODEL_COVERAGE = 0.2
const FULL_MODEL_COVERAGE = 0.5
/** Words of a message from which its sentences are compared, and terms from which similarity weighs less. */
const LONG_MESSAGE = 40
const MANY_TERMS = 30
/** Sentences of fewer words belong to the one before. */
const MIN_SENTENCE = 4
/** Similarity of the nearest skill from which similarity has its full weight. */
const NEAR = 0.2
/** Lowest coverage that relevances are scaled to. Below it, all skills would have nearly the same relevance. */
const MIN_COVERAGE = 0.15

/**
 * Embeds a message. The upgrade embedder ranks if it has embedded every skill, and the bundled model if segments have its vectors.
 * A part of the bundled model that cannot be loaded in time is skipped; the next message retries.
 */
export async function embedQuery(
  written: string,
  segments: Segments,
  embedder: SkillModel | undefined,
  vector: QueryVector | undefined,
  modelTimeout?: number,
): Promise<QueryEmbeddings> {
  const message = removeRuledOut(written)
  const upgrade = vector && embedWithUpgrade(vector, segments)
  const calibrated = upgrade?.calibration ? upgrade : undefined
  const isUsed = embedder && segments.some(({ segment }) => segment.vectors?.space === embedder.space)
  if (!isUsed) return { embedding: upgrade, calibrated }
  if (!(await prepareInTime(embedder, message, modelTimeout)))
    return { embedding: upgrade, calibrated, isPartMissing: true }
  // A language that the model does not know is matched as well as by words alone.
  const coverage = embedder.coverage?.(message) ?? 1
  const bundled = coverage < MIN_MODEL_COVERAGE ? undefined : embedWithModel(embedder, message, coverage)
  return { embedding: upgrade ?? bundled, second: upgrade && bundled, calibrated: calibrated ?? bundled }
}

/** The vector weight for a message of which the model knows a share. */
function scaleWeight({ min, max, fullCoverage }: VectorWeight, coverage: number): VectorWeight {
  const share = Math.min(1, (coverage - MIN_MODEL_COVERAGE) / (FULL_MODEL_COVERAGE - MIN_MODEL_COVERAGE))
  return { min: min * share, max: max * share, fullCoverage }
}

/** The vector weight for a message: less for a long one; kana and Hangul cover less of a message. */
function weightFor(terms: readonly QueryTerm[], { min, max, fullCoverage }: VectorWeight): VectorWeight {
  const share = Math.min(1, MANY_TERMS / terms.filter(({ term }) => isSpaced(term)).length)
  const isJoined = terms.some(({ term }) => classOf(term.charCodeAt(term.length - 1)) === JOINED)
  return { min: min * share, max: max * share, fullCoverage: isJoined ? fullCoverage / 2 : fullCoverage }
}

/** Embeds a message with the model of the vectors in the segments. Call its `prepare` first. */
export function embedWithModel(
  model: SkillModel,
  message: string,
  coverage: number = model.coverage?.(message) ?? 1,
): QueryEmbedding {
  const { space } = model
  const sentences = sentencesOf(message)
  return {
    space,
    vector: model.vectorOf(message),
    ...(sentences.length > 1 ? { sentences: sentences.map(sentence => model.vectorOf(sentence)) } : {}),
    embedText: text => model.vectorOf(text),
    vectorsIn: ({ segment: { vectors } }) => (vectors?.space === space ? vectors : undefined),
    weight: scaleWeight(BUNDLED_WEIGHT, coverage),
    share: 1,
    unrelated: 0,
    calibration: CALIBRATION.meaning,
  }
}

/** The sentences of a long message; none of a short one. Only one of them may say what is wanted, and the vector of all is a mixture. */
function sentencesOf(message: string): string[] {
  const words = (text: string): number => text.split(/\s+/).filter(Boolean).length
  if (words(message) < LONG_MESSAGE) return []
  const sentences: string[] = []
  for (const sentence of message.split(/(?<=[.!?;。！？；])\s+|\n+/)) {
    if (sentences.length > 0 && words(sentence) < MIN_SENTENCE) sentences.push(`${sentences.pop()} ${sentence}`)
    else if (sentence.trim() !== '') sentences.push(sentence)
  }
  return sentences
}

/** The upgrade embedder's vector, if it has embedded every searched skill: similarities of two models are not comparable. */
export function embedWithUpgrade(
  { space, numbers, unrelated = 0, calibration }: QueryVector,
  segments: Segments,
): QueryEmbedding | undefined {
  const isEmbedded = ({ upgradeVectors, segment, dead }: SearchedSegment): boolean =>
    upgradeVectors?.space === space || dead.size >= segment.length
  if (!segments.every(isEmbedded)) return undefined
  return {
    space,
    vector: numbers,
    vectorsIn: ({ upgradeVectors }) => upgradeVectors,
    weight: UPGRADE_WEIGHT,
    share: calibration ? CALIBRATED_SHARE : OTHER_SHARE,
    unrelated,
    calibration,
  }
}

/** Finds the live skills nearest to a message, best first. */
export function findNearest(
  { vector, vectorsIn }: QueryEmbedding,
  segments: Segments,
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
  segments: Segments,
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
  { vector, sentences = [vector], vectorsIn }: QueryEmbedding,
  segments: Segments,
): number[] {
  const queries = sentences.map(quantizeQuery)
  return skills.map(({ segmentIndex, skill }) => {
    const vectors = vectorsIn(segments[segmentIndex] as SearchedSegment)
    return vectors ? Math.max(...queries.map(query => cosineOf(query, vectors, skill))) : 0
  })
}

/** The similarities of some skills, by one model. */
export interface Similarities extends Pick<QueryEmbedding, 'unrelated' | 'share'> {
  cosines: readonly number[]
}

/**
 * Mixes lexical relevance and the similarities of one model, or of an upgrade and the bundled one, each as a share of the best, on the scale
 * of the relevance. The less of the message the words of the best skill cover, the more similarity weighs.
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
  const trust = nearest.map((near, model) => (shares[model] as number) * Math.max(0, Math.min(1, near / NEAR)))
  const total = trust.reduce((sum, one) => sum + one, 0)
  if (!(total > 0)) return [...relevances]
  const weight = weightFor(terms, vectorWeight)
  const max = maxRelevance(terms)
  const best = Math.max(...relevances, 0)
  const uncovered = max > 0 ? Math.max(0, 1 - best / max / weight.fullCoverage) : 1
  const share = (weight.min + (weight.max - weight.min) * uncovered) * total
  const scale = Math.max(best, MIN_COVERAGE * max)
  const similarity = (index: number): number =>
    models.reduce((sum, { cosines, unrelated }, model) => {
      const near = Math.max(0, ((cosines[index] as number) - unrelated) / (nearest[model] as number))
      return trust[model] === 0 ? sum : sum + ((trust[model] as number) / total) * near
    }, 0)
  return relevances.map(
    (relevance, index) => scale * ((best > 0 ? (1 - share) * (relevance / best) : 0) + share * similarity(index)),
  )
}
