import type { FeatureExtractionPipeline, ProgressCallback } from '@huggingface/transformers'
import { createQueue } from '../../../core/concurrency.js'
import {
  asSkillshelfError,
  errorMessage,
  SkillshelfError,
  throwIfAborted,
} from '../../../core/errors.js'
import { onDemand } from '../../../core/load-module.js'
import { checkOptionNames, type OptionNames } from '../../../core/text/option-names.js'
import { areZeros, broken, checkVectors } from '../check-vectors.js'
import type { Embedder, EmbedderLoader, LoadOptions } from '../skill-model.js'
import { normalize } from '../unit-vectors.js'
import { type ResolvedModel, resolveModel, type TransformersOptions } from './presets.js'
import { type FileStore, type ModelPlace, verifiedFetch, verifiedFiles } from './verified-files.js'

type Library = typeof import('@huggingface/transformers')

const loadNodeFiles = onDemand(() => import('./node-files.js'))

/** The defaults of transformers.js. */
const HUB = { host: 'https://huggingface.co/', path: '{model}/resolve/{revision}/' }
/** Where the files of an npm package are for pages. */
const PACKAGES = 'https://cdn.jsdelivr.net/npm/'
/** Stands for a folder on disk, so that its files are read and verified before transformers.js gets them. No request is made to it. */
const ON_DISK = 'https://model.invalid/'
const BATCH_SIZE = 8

const OPTIONS = {
  model: 1,
  device: 1,
  dtype: 1,
  models: 1,
  host: 1,
  wasm: 1,
  browserCache: 1,
  threads: 1,
  digests: 1,
  languages: 1,
  pooling: 1,
  prefixes: 1,
  maxTokens: 1,
  unrelated: 1,
  calibration: 1,
} satisfies OptionNames<TransformersOptions>

/**
 * Runs a transformer in this process with `@huggingface/transformers`: WebAssembly or WebGPU in browsers, native in Node.
 *
 * Inference blocks its thread. In a page, run it in a Web Worker with `threadEmbedder` from `skillshelf/thread`.
 *
 * @param options Model, device and where the files are. Default: `skillshelf-encoder`, for nine languages.
 * @returns A loader for `library.upgrade`. It throws `model-failed` if transformers.js or the model cannot be loaded, and `aborted`.
 * @example
 * await library.upgrade(transformers())
 */
export function transformers(options: TransformersOptions = {}): EmbedderLoader {
  checkOptionNames(options, OPTIONS)
  return (loadOptions = {}) => enqueue(() => load(options, loadOptions))
}

/** transformers.js has one global environment, so two models must not load at once. */
const enqueue = createQueue()

async function load(
  options: TransformersOptions,
  { signal, onProgress }: LoadOptions,
): Promise<Embedder> {
  throwIfAborted(signal)
  const model = resolveModel(options)
  const { id, space, traits } = model
  const { pooling, prefixes, maxTokens, languages, unrelated, calibration } = traits
  let file = ''
  let files: ReturnType<typeof verifiedFiles> | undefined
  try {
    checkWebAssembly(id)
    const library = await importLibrary()
    files = await configureFiles(library, model, options, signal)
    configureRuntime(library, options)
    const extractor = await openPipeline(library, model, options, progress => {
      if (progress.status === 'progress') file = progress.file
      if (progress.status === 'progress_total') {
        onProgress?.({ phase: 'load', done: progress.loaded, total: progress.total, item: file })
      }
    }).finally(() => releaseFiles(library))
    throwIfAborted(signal)
    const run = async (texts: string[]): Promise<Float32Array> =>
      (await extractor(texts, { pooling, normalize: true })).data as Float32Array
    const countTokens = (text: string): number => extractor.tokenizer.encode(text).length
    const first = await run(['a'])
    const dimensions = first.length
    // S14: a model that is not pinned may be broken.
    checkVectors(first, 1, { id, dimensions })
    if (areZeros(first)) throw broken(id, 'returns zeros for a text')
    let closed = false

    return {
      id: space,
      dimensions,
      languages,
      ...(unrelated === undefined ? {} : { unrelated }),
      ...(calibration ? { calibration } : {}),
      async embed(texts, embedOptions = {}) {
        const { kind = 'document' } = embedOptions
        const vectors = new Float32Array(texts.length * dimensions)
        const vectorAt = (all: Float32Array, index: number): Float32Array =>
          all.subarray(index * dimensions, (index + 1) * dimensions)
        const windows = texts.flatMap((text, index) =>
          splitIntoWindows(text, maxTokens, countTokens).map(window => ({
            index,
            text: (prefixes?.[kind] ?? '') + window,
          })),
        )
        // A batch is padded to its longest text, so texts of similar length share one.
        windows.sort((a, b) => a.text.length - b.text.length)
        for (let from = 0; from < windows.length; from += BATCH_SIZE) {
          throwIfAborted(embedOptions.signal)
          if (closed) throw new SkillshelfError('closed', 'The model was closed')
          const batch = windows.slice(from, from + BATCH_SIZE)
          const rows = await run(batch.map(({ text }) => text))
          checkVectors(rows, batch.length, { id, dimensions })
          for (const [row, { index }] of batch.entries()) {
            add(vectorAt(vectors, index), vectorAt(rows, row))
          }
          const done = Math.floor(
            (Math.min(from + BATCH_SIZE, windows.length) * texts.length) / windows.length,
          )
          embedOptions.onProgress?.({ phase: 'embed', done, total: texts.length })
          // Inference never yields to the event loop, so a cancel message arrives only between batches.
          if (from + BATCH_SIZE < windows.length) {
            await new Promise(resolve => setTimeout(resolve, 0))
          }
        }
        for (let index = 0; index < texts.length; index++) normalize(vectorAt(vectors, index))
        return vectors
      },
      async close() {
        closed = true
        await extractor.dispose()
      },
    }
  } catch (error) {
    throwIfAborted(signal)
    const refusal = files?.refusal()
    if (refusal !== undefined) throw refusal
    // The runtime loads with the first model, after the model's files.
    if (errorMessage(error).includes('no available backend found')) {
      throw asSkillshelfError(error, 'model-failed', 'The ONNX runtime could not be loaded', {
        subject: id,
        hint: runtimeHint(options),
      })
    }
    if (error instanceof SkillshelfError) throw error
    const problem = errorMessage(error).replaceAll(ON_DISK, options.models ?? '')
    throw asSkillshelfError(
      new Error(problem, { cause: error }),
      'model-failed',
      `${id} could not be loaded`,
      {
        subject: id,
        hint: loadHint(model, options),
      },
    )
  }
}

/** The advice for a model whose files cannot be loaded, by where they are looked for. */
function loadHint(
  { id, version, isPinned }: ResolvedModel,
  { models, dtype, digests }: TransformersOptions,
): string {
  if (isPinned && dtype !== undefined && !digests) {
    return 'leave out "dtype", or pass the digests of its files as "digests"'
  }
  if (models) return `check that its files are under ${models}${id}/, with an onnx/ folder`
  return version
    ? `install it: npm i ${id}, or pass the folder that has its files as "models"`
    : 'check the network, and that the hub has a model with this id in ONNX'
}

function runtimeHint({ wasm }: TransformersOptions): string {
  return wasm
    ? `check that ${wasm.mjs} and ${wasm.wasm} are served, have the same version as onnxruntime-web, and are allowed by the Content Security Policy`
    : 'check that the page may load cdn.jsdelivr.net, or serve the two files of the runtime and pass their addresses as "wasm"'
}

/** transformers.js would blame its files. */
function checkWebAssembly(id: string): void {
  if (typeof WebAssembly !== 'undefined') return
  throw new SkillshelfError('model-failed', `${id} needs WebAssembly, which is missing here`, {
    subject: id,
    hint: 'allow WebAssembly, such as in the security settings of the browser; skills are found without it',
  })
}

async function importLibrary(): Promise<Library> {
  try {
    return await import('@huggingface/transformers')
  } catch (error) {
    const hint = 'install it: npm i @huggingface/transformers'
    throw new SkillshelfError(
      'model-failed',
      'transformers.js could not be loaded',
      { hint },
      error,
    )
  }
}

function configureRuntime(
  { env, LogLevel }: Library,
  { wasm, threads = 1 }: TransformersOptions,
): void {
  // Failures are thrown; a canceled load must not log a warning.
  env.logLevel = LogLevel.ERROR
  const runtime = env.backends.onnx.wasm
  if (!runtime) return
  runtime.numThreads = threads
  if (!wasm) return
  // Vite's development server does not import a file of `public` by a relative address.
  runtime.wasmPaths = { mjs: absoluteUrl(wasm.mjs), wasm: absoluteUrl(wasm.wasm) }
  // The cache would create a blob: script, which a strict Content Security Policy blocks.
  env.useWasmCache = false
}

/** Sets where the files of a model come from. Returns those with digests. */
async function configureFiles(
  { env }: Library,
  { id, version, digests, isPinned = false }: ResolvedModel,
  { models, host, browserCache = true }: TransformersOptions,
  signal: AbortSignal | undefined,
): Promise<ReturnType<typeof verifiedFiles> | undefined> {
  const isPackage = version !== undefined && host === undefined
  const onDisk = env.useFS && (models !== undefined || isPackage)
  // What transformers.js opens by itself it does not verify.
  const isRead = onDisk && digests !== undefined
  env.allowLocalModels = onDisk && !isRead
  env.allowRemoteModels = !env.allowLocalModels
  if (models !== undefined && onDisk) env.localModelPath = models
  if (isRead) env.remoteHost = ON_DISK
  // In a page, transformers.js downloads a "local" model twice, so a folder of models is configured as a remote host.
  else if (models !== undefined && !onDisk) env.remoteHost = absoluteUrl(models)
  else env.remoteHost = host ?? (isPackage ? PACKAGES : HUB.host)
  const isFolder = isRead || models !== undefined
  env.remotePathTemplate = isFolder ? '{model}/' : isPackage ? `{model}@${version}/` : HUB.path
  env.useBrowserCache = browserCache && typeof caches !== 'undefined'
  env.useCustomCache = false
  env.fetch = verifiedFetch({ signal })
  if (!digests) return undefined

  const path = env.remotePathTemplate.replaceAll('{model}', id).replaceAll('{revision}', 'main')
  const base = `${env.remoteHost.replace(/\/$/, '')}/${path}`
  const place: ModelPlace = { base }
  if (!env.useFS) place.store = await browserStore(env)
  else {
    // Pages do not load it.
    const { downloadFolder, modelFolder, packageFolder } = await loadNodeFiles()
    if (isRead) {
      const folder =
        models === undefined ? await packageFolder(id) : `${models.replace(/\/$/, '')}/${id}`
      place.readFile = folder === undefined ? async () => undefined : modelFolder(folder)
    } else if (env.cacheDir) place.store = downloadFolder(`${env.cacheDir}/${id}`, base)
  }
  // S14: transformers.js gets no bytes of the model but these.
  const files = verifiedFiles(place, digests, { signal, isPinned })
  env.fetch = files.fetch
  env.customCache = files.cache
  env.useCustomCache = true
  return files
}

/** `undefined` if the page may not store anything. */
async function browserStore({
  useBrowserCache,
  cacheKey,
}: Library['env']): Promise<FileStore | undefined> {
  return useBrowserCache ? caches.open(cacheKey).catch(() => undefined) : undefined
}

/** Frees the bytes of the files once a session has them. */
function releaseFiles({ env }: Library): void {
  env.useCustomCache = false
  env.customCache = null
  env.fetch = verifiedFetch({})
}

/** Relative to the page or worker. */
function absoluteUrl(url: string): string {
  return new URL(url, globalThis.location?.href).href
}

async function openPipeline(
  { env, pipeline }: Library,
  { id, dtype }: ResolvedModel,
  { device = 'wasm' }: TransformersOptions,
  progress_callback: ProgressCallback,
): Promise<FeatureExtractionPipeline> {
  // The native runtime of Node does not accept these devices.
  if (env.useFS) return pipeline('feature-extraction', id, { dtype, progress_callback })
  if (device === 'webgpu' && (await hasGpu())) {
    try {
      return await pipeline('feature-extraction', id, {
        dtype,
        progress_callback,
        device: 'webgpu',
      })
    } catch {
      // The GPU may lack a feature of the model. If the files are at fault, WASM fails with the same error.
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

/** Adds the numbers of one vector to another. */
function add(into: Float32Array, vector: Float32Array): void {
  for (let index = 0; index < into.length; index++) {
    into[index] = (into[index] as number) + (vector[index] as number)
  }
}

/**
 * Splits a text into windows of similar length, at whitespace if possible.
 * @param countTokens Returns the tokens of a text.
 */
export function splitIntoWindows(
  text: string,
  maxTokens: number,
  countTokens: (text: string) => number,
): string[] {
  const tokens = countTokens(text)
  if (tokens <= maxTokens) return [text]
  const windows = Math.ceil(tokens / maxTokens)
  const length = text.length / windows
  const cuts = [0]
  for (let index = 1; index < windows; index++) {
    cuts.push(cutNear(text, Math.round(index * length), length / 4))
  }
  return cuts
    .map((from, index) => text.slice(from, cuts[index + 1]).trim())
    .filter(window => window !== '')
}

/** The last whitespace within `reach` before `position`, or `position` itself, moved out of a surrogate pair. */
function cutNear(text: string, position: number, reach: number): number {
  for (let cut = position; cut > position - reach && cut > 0; cut--) {
    if (/\s/.test(text[cut] as string)) return cut
  }
  return /[\uDC00-\uDFFF]/.test(text[position] as string) ? position - 1 : position
}
