import { locate } from '../../catalog/locate.js'
import { readCatalog } from '../../catalog/packed-catalog.js'
import { readPackedDetails } from '../../catalog/packed-files.js'
import { coalesce, mapParallel } from '../../core/concurrency.js'
import { digestOfLarge, shortDigest } from '../../core/digest.js'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { basename, safePath } from '../../core/paths.js'
import { invokeCallback, rethrowCallbackError } from '../../core/progress.js'
import type { SkillModel } from '../../embed/types.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { ReadResult, SkillSource, WritableSource } from '../../source/types.js'
import { packedFiles } from '../pack/packed-library.js'
import { type Swap, swapPacked, swapTree } from './copy-update.js'
import { openCopy } from './offline-copy.js'

export interface CachedOptions {
  /** Bytes of resources that are kept; what was not read for longest goes first. Instructions are always kept. Default 67,108,864 (64 MiB). */
  maxBytes?: number | undefined
  /** Copy every file at once that `maxBytes` has room for, rather than what is opened. Default false; what is no packed library is always copied whole. */
  whole?: boolean | undefined
  /** Gives skills of a place that is no packed library the vectors of a model: `bundled()`. Default: words alone. */
  embedder?: SkillModel | Promise<SkillModel> | undefined
  /** Skills copied so far, where all are. */
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined
}

const MAX_BYTES = 64 * 1024 * 1024
const PARALLEL_READS = 6

/**
 * An offline copy of a source. The first answer comes from the store; then the source is asked whether anything changed, and the library
 * follows by itself. A change is swapped in whole; while the source cannot be read the last good copy stays, and the library says so.
 * `refresh` asks the source again. The first opening needs it.
 */
export function cached(source: SkillSource, store: WritableSource, options: CachedOptions = {}): SkillSource {
  const { maxBytes = MAX_BYTES } = options
  if (!(maxBytes >= 0))
    throw new SkillshelfError('invalid-input', `maxBytes is ${String(maxBytes)}; it is a number of bytes from 0 on`)
  const listeners = new Set<() => void>()
  const stop = new AbortController()
  /** The next read of the catalog is answered from the store. */
  let fresh = true
  /** Nobody was listening when there was something to tell. */
  let untold = false
  let failure: unknown
  /** The version of the catalog that was given last. */
  let given: string | undefined
  const copy = openCopy(store, maxBytes)

  const tell = (): void => {
    fresh = true
    untold = listeners.size === 0
    for (const listener of [...listeners]) listener()
  }

  /** Asks the source; resolves to whether the store has something new. */
  const check = coalesce(async (signal): Promise<boolean> => {
    const before = await copy.catalog(signal)
    const notes = await copy.notes()
    let found: ReadResult | 'unchanged' | undefined
    if (before && notes.version !== undefined)
      found = await source.read(CATALOG_FILE, { ifVersion: notes.version, signal })
    let swap: Swap | undefined
    if (found === 'unchanged') swap = undefined
    else if (found) swap = await swapPacked({ source, before, found, signal })
    else {
      const at = await locate(source, { signal })
      swap =
        at.kind === 'packed'
          ? await swapPacked({ source, before, found: at.catalog, signal })
          : await swapTree({
              source: at.source,
              store,
              before,
              folders: notes.folders,
              embedder: await options.embedder,
              signal,
              onProgress: options.onProgress,
            })
    }
    if (swap) await copy.commit(swap, signal)
    if (options.whole) await copyAll(signal)
    return swap?.catalog !== undefined
  })

  /** In the background: what comes of it is told to whoever listens, as an answer to the next read of the catalog. */
  const checkLater = (): void => {
    check(stop.signal).then(
      changed => {
        if (changed && !stop.signal.aborted) tell()
      },
      error => {
        if (stop.signal.aborted) return
        failure = error
        tell()
      },
    )
  }

  /** A file of a packed library, which is in the store from then on. */
  const fetchFile = async (path: string, signal: AbortSignal | undefined): Promise<ReadResult | undefined> => {
    const found = await source.read(path, signal ? { signal } : {})
    if (found === undefined || found === 'unchanged') return undefined
    if (shortDigest(await digestOfLarge(found.bytes)) === basename(path).slice(0, 16))
      await copy.keep(path, found.bytes)
    return found
  }

  const copyAll = async (signal: AbortSignal): Promise<void> => {
    const held = await copy.catalog(signal)
    if (!held) return
    const { skills } = readCatalog(held.bytes, CATALOG_FILE)
    const there = new Set(((await store.list?.({ signal })) ?? []).map(({ path }) => path))
    let room = await copy.room()
    let done = 0
    await mapParallel(skills, PARALLEL_READS, async entry => {
      try {
        const { files } = await readPackedDetails(self, entry, signal)
        const sizes = [0, 0, ...files.map(({ size = 0 }) => size)]
        for (const [at, path] of packedFiles(entry, files).entries()) {
          throwIfAborted(signal)
          const size = sizes[at] as number
          // What would go again for the next file, or what is kept for it, is left to whoever reads it.
          if (there.has(path) || (size > 0 && size > room)) continue
          there.add(path)
          room -= size
          await self.read(path, { signal })
        }
        invokeCallback(options.onProgress, { done: ++done, total: skills.length })
      } catch (error) {
        throwIfAborted(signal)
        rethrowCallbackError(error)
        // The library is there all the same; what is missing is fetched at the next look, or when it is read.
      }
    })
  }

  const readCatalogFile = async (ifVersion: string | undefined, signal: AbortSignal | undefined) => {
    if (fresh && (await copy.catalog(signal))) {
      fresh = false
      if (failure !== undefined) {
        const error = failure
        failure = undefined
        throw error
      }
      if (given === undefined) checkLater()
    } else {
      await check(signal)
      fresh = false
    }
    const held = await store.read(CATALOG_FILE, { ...(ifVersion ? { ifVersion } : {}), ...(signal ? { signal } : {}) })
    if (held && held !== 'unchanged') given = held.version ?? ''
    return held
  }

  /** Another tab may have swapped; what it merely keeps changes nothing here. */
  const followStore = (): void => {
    void copy.catalog().then(
      held => {
        if (!held || given === undefined || held.version === given || stop.signal.aborted) return
        copy.forget()
        tell()
      },
      () => undefined,
    )
  }

  let unfollow: (() => void) | undefined
  const self: SkillSource = {
    name: source.name,
    async read(path, { ifVersion, signal } = {}) {
      throwIfAborted(signal)
      const safe = safePath(path)
      if (safe === CATALOG_FILE) return readCatalogFile(ifVersion, signal)
      const held = await store.read(safe, { ...(ifVersion ? { ifVersion } : {}), ...(signal ? { signal } : {}) })
      if (held === undefined) return fetchFile(safe, signal)
      await copy.touch(safe).catch(() => undefined)
      return held
    },
    watch(onChange) {
      listeners.add(onChange)
      unfollow ??= store.watch?.(followStore)
      if (untold) {
        untold = false
        queueMicrotask(onChange)
      }
      return () => {
        listeners.delete(onChange)
        if (listeners.size > 0) return
        unfollow?.()
        unfollow = undefined
      }
    },
    async close() {
      stop.abort()
      listeners.clear()
      unfollow?.()
      await copy.save().catch(() => undefined)
      await Promise.all([source.close?.(), store.close?.()])
    },
  }
  return self
}
