import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transformers } from '../../src/exports/transformers.js'
import type { Embedder } from '../../src/search/model/types.js'

const MODELS = fileURLToPath(new URL('../../../shared/models/', import.meta.url))

/** True if the files of all-MiniLM-L6-v2 are present. */
export const hasTransformer = existsSync(`${MODELS}Xenova/all-MiniLM-L6-v2/onnx/model_quantized.onnx`)

let model: Promise<Embedder> | undefined

/** all-MiniLM-L6-v2 by transformers.js, with a cache: libraries share skills and matchers share messages. */
export function openTransformer(): Promise<Embedder> {
  model ??= transformers({ models: MODELS })().then(remembering)
  return model
}

/** Keeps the vectors of texts. */
export function remembering(embedder: Embedder): Embedder {
  const known = new Map<string, Float32Array>()
  return {
    ...embedder,
    async embed(texts, options) {
      const { dimensions } = embedder
      const unread = [...new Set(texts)].filter(text => !known.has(text))
      const made = await embedder.embed(unread, options)
      for (const [at, text] of unread.entries()) known.set(text, made.slice(at * dimensions, (at + 1) * dimensions))
      const all = new Float32Array(texts.length * dimensions)
      for (const [at, text] of texts.entries()) all.set(known.get(text) as Float32Array, at * dimensions)
      return all
    },
  }
}
