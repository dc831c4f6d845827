/** What a text is to the model: some models read messages and documents differently. */
export type EmbedKind = 'query' | 'document'

export interface EmbedOptions {
  /** Default: 'document'. */
  kind?: EmbedKind
  signal?: AbortSignal | undefined
  onProgress?: ((done: number, total: number) => void) | undefined
}

/** Turns texts into vectors of unit length, whose dot product says how near two texts are in meaning. */
export interface Embedder {
  /** Names the weights and what was loaded of them: vectors of different ids cannot be compared. */
  readonly id: string
  readonly dimensions: number
  /** BCP 47 languages that the model covers. */
  readonly languages: 'all' | readonly string[]
  /** The vectors of all texts, one after the other: `texts.length * dimensions` numbers. A text that says nothing to the model has zeros. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array>
}
