import type { OnProgress } from '../core/progress.js'

/** Whether a text is a message or a document. Some models embed the two differently. */
export type EmbedKind = 'query' | 'document'

export interface EmbedOptions {
  /** @default 'document' */
  kind?: EmbedKind | undefined
  signal?: AbortSignal | undefined
  /** Called with phase `embed`; `done` and `total` count texts. */
  onProgress?: OnProgress | undefined
}

/** Constants of the logistic that makes a probability of the figures of the best skill: see `servedProbability`. */
export interface Calibration {
  intercept: number
  relevance: number
  coverage: number
  named: number
  similarity: number
  /** Of the softmax that shares confidence out among candidates. */
  temperature: number
}

/** Turns texts into vectors of unit length, whose dot product says how near two texts are in meaning. */
export interface Embedder {
  /** Names the weights and what was loaded of them: vectors of different ids cannot be compared. */
  readonly id: string
  readonly dimensions: number
  /** BCP 47 languages that the model covers. */
  readonly languages: 'all' | readonly string[]
  /** Cosine of texts that have nothing in common. Default 0. */
  readonly unrelated?: number
  /** Makes a probability of how near a skill is. Without it the score comes from words and the bundled model. */
  readonly calibration?: Calibration
  /** The vectors of all texts, one after the other: `texts.length * dimensions` numbers. A text that says nothing to the model has zeros. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array>
  /** Releases the weights, and the thread where there is one. Later calls fail with `closed`. */
  close?(): Promise<void>
}

export interface LoadOptions {
  signal?: AbortSignal | undefined
  /** Called with phase `load`; `done` and `total` count bytes, `item` is the current file. */
  onProgress?: OnProgress | undefined
}

/**
 * An embedder that is still to be loaded: what `transformers(...)` and `threadEmbedder(...)` give. It may be called again after a failure.
 * @throws SkillshelfError `model-failed` where the model cannot be loaded, `thread-failed` where its thread cannot, `aborted`
 */
export type EmbedderLoader = (options?: LoadOptions) => Promise<Embedder>

/** Keeps vectors by key: bytes in, bytes out. It may lose what it was given, at any time. */
export interface VectorCache {
  /** In the order of the keys; `undefined` for what it does not have. */
  get(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]>
  put(entries: readonly (readonly [key: string, bytes: Uint8Array])[]): Promise<void>
}

/** A synchronous model of meaning, such as `bundled()`: reads skills when they are packed and messages when they are matched. */
export interface SkillModel {
  /** Identifies the weights. Only vectors of the same space are compared. */
  readonly space: string
  /** A multiple of 8, at most 256. */
  readonly dimensions: number
  /** Loads the parts of the model that `text` needs. Await it for each text before `vectorOf` and `skillVector`. */
  prepare?(text: string): Promise<void>
  /** The vector of a message: unit length, or zeros if the model knows none of its words. Writes to `into` if given. */
  vectorOf(text: string, into?: Float32Array): Float32Array
  /** The vector of a skill: unit length, or zeros if the model knows none of its words. */
  skillVector(skill: { name: string; description: string; body: string }, into: Float32Array): Float32Array
}
