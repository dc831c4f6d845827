import { type LibraryChange, openLibrary } from 'skillshelf'
import type { Library, LibraryLocation } from '../context.js'
import { hasStoredSkills, onPreference } from '../preferences.js'
import type { ModelState } from './bundled-model.js'
import { onDiagnostic } from './on-diagnostic.js'
import type { OpenRequest, OpenResult } from './open-library.js'
import { samplesSource } from './samples-source.js'

/**
 * The library that is open. It opens with keyword ranking first, so that it answers at once, and is then replaced by one that also uses the
 * bundled model and follows changes.
 */
export interface CurrentLibrary {
  /** `undefined` until a library has been opened. */
  readonly library: Library | undefined
  readonly location: LibraryLocation | undefined
  /** State of the bundled model. */
  readonly modelState: ModelState
  /** Resolves when `modelState` is final. */
  readonly upgraded: Promise<void>
  /**
   * Opens a library. The current one stays open until the new one is ready.
   * @returns `undefined` if a later call or `cancel` replaced this one
   */
  open(request: OpenRequest): Promise<OpenResult | undefined>
  /** Reopens the current library with the bundled model, in the background, and closes the one that was open before. */
  upgrade(): void
  cancel(): void
}

export interface CurrentLibraryOptions {
  /** The URL of the samples. */
  samples: URL
  /** Resolves when the page can show texts. */
  ready: Promise<unknown>
  /** Opens any library but the page's own. */
  openOther(request: OpenRequest, signal: AbortSignal): Promise<OpenResult>
  samplesError(error: unknown): Promise<OpenResult>
  onModelState(): void
  /** The upgraded library has replaced `before`. */
  onReplaced(library: Library, before: Library): Promise<void>
  /** The upgrade has finished, whether or not the model is in use. */
  onUpgraded(library: Library): Promise<void>
  /** Skills were added, changed or removed. */
  onChange(change: LibraryChange): void
}

const loadBundledModel = () => import('./bundled-model.js')

export function createCurrentLibrary(options: CurrentLibraryOptions): CurrentLibrary {
  const { samples } = options
  let library: Library | undefined
  let previous: Library | undefined
  let location: LibraryLocation | undefined
  let modelState: ModelState = 'loading'
  let opening = new AbortController()
  let upgrading = new AbortController()
  let upgraded: Promise<void> = Promise.resolve()

  const setModelState = (next: ModelState): void => {
    modelState = next
    options.onModelState()
  }

  /** Opens the stored skills, which need no network, or else the samples. */
  const openOwn = async (signal: AbortSignal): Promise<OpenResult> => {
    const samplesLocation: LibraryLocation = { kind: 'samples' }
    if (hasStoredSkills()) {
      const stored = await import('./storage.js')
        .then(({ openStored }) => openStored(samples, signal))
        .catch(() => undefined)
      signal.throwIfAborted()
      if (stored) return { location: samplesLocation, library: stored }
    }
    try {
      // Its code arrives while the index does, and the model after the index. A failure is handled where they are used.
      const bundledModel = loadBundledModel().catch(() => undefined)
      const opened = await openLibrary(samplesSource(samples), {
        strict: true,
        signal,
        embedder: false,
        onDiagnostic,
      })
      void bundledModel.then(module => module?.loadModel()).catch(() => {})
      return { location: samplesLocation, library: opened }
    } catch (error) {
      signal.throwIfAborted()
      return options.samplesError(error)
    }
  }

  const runUpgrade = async (
    before: Library,
    from: LibraryLocation,
    signal: AbortSignal,
  ): Promise<void> => {
    let reached: ModelState = modelState === 'loading' ? 'failed' : modelState
    try {
      const { openWithModel } = await loadBundledModel()
      const result = await openWithModel(from, { samples, signal })
      reached = result.state
      if (signal.aborted) await result.library?.close()
      // The previous library stays open: searches may still be running. It is garbage-collected.
      else if (result.library) {
        library = result.library
        library.on('change', options.onChange)
      }
    } catch {
      // Keyword ranking stays in use.
    }
    if (signal.aborted) return
    const now = library ?? before
    if (now !== before) await options.onReplaced(now, before)
    setModelState(reached)
    await options.onUpgraded(now)
  }

  const startUpgrade = (): void => {
    if (!library || !location) return
    upgrading.abort()
    upgrading = new AbortController()
    upgraded = runUpgrade(library, location, upgrading.signal).catch(() => {})
  }

  // The library did not follow IndexedDB before the first skill was installed.
  onPreference('installed', () => location?.kind === 'samples' && startUpgrade())

  return {
    get library() {
      return library
    },
    get location() {
      return location
    },
    get modelState() {
      return modelState
    },
    get upgraded() {
      return upgraded
    },
    async open(request) {
      opening.abort()
      opening = new AbortController()
      const { signal } = opening
      let result: OpenResult
      try {
        result = await (request.kind === 'samples'
          ? openOwn(signal)
          : options.openOther(request, signal))
        await options.ready
      } catch (error) {
        if (signal.aborted) return undefined
        throw error
      }
      if (signal.aborted) return undefined
      if ('error' in result) return result
      upgrading.abort()
      previous = library
      ;({ library, location } = result)
      return result
    },
    upgrade() {
      void previous?.close()
      previous = undefined
      setModelState('loading')
      startUpgrade()
    },
    cancel() {
      opening.abort()
    },
  }
}
