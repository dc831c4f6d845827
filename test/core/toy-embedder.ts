import { sequenceOf } from '../../src/core/text/analyze.js'
import type { Embedder, EmbedOptions } from '../../src/search/model/skill-model.js'

/** A toy embedder: words on one line mean the same. */
const MEANINGS = ['slides deck keynote', 'flight airline ticket', 'invoice bill receipt']
export const TOY_DIMENSIONS = 8

export interface Toy extends Embedder {
  /** Embedded texts, by kind. */
  readonly read: { query: string[]; document: string[] }
  closed: boolean
}

export function toy(more: Partial<Embedder> = {}): Toy {
  const read = { query: [] as string[], document: [] as string[] }
  return {
    id: 'toy/1',
    dimensions: TOY_DIMENSIONS,
    languages: ['en'],
    read,
    closed: false,
    async embed(texts: readonly string[], { kind = 'document' }: EmbedOptions = {}) {
      read[kind].push(...texts)
      const vectors = new Float32Array(texts.length * TOY_DIMENSIONS)
      for (const [index, text] of texts.entries()) {
        for (const word of sequenceOf(text)) {
          const axis = MEANINGS.findIndex(words => words.split(' ').includes(word))
          if (axis >= 0) vectors[index * TOY_DIMENSIONS + axis] = 1
        }
      }
      return vectors
    },
    async close() {
      this.closed = true
    },
    ...more,
  }
}
