import { type SkillshelfError, throwIfAborted } from '../../core/errors.js'
import type { Progress } from '../../core/progress.js'
import type { Embedder, EmbedderLoader, EmbedKind } from '../model/skill-model.js'
import type { Call, ThreadOptions, WorkerLike } from './protocol.js'
import { serve } from './serve.js'
import { startThread } from './thread.js'

type EmbedderInfo = Omit<Embedder, 'embed' | 'close'>

/** The properties of an embedder that are sent to the page. A record, so that the compiler reports a missing one. */
const INFO_KEYS = Object.keys({
  id: true,
  dimensions: true,
  languages: true,
  unrelated: true,
  calibration: true,
} satisfies Record<keyof EmbedderInfo, true>) as (keyof EmbedderInfo)[]

interface EmbedderCalls {
  load: Call<unknown, EmbedderInfo, Progress>
  embed: Call<{ texts: readonly string[]; kind: EmbedKind | undefined }, Float32Array, Progress>
  close: Call<undefined, undefined>
}

/**
 * Runs an embedder in a worker whose script calls `serveEmbedder`.
 *
 * Each load starts a worker. It ends with the embedder's `close()`, or if the load fails. If the worker dies, pending and later calls fail
 * with `thread-failed`; load again to restart. Without Web Locks (insecure contexts), a worker that closes itself is not detected.
 * @param options `worker` and `startTimeout`; all other options are passed to the loader in the worker and must be plain data.
 * @returns A loader for `library.upgrade`. It throws `thread-failed`, `aborted`, `invalid-input` for options that cannot be cloned, and the
 * errors of the loader in the worker.
 * @example
 * const worker = () => new Worker(new URL('./embedder.worker.js', import.meta.url), { type: 'module' })
 * await library.upgrade(threadEmbedder({ worker, model: 'all-MiniLM-L6-v2' }))
 */
export function threadEmbedder<Options extends object = Record<string, unknown>>({
  worker,
  startTimeout,
  ...options
}: ThreadOptions & Options): EmbedderLoader {
  return async (loadOptions = {}) => {
    throwIfAborted(loadOptions.signal)
    const thread = startThread<EmbedderCalls>({ worker, startTimeout })
    try {
      return {
        ...(await thread.call('load', () => options, loadOptions)),
        embed: (texts, { kind, ...rest } = {}) =>
          thread.call('embed', () => ({ texts, kind }), rest),
        close: () => thread.close('The embedder was closed'),
      }
    } catch (error) {
      thread.end(error as SkillshelfError)
      throw error
    }
  }
}

/**
 * Serves an embedder to `threadEmbedder`. Call it in the script of a worker.
 * @param load Receives the options of `threadEmbedder` and returns a loader, such as `transformers`.
 * @param scope Where calls arrive. Default: the page that created the worker.
 * @example
 * serveEmbedder(transformers)
 */
export function serveEmbedder<Options>(
  load: (options: Options) => EmbedderLoader,
  scope?: WorkerLike,
): void {
  let embedder: Embedder | undefined
  serve<EmbedderCalls>(
    {
      async load(options, context) {
        const loaded = await load(options as Options)(context)
        embedder = loaded
        return Object.fromEntries(
          INFO_KEYS.flatMap(key => (key in loaded ? [[key, loaded[key]]] : [])),
        ) as unknown as EmbedderInfo
      },
      async embed({ texts, kind }, context) {
        return (embedder as Embedder).embed(texts, { ...context, kind })
      },
      async close() {
        await embedder?.close?.()
        return undefined
      },
    },
    'The model failed',
    scope,
  )
}
