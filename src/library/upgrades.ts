import { abortable } from '../core/abort.js'
import { SkillshelfError, throwIfAborted } from '../core/errors.js'
import { invokeCallback, rethrowCallbackError } from '../core/progress.js'
import type { Embedder, EmbedderLoader, VectorCache } from '../embed/types.js'
import type { LiveSegment, QueryVector } from '../match/types.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import { createFurther, type Further } from './further.js'
import { modelDiagnostic } from './model-diagnostic.js'
import type { State } from './state.js'
import type { UpgradeOptions } from './types.js'

const PATIENCE = 2_000

/** The further model of a library: none, or one at a time. */
export interface Upgrades {
  /** As `LocalLibrary.upgrade`. */
  upgrade(model: Embedder | EmbedderLoader, options: UpgradeOptions): Promise<boolean>
  withVectors(segments: readonly LiveSegment[]): readonly LiveSegment[]
  read(message: string, signal: AbortSignal | undefined): Promise<QueryVector | undefined>
  /** The library has changed: reads what is new, in the background. */
  changed(): void
  close(): Promise<void>
}

/** @param publish Hands the matcher the segments as they are now. */
export function createUpgrades(state: () => State, publish: () => Promise<void>): Upgrades {
  let current: Further | undefined
  /** Of the last call: an earlier one that is still loading has lost. */
  let stop = new AbortController()

  const close = (): Promise<void> | undefined => {
    stop.abort(new SkillshelfError('closed', 'Another model has taken its place, or the library was closed'))
    const last = current
    current = undefined
    return last?.close()
  }

  return {
    async upgrade(model, { signal, onProgress, onFailure = warn, cache, patience = PATIENCE }) {
      if (typeof model !== 'function' && typeof model?.embed !== 'function')
        throw new SkillshelfError('invalid-input', 'The model is neither an embedder nor what loads one', {
          hint: 'give transformers({ … }) or threadEmbedder({ … })',
        })
      const closed = close()
      const mine = new AbortController()
      stop = mine
      await closed
      const both = signal ? AbortSignal.any([signal, mine.signal]) : mine.signal
      let joined: Further | undefined
      let failed = false
      const fail = (error: unknown): void => {
        if (failed || both.aborted) return
        failed = true
        if (current === joined) current = undefined
        void joined?.close()
        rethrowCallbackError(error)
        onFailure(modelDiagnostic(error, 'the further model'))
      }
      try {
        const loading =
          typeof model === 'function'
            ? model({
                signal: both,
                onProgress: ({ done, total = done }) => invokeCallback(onProgress, { phase: 'load', done, total }),
              })
            : Promise.resolve(model)
        // A model that comes too late is not left in memory.
        loading.then(
          embedder => void (both.aborted && embedder.close?.()),
          () => undefined,
        )
        const embedder = await abortable(loading, both)
        joined = createFurther(embedder, {
          cache: await cacheOf(cache),
          patience,
          state,
          publish,
          onProgress: (done, total) => invokeCallback(onProgress, { phase: 'embed', done, total }),
          onFailure: fail,
        })
        throwIfAborted(both)
        current = joined
        await abortable(joined.catchUp(), both)
      } catch (error) {
        if (current === joined) current = undefined
        await joined?.close()
        throwIfAborted(signal)
        if (mine.signal.aborted) return false
        rethrowCallbackError(error)
        fail(error)
      }
      return !failed
    },
    withVectors: segments =>
      segments.map(segment => {
        const vectors = current?.vectorsOf(segment.key)
        return vectors ? { ...segment, vectors } : segment
      }),
    read: async (message, signal) => current?.read(message, signal),
    changed: () => void current?.catchUp(),
    close: async () => close(),
  }
}

async function cacheOf(given: VectorCache | false | undefined): Promise<VectorCache | undefined> {
  if (given !== undefined) return given || undefined
  if (typeof indexedDB === 'undefined') return undefined
  const { vectorCache } = await import('../embed/vector-cache.js')
  return vectorCache()
}

function warn({ message, hint }: Diagnostic): void {
  console.warn(`skillshelf: ${message} (${hint})`)
}
