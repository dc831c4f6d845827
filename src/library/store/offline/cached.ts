import { coalesce } from '../../../core/concurrency.js'
import { invalidInput, isSkillshelfError, throwIfAborted } from '../../../core/errors.js'
import { safePath } from '../../../core/paths.js'
import type { OnProgress } from '../../../core/progress.js'
import { checkOptionNames, type OptionNames } from '../../../core/text/option-names.js'
import type { SkillModel } from '../../../search/model/skill-model.js'
import {
  CHECK,
  type CheckedReadOptions,
  type CheckedSource,
} from '../../../source/catalog-check.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import { guardSource } from '../../../source/guard.js'
import type { ReadResult, SkillSource, WritableSource } from '../../../source/source.js'
import { PROBLEM, type SourceWithProblem } from '../../../source/source-problem.js'
import { findCatalog } from '../../catalog/find-catalog.js'
import { hasContentOfName } from '../../catalog/packed-files.js'
import { type CopiedCatalog, createCopyChecks, refusedCopy } from './copy-checks.js'
import { updateFromPacked, updateFromTree } from './copy-update.js'
import { type CopyParts, copyIndex, copyWhole } from './copy-whole.js'
import { failsafeStore } from './failsafe-store.js'
import { type CopyUpdate, openOfflineCopy } from './offline-copy.js'

/** Options of `cached`. */
export interface CachedOptions {
  /** Maximum bytes of resources. The least recently read are removed first. Instructions and vectors are always kept. @default 67108864 (64 MiB) */
  maxBytes?: number | undefined
  /** Copies every file that fits into `maxBytes`, not only files that are read. Always for a source that is not packed. @default false */
  whole?: boolean | undefined
  /** Adds vectors to skills of a source that is not packed, to find them by meaning too. @default undefined (keywords only) */
  embedder?: SkillModel | Promise<SkillModel> | undefined
  /** Called with phase `read` after each skill that is copied whole. */
  onProgress?: OnProgress | undefined
}

const MAX_BYTES = 64 * 1024 * 1024

const OPTIONS = {
  maxBytes: 1,
  whole: 1,
  embedder: 1,
  onProgress: 1,
} satisfies OptionNames<CachedOptions>

/**
 * Keeps an offline copy of a source.
 *
 * The library opens from the copy, then checks the source in the background and refreshes itself if anything changed. An update replaces
 * the copy whole or not at all. While the source cannot be read, the copy stays in use and the library reports `source-unreadable`. The
 * first opening needs the source. `library.refresh()` checks the source again.
 *
 * A store that fails is left out: the copy is in memory, and the library reports `copy-not-stored`. A source or store
 * without a `timeout` of its own may take 60 seconds for an answer.
 * @param storage Where the copy is stored, such as `indexedDb('offline')`. Use one store per source.
 * @throws SkillshelfError `invalid-input` if `maxBytes` is not a number from 0
 * @example
 * ```ts
 * import { cached, http, openLibrary } from 'skillshelf'
 * import { indexedDb } from 'skillshelf/sources'
 *
 * const source = cached(http('https://example.com/skills/'), indexedDb('offline'))
 * const library = await openLibrary(source)
 * ```
 */
export function cached(
  source: SkillSource,
  storage: WritableSource,
  options: CachedOptions = {},
): SkillSource {
  checkOptionNames(options, OPTIONS)
  const { maxBytes = MAX_BYTES, onProgress } = options
  if (!(maxBytes >= 0)) {
    throw invalidInput(`"maxBytes" must be a number from 0, not ${String(maxBytes)}`)
  }
  const guarded = guardSource(source)
  // A place that never answers must not hold every later refresh.
  const place = { ...guardSource(storage), write: storage.write.bind(storage) }
  const failsafe = failsafeStore(place, () => copy.reset())
  const store = failsafe.source
  const copy = openOfflineCopy(store, maxBytes)
  const checks = createCopyChecks(source)
  const readCopy = async (signal: AbortSignal | undefined): Promise<CopiedCatalog> =>
    checks.ofCopy(await copy.catalog(signal))
  const abort = new AbortController()
  const listeners = new Set<() => void>()
  let unwatchStore: (() => void) | undefined
  /** The next read of the catalog is answered from the copy, without a check of the source. */
  let answerFromCopy = true
  /** A change happened while nothing was listening. */
  let missedChange = false
  /** The error of a background check. The next read of the catalog throws it. */
  let backgroundError: unknown
  /** The version of the catalog that was returned last. */
  let returnedVersion: string | undefined

  const notify = (): void => {
    answerFromCopy = true
    missedChange = listeners.size === 0
    for (const listener of [...listeners]) listener()
  }

  const findUpdate = async (
    { stored, trusted }: CopiedCatalog,
    signal: AbortSignal,
  ): Promise<CopyUpdate | undefined> => {
    const { version, folders } = await copy.record(stored)
    const fromPacked = async (found: ReadResult): Promise<CopyUpdate> => {
      await checks.ofAnswer(found.bytes)
      return updateFromPacked({
        source: guarded,
        store,
        before: trusted,
        replaced: stored,
        found,
        signal,
      })
    }
    if (trusted && version !== undefined) {
      const options: CheckedReadOptions = {
        ifVersion: version,
        signal,
        [CHECK]: [...checks.ofReaders],
      }
      const found = await guarded.read(CATALOG_FILE, options)
      if (found === 'unchanged') return undefined
      if (found) return fromPacked(found)
    }
    const located = await findCatalog(guarded, { signal })
    if (located.kind === 'packed') return fromPacked(located.catalog)
    await checks.ofAnswer(undefined)
    const embedder = await options.embedder
    return updateFromTree({
      source: located.source,
      store,
      before: stored,
      folders,
      embedder,
      signal,
      onProgress,
    })
  }

  /** Brings the copy up to date with the source. Resolves to whether its skills changed. */
  const updateCopy = async (signal: AbortSignal): Promise<boolean> => {
    const copied = await readCopy(signal)
    const update = await findUpdate(copied, signal).catch(error => {
      throw isSkillshelfError(error, 'aborted', 'untrusted') || !copied.refusal
        ? error
        : refusedCopy(source, copied, error)
    })
    if (!update) return false
    const isInMemory = failsafe.problem() !== undefined
    try {
      await copy.commit(update, signal)
    } catch (error) {
      throwIfAborted(signal)
      if (isInMemory) throw error
      failsafe.abandon(error)
      // The update completes a copy that cannot be changed. Memory needs a whole one.
      return updateCopy(signal)
    }
    return update.catalog !== undefined
  }

  /** Checks the source. Resolves to whether the skills of the copy changed. */
  const check = coalesce(async (signal): Promise<boolean> => {
    const changed = await updateCopy(signal)
    if (options.whole) await copyWhole(await partsOfCopy(signal), signal)
    // Messages do not wait for what finds skills offline.
    else completeIndex(abort.signal).catch(() => undefined)
    return changed
  })

  const partsOfCopy = async (signal: AbortSignal): Promise<CopyParts> => {
    const { trusted } = await readCopy(signal)
    return { offline, store, copy, trusted, onProgress }
  }

  const completeIndex = async (signal: AbortSignal): Promise<void> =>
    copyIndex(await partsOfCopy(signal), signal)

  const checkInBackground = (): void => {
    check(abort.signal).then(
      changed => {
        if (changed && !abort.signal.aborted) notify()
      },
      error => {
        if (abort.signal.aborted) return
        backgroundError = error
        notify()
      },
    )
  }

  /** Reads a file of a packed library from the source, and stores it. */
  const fetchFile = async (
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<ReadResult | undefined> => {
    const found = await guarded.read(path, { signal })
    if (found === undefined || found === 'unchanged') return undefined
    if (await hasContentOfName(path, found.bytes)) await copy.keep(path, found.bytes)
    return found
  }

  const readCatalogFile = async (
    ifVersion: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ReadResult | 'unchanged' | undefined> => {
    let copied = answerFromCopy ? await readCopy(signal) : undefined
    if (copied?.trusted) {
      answerFromCopy = false
      if (backgroundError !== undefined) {
        const error = backgroundError
        backgroundError = undefined
        throw error
      }
      if (returnedVersion === undefined) checkInBackground()
    } else {
      await check(signal)
      answerFromCopy = false
      backgroundError = undefined
      copied = await readCopy(signal)
    }
    const { trusted, refusal } = copied
    if (refusal !== undefined) throw refusal
    if (!trusted) return undefined
    returnedVersion = trusted.version ?? ''
    return trusted.version !== undefined && trusted.version === ifVersion ? 'unchanged' : trusted
  }

  /** Another tab may have updated the copy. Files that it stores do not change the catalog. */
  const onStoreChange = (): void => {
    void copy.catalog().then(
      found => {
        if (
          !found ||
          returnedVersion === undefined ||
          found.version === returnedVersion ||
          abort.signal.aborted
        ) {
          return
        }
        copy.reset()
        notify()
      },
      () => undefined,
    )
  }

  const offline: CheckedSource & SourceWithProblem = {
    name: source.name,
    // An answer waits for the update of the copy. Each call of the source has a timeout.
    timeout: Number.POSITIVE_INFINITY,
    async read(path, { ifVersion, signal, ...rest }: CheckedReadOptions = {}) {
      throwIfAborted(signal)
      for (const check of rest[CHECK] ?? []) checks.ofReaders.add(check)
      const file = safePath(path)
      if (file === CATALOG_FILE) return readCatalogFile(ifVersion, signal)
      const found = await store.read(file, { ifVersion, signal })
      if (found === undefined) return fetchFile(file, signal)
      await copy.touch(file).catch(() => undefined)
      return found
    },
    watch(onChange) {
      listeners.add(onChange)
      unwatchStore ??= store.watch?.(onStoreChange)
      if (missedChange) {
        missedChange = false
        queueMicrotask(onChange)
      }
      return () => {
        listeners.delete(onChange)
        if (listeners.size > 0) return
        unwatchStore?.()
        unwatchStore = undefined
      }
    },
    async close() {
      abort.abort()
      listeners.clear()
      unwatchStore?.()
      await copy.save().catch(() => undefined)
      await Promise.all([source.close?.(), store.close?.()])
    },
    [CHECK]: checks.ofSource,
    [PROBLEM]: failsafe.problem,
  }
  return offline
}
