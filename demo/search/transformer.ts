import mjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url'
import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url'
import { threadEmbedder } from 'skillshelf/thread'
import type { Library } from '../context.js'
import { messageOf } from '../dom.js'
import { keepOffline } from '../offline/keep.js'
import { ENCODER } from './encoder.js'
import { ENCODER_PARENT } from './encoder-parent.js'

/** `done` and `total` are bytes in state `load`, skills in state `embed`. */
export type TransformerState =
  | { kind: 'off' | 'in-use' }
  | { kind: 'load' | 'embed'; done: number; total: number }
  | { kind: 'failed'; detail: string }

export interface Transformer {
  readonly state: TransformerState
  /** Loads the model and upgrades the library with it. */
  load(library: Library): void
  /** Upgrades another library, if the model is loaded or loading. */
  upgrade(library: Library): void
  /** Stops using the model, or stops loading it. */
  unload(): void
}

/** Bytes of the model files that were loaded last; 0 before. */
export let transformerBytes = 0

type Embedder = Awaited<ReturnType<ReturnType<typeof threadEmbedder>>>

/** The encoder in a Web Worker. It loads once and then serves every library that the page opens. */
export function createTransformer(onChange: (state: TransformerState) => void): Transformer {
  let state: TransformerState = { kind: 'off' }
  /** Aborted by `unload`. */
  let lifetime: AbortController | undefined
  let loading: Promise<Embedder> | undefined
  let upgrading = new AbortController()

  const setState = (next: TransformerState): void => {
    state = next
    onChange(next)
  }
  const end = (next: TransformerState): void => {
    lifetime?.abort()
    lifetime = undefined
    upgrading.abort()
    loading?.then(
      embedder => embedder.close?.(),
      () => {},
    )
    loading = undefined
    setState(next)
  }
  const upgrade = async (library: Library, embedder: Promise<Embedder>): Promise<void> => {
    upgrading.abort()
    const controller = new AbortController()
    const { signal } = controller
    upgrading = controller
    const fail = (detail: string): void => {
      if (!signal.aborted) end({ kind: 'failed', detail })
    }
    try {
      const upgraded = await library.upgrade(async () => withoutClose(await embedder), {
        signal,
        onProgress({ phase, done, total = done }) {
          if (phase === 'embed' && !signal.aborted) setState({ kind: 'embed', done, total })
        },
        onFailure: ({ message }) => fail(message),
      })
      if (upgraded && !signal.aborted) setState({ kind: 'in-use' })
    } catch (error) {
      fail(messageOf(error))
    }
  }

  return {
    get state() {
      return state
    },
    load(library) {
      lifetime = new AbortController()
      const { signal } = lifetime
      setState({ kind: 'load', done: 0, total: 0 })
      loading = loadTransformer()({
        signal,
        onProgress({ done, total = 0 }) {
          transformerBytes = total
          if (!signal.aborted) setState({ kind: 'load', done, total })
        },
      })
      // The library waits for it later, and reports a failure.
      loading.catch(() => undefined)
      void upgrade(library, loading)
    },
    upgrade(library) {
      if (loading) void upgrade(library, loading)
    },
    unload: () => end({ kind: 'off' }),
  }
}

function loadTransformer() {
  // The page's list of resources does not have what a Web Worker loads.
  keepOffline([mjs, wasm, './assets/transformers'].map(url => new URL(url, document.baseURI).href))
  return threadEmbedder({
    worker: () => new Worker(new URL('./embedder.worker.ts', import.meta.url), { type: 'module' }),
    model: ENCODER,
    models: new URL(ENCODER_PARENT, document.baseURI).href,
    // The page serves the runtime itself. By default it comes from a public CDN.
    wasm: { mjs, wasm },
  })
}

/** A library closes its embedder. This one is shared by the libraries that follow. */
function withoutClose({ close: _, ...embedder }: Embedder): Embedder {
  return embedder
}
