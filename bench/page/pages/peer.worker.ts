import { env, type FeatureExtractionPipeline, pipeline } from '@huggingface/transformers'

export type PeerQuestion =
  | { load: { mjs: string; wasm: string } }
  | { skills: string[] }
  | { message: string }

export interface PeerAnswer {
  nearest?: number[]
}

/** Texts per batch, sorted by length: as in skillshelf, and close to the optimum for WASM. */
const BATCH = 8
const LIMIT = 5

let extractor: FeatureExtractionPipeline | undefined
let vectors: Float32Array[] = []

async function embed(texts: string[]): Promise<Float32Array[]> {
  if (!extractor) throw new Error('The model is not loaded')
  const { data, dims } = await extractor(texts, { pooling: 'mean', normalize: true })
  const length = dims.at(-1) as number
  return texts.map((_, at) => (data as Float32Array).slice(at * length, (at + 1) * length))
}

async function load(files: { mjs: string; wasm: string }): Promise<void> {
  env.allowLocalModels = true
  env.allowRemoteModels = false
  env.localModelPath = '/models/'
  const runtime = env.backends.onnx.wasm
  if (runtime) Object.assign(runtime, { numThreads: 1, wasmPaths: files })
  extractor = await pipeline('feature-extraction', 'Xenova/all-MiniLM-L6-v2', {
    dtype: 'q8',
    device: 'wasm',
  })
}

async function embedAll(texts: string[]): Promise<void> {
  const order = [...texts.keys()].sort(
    (a, b) => (texts[a] as string).length - (texts[b] as string).length,
  )
  vectors = []
  for (let from = 0; from < order.length; from += BATCH) {
    const some = order.slice(from, from + BATCH)
    const made = await embed(some.map(at => texts[at] as string))
    for (const [index, at] of some.entries()) vectors[at] = made[index] as Float32Array
  }
}

async function nearestTo(message: string): Promise<number[]> {
  const [query] = (await embed([message])) as [Float32Array]
  const cosines = vectors.map(vector =>
    vector.reduce((sum, value, at) => sum + value * (query[at] as number), 0),
  )
  return [...cosines.keys()]
    .sort((a, b) => (cosines[b] as number) - (cosines[a] as number))
    .slice(0, LIMIT)
}

async function answer(question: PeerQuestion): Promise<PeerAnswer> {
  if ('load' in question) await load(question.load)
  else if ('skills' in question) await embedAll(question.skills)
  else return { nearest: await nearestTo(question.message) }
  return {}
}

addEventListener('message', async ({ data }: MessageEvent<PeerQuestion>) => {
  try {
    postMessage(await answer(data))
  } catch (error) {
    // Thrown from a timer, it fires the worker's `error` event.
    setTimeout(() => {
      throw error
    })
  }
})
