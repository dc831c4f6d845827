/** Vectors of single words by all-MiniLM-L6-v2, the initial directions of their rows. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { principalDirections } from './principal.js'

const MODEL = 'Xenova/all-MiniLM-L6-v2'
const folder = fileURLToPath(new URL('../../../shared/models/', import.meta.url))
const DIMENSIONS = 384
/** Words per batch. */
const BATCH = 128

/** One direction a word, of unit length. */
export async function readWordDirections(words: readonly string[], dimensions: number): Promise<Float32Array> {
  if (!existsSync(`${folder}${MODEL}`))
    throw new Error(`There is no ${MODEL} in ${folder}: words cannot start from it. --start random goes on without.`)
  const { env, pipeline } = await import('@huggingface/transformers')
  env.localModelPath = folder
  env.allowRemoteModels = false
  const embed = await pipeline('feature-extraction', MODEL, {
    dtype: 'q8',
    // One thread, so that sums have the same order on every machine.
    session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
  })
  const vectors = new Float32Array(words.length * DIMENSIONS)
  // Words of similar length share a batch, which reduces padding.
  const order = Array.from(words.keys()).sort((a, b) => lengthOf(words, a) - lengthOf(words, b) || a - b)
  for (let at = 0; at < order.length; at += BATCH) {
    const some = order.slice(at, at + BATCH)
    const { data } = await embed(
      some.map(word => words[word] as string),
      { pooling: 'mean', normalize: true },
    )
    for (const [index, word] of some.entries())
      vectors.set(data.subarray(index * DIMENSIONS, (index + 1) * DIMENSIONS) as Float32Array, word * DIMENSIONS)
  }
  return principalDirections(vectors, DIMENSIONS, dimensions)
}

function lengthOf(words: readonly string[], word: number): number {
  return (words[word] as string).length
}
