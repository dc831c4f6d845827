import mjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url'
import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url'
import { threadEmbedder } from 'skillshelf/thread'
import type { Library } from './desk.js'

/** How far the transformer is. `done` and `total` are bytes while it loads, then skills. */
export type TransformerState =
  | { kind: 'off' | 'in-use' }
  | { kind: 'load' | 'embed'; done: number; total: number }
  | { kind: 'failed'; detail: string }

export interface Transformer {
  readonly state: TransformerState
  load(library: Library): void
  /** Joins another library too, where it is wanted. */
  follow(library: Library): void
  /** Ends it, loaded or not. */
  stop(): void
}

export const TRANSFORMER = 'all-MiniLM-L6-v2'

type Embedder = Awaited<ReturnType<ReturnType<typeof threadEmbedder>>>

/**
 * A transformer in a Web Worker: loaded once, for whatever library is open.
 * @param models Folder of this host that has the model's files; else they come from the Hugging Face hub.
 */
export function createTransformer(
  models: string | undefined,
  onChange: (state: TransformerState) => void,
): Transformer {
  let state: TransformerState = { kind: 'off' }
  /** From the wish for it to its end. */
  let life: AbortController | undefined
  let loading: Promise<Embedder> | undefined
  let joining = new AbortController()

  const become = (next: TransformerState): void => {
    state = next
    onChange(next)
  }
  const end = (next: TransformerState): void => {
    life?.abort()
    life = undefined
    joining.abort()
    loading?.then(
      embedder => embedder.close?.(),
      () => {},
    )
    loading = undefined
    become(next)
  }
  const join = async (library: Library, embedder: Promise<Embedder>): Promise<void> => {
    joining.abort()
    const mine = new AbortController()
    joining = mine
    const fail = (detail: string): void => {
      if (!mine.signal.aborted) end({ kind: 'failed', detail })
    }
    try {
      const joined = await library.upgrade(async () => lent(await embedder), {
        signal: mine.signal,
        onProgress({ phase, done, total = done }) {
          if (phase === 'embed' && !mine.signal.aborted) become({ kind: 'embed', done, total })
        },
        onFailure: ({ message }) => fail(message),
      })
      if (joined && !mine.signal.aborted) become({ kind: 'in-use' })
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error))
    }
  }

  return {
    get state() {
      return state
    },
    load(library) {
      life = new AbortController()
      const { signal } = life
      become({ kind: 'load', done: 0, total: 0 })
      loading = minilm(models)({
        signal,
        onProgress({ done, total = 0 }) {
          if (!signal.aborted) become({ kind: 'load', done, total })
        },
      })
      void join(library, loading)
    },
    follow(library) {
      if (loading) void join(library, loading)
    },
    stop: () => end({ kind: 'off' }),
  }
}

function minilm(models: string | undefined) {
  return threadEmbedder({
    worker: () => new Worker(new URL('./shelf.worker.ts', import.meta.url), { type: 'module' }),
    model: TRANSFORMER,
    // The page's own copy: else it would come from a public CDN.
    wasm: { mjs, wasm },
    ...(models === undefined ? {} : { models }),
  })
}

/** For a library that would close it: the next one goes on with it. */
function lent({ close: _, ...embedder }: Embedder): Embedder {
  return embedder
}
