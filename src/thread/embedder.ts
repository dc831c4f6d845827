import type { SkillshelfError } from '../core/errors.js'
import { throwIfAborted } from '../core/errors.js'
import type { Progress } from '../core/progress.js'
import type { Embedder, EmbedderLoader, EmbedKind } from '../embed/types.js'
import type { Call } from './calls.js'
import { serve } from './serve.js'
import { startThread } from './thread.js'
import type { ThreadOptions, WorkerLike } from './types.js'

type About = Omit<Embedder, 'embed' | 'close'>

/** What crosses of an embedder once it is loaded: all that it says of itself. */
const ABOUT = {
  id: true,
  dimensions: true,
  languages: true,
  unrelated: true,
  calibration: true,
} satisfies Record<keyof About, true>

interface EmbedderCalls {
  load: Call<unknown, About, Progress>
  embed: Call<{ texts: readonly string[]; kind: EmbedKind | undefined }, Float32Array, Progress>
  close: Call<undefined, undefined>
}

/**
 * An embedder in a worker whose script calls `serveEmbedder`. All further options are for the loader there: plain data, such as
 * `{ model: 'all-MiniLM-L6-v2' }`. Each load starts a worker; it ends with the embedder's `close()`, or when the load fails.
 *
 * When the worker dies, what waits for it fails with `thread-failed`, as do later calls: load again. Without Web Locks (on a page that is
 * no secure context) nobody notices that a worker was terminated from outside.
 * @throws SkillshelfError when it loads: `thread-failed`, `aborted`, `invalid-input` for options that cannot cross, and what the loader throws
 */
export function threadEmbedder<Options extends object = Record<string, unknown>>({
  worker,
  startTimeout,
  ...options
}: ThreadOptions & Options): EmbedderLoader {
  return async (given = {}) => {
    throwIfAborted(given.signal)
    const thread = startThread<EmbedderCalls>({ worker, startTimeout })
    try {
      return {
        ...(await thread.call('load', () => options, given)),
        embed: (texts, { kind, ...rest } = {}) => thread.call('embed', () => ({ texts, kind }), rest),
        close: () => thread.close('The embedder was closed'),
      }
    } catch (error) {
      thread.end(error as SkillshelfError)
      throw error
    }
  }
}

/**
 * Makes the script of a worker the other side of `threadEmbedder`, whose further options `load` gets:
 *
 *     serveEmbedder(transformers)
 *
 * @param scope Where calls come from. Default: the page that made the worker.
 */
export function serveEmbedder<Options>(load: (options: Options) => EmbedderLoader, scope?: WorkerLike): void {
  let embedder: Embedder | undefined
  serve<EmbedderCalls>(
    {
      async load(options, context) {
        const loaded = await load(options as Options)(context)
        embedder = loaded
        const keys = Object.keys(ABOUT) as (keyof About)[]
        return Object.fromEntries(keys.flatMap(key => (key in loaded ? [[key, loaded[key]]] : []))) as unknown as About
      },
      async embed({ texts, kind }, context) {
        return (embedder as Embedder).embed(texts, { ...context, ...(kind ? { kind } : {}) })
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
