import { coalesce, mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { digestOfLarge, shortDigest } from '../../../core/digest.js'
import { invalidInput, throwIfAborted } from '../../../core/errors.js'
import { basename, safePath } from '../../../core/paths.js'
import { invokeCallback, type OnProgress, rethrowCallbackError } from '../../../core/progress.js'
import type { SkillModel } from '../../../search/model/skill-model.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import { guardSource } from '../../../source/guard.js'
import type { ReadResult, SkillSource, WritableSource } from '../../../source/source.js'
import { findCatalog } from '../../catalog/find-catalog.js'
import { readCatalog } from '../../catalog/packed-catalog.js'
import { readPackedDetails } from '../../catalog/packed-details.js'
import { packedFiles } from '../../catalog/packed-files.js'
import { updateFromPacked, updateFromTree } from './copy-update.js'
import { type CopyUpdate, openOfflineCopy } from './offline-copy.js'

/** Options of `cached`. */
export interface CachedOptions {
  /** Maximum bytes of resources. The least recently read are removed first. Instructions are always kept. @default 67108864 (64 MiB) */
  maxBytes?: number | undefined
  /** Copies every file that fits into `maxBytes`, not only files that are read. Always for a source that is not packed. @default false */
  whole?: boolean | undefined
  /** Adds vectors to skills of a source that is not packed, to find them by meaning too. @default undefined (keywords only) */
  embedder?: SkillModel | Promise<SkillModel> | undefined
  /** Called with phase `read` after each skill that is copied whole. */
  onProgress?: OnProgress | undefined
}

const MAX_BYTES = 64 * 1024 * 1024

/**
 * Keeps an offline copy of a source.
 *
 * The library opens from the copy, then checks the source in the background and refreshes itself if anything changed. An update replaces
 * the copy whole or not at all. While the source cannot be read, the copy stays in use and the library reports `source-unreadable`. The
 * first opening needs the source. `library.refresh()` checks the source again.
 * @param store Where the copy is stored, such as `indexedDb('offline')`. Use one store per source.
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
export function cached(source: SkillSource, store: WritableSource, options: CachedOptions = {}): SkillSource {
  const { maxBytes = MAX_BYTES, onProgress } = options
  if (!(maxBytes >= 0)) throw invalidInput(`"maxBytes" must be a number from 0, not ${String(maxBytes)}`)
  const guarded = guardSource(source)
  const copy = openOfflineCopy(store, maxBytes)
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

  const findUpdate = async (signal: AbortSignal): Promise<CopyUpdate | undefined> => {
    const before = await copy.catalog(signal)
    const { version, folders } = await copy.record()
    if (before && version !== undefined) {
      const found = await guarded.read(CATALOG_FILE, { ifVersion: version, signal })
      if (found === 'unchanged') return undefined
      if (found) return updateFromPacked({ source: guarded, before, found, signal })
    }
    const located = await findCatalog(guarded, { signal })
    if (located.kind === 'packed') return updateFromPacked({ source: guarded, before, found: located.catalog, signal })
    const embedder = await options.embedder
    return updateFromTree({ source: located.source, store, before, folders, embedder, signal, onProgress })
  }

  /** Checks the source. Resolves to whether the skills of the copy changed. */
  const check = coalesce(async (signal): Promise<boolean> => {
    const update = await findUpdate(signal)
    if (update) await copy.commit(update, signal)
    if (options.whole) await copyAll(signal)
    return update?.catalog !== undefined
  })

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

  const copyAll = async (signal: AbortSignal): Promise<void> => {
    const found = await copy.catalog(signal)
    if (!found) return
    const { skills } = await readCatalog(found.bytes, CATALOG_FILE)
    const existing = new Set(((await store.list?.({ signal })) ?? []).map(({ path }) => path))
    let room = await copy.room()
    let done = 0
    await mapParallel(skills, PARALLEL_READS, async entry => {
      try {
        const { files } = await readPackedDetails(offline, entry, signal)
        // SKILL.md and details come first. They are pinned and need no room.
        const sizes = [0, 0, ...files.map(({ size = 0 }) => size)]
        for (const [index, path] of packedFiles(entry, files).entries()) {
          throwIfAborted(signal)
          const size = sizes[index] as number
          // A file that does not fit would evict another one.
          if (existing.has(path) || (size > 0 && size > room)) continue
          existing.add(path)
          room -= size
          await offline.read(path, { signal })
        }
        invokeCallback(onProgress, { phase: 'read', done: ++done, total: skills.length })
      } catch (error) {
        throwIfAborted(signal)
        rethrowCallbackError(error)
        // The copy works without the file. It is fetched when it is read, or by the next check.
      }
    })
  }

  /** Reads a file of a packed library from the source, and stores it. */
  const fetchFile = async (path: string, signal: AbortSignal | undefined): Promise<ReadResult | undefined> => {
    const found = await guarded.read(path, { signal })
    if (found === undefined || found === 'unchanged') return undefined
    if (shortDigest(await digestOfLarge(found.bytes)) === basename(path).slice(0, 16))
      await copy.keep(path, found.bytes)
    return found
  }

  const readCatalogFile = async (ifVersion: string | undefined, signal: AbortSignal | undefined) => {
    if (answerFromCopy && (await copy.catalog(signal))) {
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
    }
    const found = await store.read(CATALOG_FILE, { ifVersion, signal })
    if (found && found !== 'unchanged') returnedVersion = found.version ?? ''
    return found
  }

  /** Another tab may have updated the copy. Files that it stores do not change the catalog. */
  const onStoreChange = (): void => {
    void copy.catalog().then(
      found => {
        if (!found || returnedVersion === undefined || found.version === returnedVersion || abort.signal.aborted) return
        copy.reset()
        notify()
      },
      () => undefined,
    )
  }

  const offline: SkillSource = {
    name: source.name,
    // An answer waits for the update of the copy. Each call of the source has a timeout.
    timeout: Number.POSITIVE_INFINITY,
    async read(path, { ifVersion, signal } = {}) {
      throwIfAborted(signal)
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
  }
  return offline
}
