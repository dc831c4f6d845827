import type { Vectors } from '../index/vectors.js'
import { prepareInTime } from '../model/prepare.js'
import type { Calibration, SkillModel } from '../model/skill-model.js'
import { findWrongNumber } from '../model/unit-vectors.js'
import {
  BUNDLED_WEIGHT,
  CALIBRATED_SHARE,
  MIN_MODEL_COVERAGE,
  OTHER_SHARE,
  scaleWeight,
  UPGRADE_WEIGHT,
  type VectorWeight,
} from './mix-relevance.js'
import { CALIBRATION } from './score.js'
import type { SearchedSegment, Segments } from './searched-segment.js'
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

/** Words of a message from which its sentences are compared. */
const LONG_MESSAGE = 40
/** Sentences of fewer words belong to the one before. */
const MIN_SENTENCE = 4

/** The models that may embed a message. */
export interface EmbedQueryOptions {
  /** The bundled model. */
  embedder: SkillModel | undefined
  /** The message as the upgrade embedder embeds it. */
  vector?: QueryVector | undefined
  /** Milliseconds to wait for the part of the bundled model that the message needs. Default: as long as it takes. */
  modelTimeout?: number | undefined
}

/**
 * Embeds a message. The upgrade embedder ranks if it has embedded every skill, and the bundled model if segments have its vectors.
 * A part of the bundled model that cannot be loaded in time is skipped; the next message retries.
 * @param message Without what it rules out.
 */
export async function embedQuery(
  message: string,
  segments: Segments,
  { embedder, vector, modelTimeout }: EmbedQueryOptions,
): Promise<QueryEmbeddings> {
  const upgrade = vector && embedWithUpgrade(vector, segments)
  const calibrated = upgrade?.calibration ? upgrade : undefined
  const isUsed =
    embedder && segments.some(({ segment }) => segment.vectors?.space === embedder.space)
  if (!isUsed) return { embedding: upgrade, calibrated }
  if (!(await prepareInTime(embedder, message, modelTimeout))) {
    return { embedding: upgrade, calibrated, isPartMissing: true }
  }
  // A language that the model does not know is matched as well as by words alone.
  const coverage = embedder.coverage?.(message) ?? 1
  const embedded =
    coverage >= MIN_MODEL_COVERAGE ? embedWithModel(embedder, message, coverage) : undefined
  // S14: cosines of NaN would be scores of NaN.
  const isUsable =
    embedded &&
    [embedded.vector, ...(embedded.sentences ?? [])].every(one => findWrongNumber(one) < 0)
  const bundled = isUsable ? embedded : undefined
  return {
    embedding: upgrade ?? bundled,
    second: upgrade && bundled,
    calibrated: calibrated ?? bundled,
  }
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
    ...(sentences.length > 1
      ? { sentences: sentences.map(sentence => model.vectorOf(sentence)) }
      : {}),
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
    if (sentences.length > 0 && words(sentence) < MIN_SENTENCE) {
      sentences.push(`${sentences.pop()} ${sentence}`)
    } else if (sentence.trim() !== '') sentences.push(sentence)
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
