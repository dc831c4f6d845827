import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformers } from '../../src/exports/transformers.js'
import type { Embedder } from '../../src/search/model/skill-model.js'
import { resolveModel } from '../../src/search/model/transformers/presets.js'

const MODELS = fileURLToPath(new URL('../../../shared/models/', import.meta.url))

/** True if the files of all-MiniLM-L6-v2 are present. */
export const hasTransformer = existsSync(
  `${MODELS}Xenova/all-MiniLM-L6-v2/onnx/model_quantized.onnx`,
)

let minilm: Promise<Embedder> | undefined

/** all-MiniLM-L6-v2 by transformers.js, with a cache: libraries share skills and matchers share messages. */
export function openTransformer(): Promise<Embedder> {
  minilm ??= transformers({ model: 'all-MiniLM-L6-v2', models: MODELS })().then(remembering)
  return minilm
}

/** The folder of skillshelf-encoder. Environment: ENCODER names another one. */
const ENCODER = resolve(
  process.env['ENCODER'] ?? fileURLToPath(new URL('../../model/encoder', import.meta.url)),
)

/** True if its files are present. */
export const hasEncoder = existsSync(join(ENCODER, 'onnx/model_q4.onnx'))

let encoder: Promise<Embedder> | undefined

/** skillshelf-encoder, with a cache. */
export function openEncoder(): Promise<Embedder> {
  const { traits, dtype } = resolveModel({})
  encoder ??= transformers({
    ...traits,
    dtype,
    model: basename(ENCODER),
    models: `${dirname(ENCODER)}/`,
  })().then(remembering)
  return encoder
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
      for (const [at, text] of unread.entries()) {
        known.set(text, made.slice(at * dimensions, (at + 1) * dimensions))
      }
      const all = new Float32Array(texts.length * dimensions)
      for (const [at, text] of texts.entries()) {
        all.set(known.get(text) as Float32Array, at * dimensions)
      }
      return all
    },
  }
}
