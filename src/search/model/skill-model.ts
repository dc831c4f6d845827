import type { AbortOptions } from '../../core/abort.js'
import type { OnProgress } from '../../core/progress.js'

/** Whether a text is a message or a document. Some models embed the two differently. */
export type EmbedKind = 'query' | 'document'

export interface EmbedOptions extends AbortOptions {
  /** @default 'document' */
  kind?: EmbedKind | undefined
  /** Called with phase `embed`; `done` and `total` count texts. */
  onProgress?: OnProgress | undefined
}

/** Coefficients of the two logistic functions that turn the evidence of a ranking into scores: see `scoreRanked`. */
export interface Calibration {
  /** The probability that the library serves the message. */
  served: Readonly<Record<ServedCoefficient, number>>
  /**
   * The same for a best skill with messages, with how like the user's message the nearest of them is: `own`.
   * @default as `served`
   */
  informed?: Readonly<Record<ServedCoefficient | 'own', number>> | undefined
  /** The probability that the best skill is the right one, if the library serves the message. */
  first: Readonly<
    Record<
      'intercept' | 'margin' | 'rivals' | 'coverage' | 'similarity' | 'foreign' | 'unspaced',
      number
    >
  >
  /**
   * The odds of the best skill by its score and by its leads, in English, in other languages with spaces and in scripts without them; and, as
   * `served`, how much the shared words count for the odds that the library serves an English message.
   * @default the score
   */
  leads?:
    | {
        readonly served: number
        readonly english: Readonly<
          Record<'intercept' | 'score' | 'said' | 'margin' | 'third', number>
        >
        readonly foreign: Readonly<Record<'intercept' | 'score' | 'margin' | 'third', number>>
        readonly unspaced: Readonly<Record<'intercept' | 'score' | 'rivals' | 'byWords', number>>
      }
    | undefined
}

/** The figures of evidence for whether a library serves a message, and the intercept. */
export type ServedCoefficient =
  | 'intercept'
  | 'relevance'
  | 'coverage'
  | 'named'
  | 'similarity'
  | 'words'
  | 'messages'
  | 'foreign'
  | 'unspaced'

/** An asynchronous model of meaning, such as a transformer: turns texts into vectors of unit length. */
export interface Embedder {
  /** Identifies the weights, their quantization and how texts are read. Only vectors of the same id are compared. */
  readonly id: string
  /** A multiple of 8. */
  readonly dimensions: number
  /** BCP 47 languages of the model. Messages in another script are matched without it, and those in Spanish, German, French or Portuguese if it lists none of the four. */
  readonly languages: 'all' | readonly string[]
  /**
   * Cosine of unrelated texts.
   * @default 0
   */
  readonly unrelated?: number
  /** Turns similarity into a probability. Without it, the embedder ranks skills, and scores come from words and the bundled model. */
  readonly calibration?: Calibration
  /**
   * Embeds texts.
   * @returns The vectors one after the other: `texts.length * dimensions` numbers. A text without meaning for the model gives zeros.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array>
  /** Releases the weights, and the worker if there is one. Later calls fail with `closed`. */
  close?(): Promise<void>
}

export interface LoadOptions extends AbortOptions {
  /** Called with phase `load`; `done` and `total` count bytes, `item` is the current file. */
  onProgress?: OnProgress | undefined
}

/**
 * Loads an embedder. Returned by `transformers(...)` and `threadEmbedder(...)`. After a failure it can be called again.
 * @throws SkillshelfError `model-failed` if the model cannot be loaded, `thread-failed` if its worker cannot, `aborted`
 */
export type EmbedderLoader = (options?: LoadOptions) => Promise<Embedder>

/** Stores vectors by key. It may lose entries at any time. */
export interface VectorCache {
  /** Returns the entries in the order of the keys; `undefined` for a missing one. */
  get(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]>
  put(entries: readonly (readonly [key: string, bytes: Uint8Array])[]): Promise<void>
}

/** The texts of a skill that a model reads. */
export interface EmbeddedSkill {
  name: string
  description: string
  /** Messages of users who need the skill. */
  messages?: readonly string[]
  /** Messages that the skill is not for. They are no part of its vector. */
  notMessages?: readonly string[]
  body: string
}

/** A synchronous model of meaning, such as `bundled()`: reads skills when they are packed and messages when they are matched. */
export interface SkillModel {
  /** Identifies the weights. Only vectors of the same space are compared. */
  readonly space: string
  /** A multiple of 8, at most 256. */
  readonly dimensions: number
  /**
   * Share of the terms of a text that the model knows, 0 to 1. Similarity weighs less in the ranking if the model knows little of a message.
   * @default 1 for every text
   */
  coverage?(text: string): number
  /**
   * Loads the parts of the model that a message or skills need. Await it before `vectorOf` and `skillVector`. If it fails, texts that need
   * the missing parts have no vector.
   */
  prepare?(texts: string | readonly EmbeddedSkill[]): Promise<void>
  /**
   * The vector of a message: unit length, or zeros if the model knows none of its words, or lacks a part that they need. Writes to `into` if
   * given.
   */
  vectorOf(text: string, into?: Float32Array): Float32Array
  /** The vector of a skill: unit length, or zeros as for a message. */
  skillVector(skill: EmbeddedSkill, into: Float32Array): Float32Array
}
