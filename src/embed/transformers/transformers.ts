import type { FeatureExtractionPipeline, ProgressCallback } from '@huggingface/transformers'
import { createQueue } from '../../core/concurrency.js'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import type { OnProgress } from '../../core/progress.js'
import type { EmbedderLoader, EmbedOptions } from '../types.js'
import { makeUnit } from '../unit.js'
import { fetchChecked } from './fetching.js'
import type { TransformersOptions } from './options.js'
import { modelOf } from './presets.js'
import { windowsOf } from './windows.js'

type Library = typeof import('@huggingface/transformers')

/** As transformers.js has them. */
const HUB = { host: 'https://huggingface.co/', path: '{model}/resolve/{revision}/' }
const SLICE = 8
const DTYPE = 'q8'

/**
 * A transformer that runs here, by @huggingface/transformers: WASM or WebGPU in browsers, native in Node. In a page it belongs into a
 * Web Worker: see `threadEmbedder` of skillshelf/thread.
 *
 *     library.upgrade(transformers({ model: 'all-MiniLM-L6-v2' }))
 *
 * The vectors are of unit length. A text longer than the model reads at once is read in windows, whose vectors are averaged.
 */
export function transformers(options: TransformersOptions = {}): EmbedderLoader {
  return ({ signal, onProgress } = {}) => turn(() => load(options, signal, onProgress))
}

/** transformers.js has one environment for all models: two that load at once would mix their settings. */
const turn = createQueue()

async function load(
  options: TransformersOptions,
  signal: AbortSignal | undefined,
  onProgress: OnProgress | undefined,
): ReturnType<EmbedderLoader> {
  throwIfAborted(signal)
  const { id, traits } = modelOf(options)
  const { dtype = DTYPE, slice = SLICE } = options
  const { pooling, prefixes, maxTokens } = traits
  let file = ''
  try {
    const library = await importLibrary()
    configure(library, options, signal)
    const extractor = await openPipeline(library, id, options, progress => {
      if (progress.status === 'progress') file = progress.file
      if (progress.status === 'progress_total')
        onProgress?.({ phase: 'load', done: progress.loaded, total: progress.total, item: file })
    })
    throwIfAborted(signal)
    const read = async (texts: string[]): Promise<Float32Array> =>
      (await extractor(texts, { pooling, normalize: true })).data as Float32Array
    const count = (text: string): number => extractor.tokenizer.encode(text).length
    const dimensions = (await read(['a'])).length
    let closed = false

    return {
      id: `transformers/${id}/${dtype}`,
      dimensions,
      languages: traits.languages,
      ...(traits.unrelated === undefined ? {} : { unrelated: traits.unrelated }),
      ...(traits.calibration ? { calibration: traits.calibration } : {}),
      async embed(texts, { kind = 'document', signal: at, onProgress: embedded }: EmbedOptions = {}) {
        const vectors = new Float32Array(texts.length * dimensions)
        const windows = texts.flatMap((text, index) =>
          windowsOf(text, maxTokens, count).map(window => ({ index, text: (prefixes?.[kind] ?? '') + window })),
        )
        // Texts of a like length together: a slice is as slow as its longest, times all.
        const order = windows.sort((a, b) => a.text.length - b.text.length)
        for (let from = 0; from < order.length; from += slice) {
          throwIfAborted(at)
          if (closed) throw new SkillshelfError('closed', 'The model was closed')
          const some = order.slice(from, from + slice)
          const numbers = await read(some.map(({ text }) => text))
          for (const [place, { index }] of some.entries())
            add(vectors, index * dimensions, numbers, place * dimensions, dimensions)
          const done = Math.floor((Math.min(from + slice, order.length) * texts.length) / order.length)
          embedded?.({ phase: 'embed', done, total: texts.length })
          // Inference never leaves the thread by itself: a cancel message comes in between slices only.
          if (from + slice < order.length) await new Promise(resolve => setTimeout(resolve, 0))
        }
        for (let index = 0; index < texts.length; index++)
          makeUnit(vectors.subarray(index * dimensions, (index + 1) * dimensions))
        return vectors
      },
      async close() {
        closed = true
        await extractor.dispose()
      },
    }
  } catch (error) {
    throwIfAborted(signal)
    throw asSkillshelfError(error, 'model-failed', `${id} could not be loaded`, {
      subject: id,
      hint: options.models
        ? `are its files under ${options.models}${id}/, with onnx/ in it?`
        : 'is there a network, and a model in ONNX of this id on the hub?',
    })
  }
}

async function importLibrary(): Promise<Library> {
  try {
    return await import('@huggingface/transformers')
  } catch (error) {
    throw new SkillshelfError(
      'model-failed',
      'transformers.js could not be loaded',
      { hint: 'install it beside skillshelf: npm i @huggingface/transformers' },
      error,
    )
  }
}

function configure(
  { env, LogLevel }: Library,
  { models, host, wasm, browserCache = true, threads = 1, digests }: TransformersOptions,
  signal: AbortSignal | undefined,
): void {
  // In a page a folder of one's own is a host like any other: "local" models are fetched whole for their size, and then again.
  const onDisk = models !== undefined && env.useFS
  env.allowLocalModels = onDisk
  env.allowRemoteModels = !onDisk
  if (onDisk) env.localModelPath = models
  const folder = onDisk ? undefined : models
  env.remoteHost = folder === undefined ? (host ?? HUB.host) : new URL(folder, globalThis.location?.href).href
  env.remotePathTemplate = folder === undefined ? HUB.path : '{model}/'
  env.useBrowserCache = browserCache && typeof caches !== 'undefined'
  env.fetch = fetchChecked({ signal, digests })
  // What fails is told by errors; a cancelled load is no reason to warn.
  env.logLevel = LogLevel.ERROR
  const runtime = env.backends.onnx.wasm
  if (!runtime) return
  runtime.numThreads = threads
  if (!wasm) return
  runtime.wasmPaths = wasm
  // It would be made a blob: script, which a strict policy refuses; the files are the caller's own, with headers of their own.
  env.useWasmCache = false
}

async function openPipeline(
  { env, pipeline }: Library,
  id: string,
  { device = 'wasm', dtype = DTYPE }: TransformersOptions,
  progress_callback: ProgressCallback,
): Promise<FeatureExtractionPipeline> {
  // In Node the runtime is native, and knows no such devices.
  if (env.useFS) return pipeline('feature-extraction', id, { dtype, progress_callback })
  if (device === 'webgpu' && (await hasGpu())) {
    try {
      return await pipeline('feature-extraction', id, { dtype, progress_callback, device: 'webgpu' })
    } catch {
      // A GPU without what the model needs, or a build without WebGPU. A failure that is the files' comes again.
    }
  }
  return pipeline('feature-extraction', id, { dtype, progress_callback, device: 'wasm' })
}

async function hasGpu(): Promise<boolean> {
  const { gpu } = navigator as { gpu?: { requestAdapter(): Promise<unknown> } }
  try {
    return Boolean(await gpu?.requestAdapter())
  } catch {
    return false
  }
}

function add(into: Float32Array, at: number, from: Float32Array, start: number, length: number): void {
  for (let index = 0; index < length; index++)
    into[at + index] = (into[at + index] as number) + (from[start + index] as number)
}
