import { abortable, linkedController } from '../../core/abort.js'
import { invalidInput, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { invokeCallback, rethrowCallbackError } from '../../core/progress.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { Embedder, EmbedderLoader, VectorCache } from '../../search/model/skill-model.js'
import { modelDiagnostic } from '../../skill/diagnostics.js'
import type { LocalLibrary, UpgradeOptions } from '../api/skill-library.js'
import { warnOf } from '../state/problems.js'
import { failsafeCache } from './failsafe-cache.js'
import type { EmbedderInUse, ModelIndex } from './model.js'

const TIMEOUT = 2_000

/** Adds an asynchronous embedder to a library that is in use. */
export interface Upgrader {
  /** Loads an embedder and puts it to use. Replaces the embedder of an earlier call. */
  upgrade: LocalLibrary['upgrade']
  /** Aborts the last call and closes its embedder. */
  stop(): Promise<void>
}

const OPTIONS = {
  signal: 1,
  onProgress: 1,
  onFailure: 1,
  cache: 1,
  timeout: 1,
} satisfies OptionNames<UpgradeOptions>

/** How an embedder is used, once it is loaded. */
export interface UseOptions {
  cache: VectorCache
  /** Milliseconds that a message waits for its vector. */
  timeout: number
  onProgress: (done: number, total: number) => void
  /** Called when the embedder cannot be used any more. */
  onFailure: (error: unknown) => void
}

/**
 * @param index Has the embedder that is in use.
 * @param use Puts a loaded embedder to use.
 */
export function createUpgrader(
  index: Pick<ModelIndex, 'embedder'>,
  use: (embedder: Embedder, options: UseOptions) => EmbedderInUse,
): Upgrader {
  let running = new AbortController()

  const stop = async (): Promise<void> => {
    const { embedder } = index
    index.embedder = undefined
    running.abort(
      new SkillshelfError('closed', 'The embedder was replaced or the library was closed'),
    )
    await embedder?.close()
  }

  const upgrade: Upgrader['upgrade'] = async (model, options = {}) => {
    checkUpgrade(model, options)
    const { signal, onProgress, onFailure = warnOf, cache, timeout = TIMEOUT } = options
    const stopped = stop()
    const abort = new AbortController()
    running = abort
    await stopped
    const { controller, unlink } = linkedController(signal, abort.signal)
    const either = controller.signal
    let embedder: EmbedderInUse | undefined
    let failed = false
    const detach = (): void => {
      if (index.embedder === embedder) index.embedder = undefined
    }
    const fail = (error: unknown): void => {
      if (failed || abort.signal.aborted || signal?.aborted) return
      failed = true
      detach()
      void embedder?.close()
      rethrowCallbackError(error)
      onFailure(modelDiagnostic(error, 'The upgrade embedder'))
    }
    try {
      embedder = use(await load(model, onProgress, either), {
        cache: await failsafeCache(cache, 'skillshelf-vectors'),
        timeout,
        onProgress: (done, total) => invokeCallback(onProgress, { phase: 'embed', done, total }),
        onFailure: fail,
      })
      throwIfAborted(either)
      index.embedder = embedder
      await abortable(embedder.embedNewSkills(), either)
    } catch (error) {
      detach()
      await embedder?.close()
      throwIfAborted(signal)
      // A later call, or closing the library, has replaced this embedder.
      if (abort.signal.aborted) return false
      rethrowCallbackError(error)
      fail(error)
    } finally {
      unlink()
    }
    return !failed
  }

  return { stop, upgrade }
}

/** @throws SkillshelfError `invalid-input` */
export function checkUpgrade(model: Embedder | EmbedderLoader, options: UpgradeOptions): void {
  checkOptionNames(options, OPTIONS)
  if (typeof model !== 'function' && typeof model?.embed !== 'function') {
    throw invalidInput(
      '"embedder" must be an embedder or a function that loads one',
      'such as transformers({ … }) or threadEmbedder({ … })',
    )
  }
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
    embedder => {
      if (signal.aborted) embedder.close?.()
    },
    () => undefined,
  )
  return abortable(loading, signal)
}
