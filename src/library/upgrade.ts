import { abortable } from '../core/abort.js'
import { SkillshelfError, throwIfAborted } from '../core/errors.js'
import { onDemand } from '../core/load-module.js'
import { invokeCallback, rethrowCallbackError } from '../core/progress.js'
import type { Embedder, EmbedderLoader, VectorCache } from '../search/model/types.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import { modelDiagnostic } from './diagnostics.js'
import { type OpenLibrary, stopUpgrade, type UpgradeEmbedder, updateMatcher } from './state.js'
import type { UpgradeOptions } from './types.js'
import { createUpgradeEmbedder } from './upgrade-embedder.js'

const loadVectorCache = onDemand(() => import('../search/model/vector-cache.js'))

const TIMEOUT = 2_000

/** Loads an embedder and embeds every skill. Replaces the embedder of an earlier call. */
export async function upgrade(
  library: OpenLibrary,
  model: Embedder | EmbedderLoader,
  { signal, onProgress, onFailure = warn, cache, timeout = TIMEOUT }: UpgradeOptions = {},
): Promise<boolean> {
  if (typeof model !== 'function' && typeof model?.embed !== 'function')
    throw new SkillshelfError('invalid-input', '"model" must be an embedder or a function that loads one', {
      hint: 'such as transformers({ … }) or threadEmbedder({ … })',
    })
  const stopped = stopUpgrade(library)
  const abort = new AbortController()
  library.upgradeAbort = abort
  await stopped
  const either = signal ? AbortSignal.any([signal, abort.signal]) : abort.signal
  let embedder: UpgradeEmbedder | undefined
  let failed = false
  const detach = (): void => {
    if (library.upgrade === embedder) library.upgrade = undefined
  }
  const fail = (error: unknown): void => {
    if (failed || either.aborted) return
    failed = true
    detach()
    void embedder?.close()
    rethrowCallbackError(error)
    onFailure(modelDiagnostic(error, 'The upgrade embedder'))
  }
  try {
    embedder = createUpgradeEmbedder(await load(model, onProgress, either), {
      library,
      cache: await cacheFor(cache),
      timeout,
      updateMatcher: () => library.queue(() => updateMatcher(library, library.state)),
      onProgress: (done, total) => invokeCallback(onProgress, { phase: 'embed', done, total }),
      onFailure: fail,
    })
    throwIfAborted(either)
    library.upgrade = embedder
    await abortable(embedder.embedNewSkills(), either)
  } catch (error) {
    detach()
    await embedder?.close()
    throwIfAborted(signal)
    // A later call, or closing the library, has replaced this embedder.
    if (abort.signal.aborted) return false
    rethrowCallbackError(error)
    fail(error)
  }
  return !failed
}

async function load(
  model: Embedder | EmbedderLoader,
  onProgress: UpgradeOptions['onProgress'],
  signal: AbortSignal,
): Promise<Embedder> {
  const loading =
    typeof model === 'function'
      ? model({ signal, onProgress: progress => invokeCallback(onProgress, progress) })
      : Promise.resolve(model)
  // Releases a model that finishes loading after the abort.
  loading.then(
    embedder => void (signal.aborted && embedder.close?.()),
    () => undefined,
  )
  return abortable(loading, signal)
}

async function cacheFor(cache: VectorCache | false | undefined): Promise<VectorCache | undefined> {
  if (cache !== undefined) return cache || undefined
  if (typeof indexedDB === 'undefined') return undefined
  const { vectorCache } = await loadVectorCache()
  return vectorCache()
}

function warn({ message, hint }: Diagnostic): void {
  console.warn(`skillshelf: ${message} (${hint})`)
}
