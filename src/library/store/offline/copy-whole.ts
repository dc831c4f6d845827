import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { throwIfAborted } from '../../../core/errors.js'
import { invokeCallback, type OnProgress, rethrowCallbackError } from '../../../core/progress.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { ReadResult, SkillSource } from '../../../source/source.js'
import type { CatalogEntry } from '../../catalog/catalog-entry.js'
import { vectorFiles } from '../../catalog/index-files.js'
import { readPackedDetails } from '../../catalog/packed-details.js'
import { packedFiles } from '../../catalog/packed-files.js'
import { readPiecedCatalog } from '../../catalog/pieced-catalog.js'
import { readCopied } from './copied-catalog.js'
import type { OfflineCopy } from './offline-copy.js'

/** A copy that is to be completed. */
export interface CopyParts {
  /** Reads from the copy; what the copy lacks, from the source, and keeps it. */
  offline: SkillSource
  store: Pick<SkillSource, 'list'>
  copy: OfflineCopy
  /** The catalog of the copy. */
  trusted: ReadResult | undefined
  onProgress: OnProgress | undefined
}

/** Copies what finds the skills of a library in pieces. That of another one is copied with its catalog. */
export async function copyIndex(
  { offline, copy, trusted }: CopyParts,
  signal: AbortSignal,
): Promise<void> {
  const pieced = trusted && (await readPiecedCatalog(trusted.bytes, CATALOG_FILE))
  if (!pieced) return
  await copy.pin([pieced.whole])
  const { catalog, indexFiles } = await readCopied(offline, trusted, signal)
  await copy.pin(indexFiles, catalog)
  await mapParallel(indexFiles, PARALLEL_READS, file => offline.read(file, { signal }))
}

/** Copies the index, and every file that fits. */
export async function copyWhole(parts: CopyParts, signal: AbortSignal): Promise<void> {
  await copyIndex(parts, signal)
  const { offline, store, copy, trusted, onProgress } = parts
  if (!trusted) return
  const { skills, segments } = (await readCopied(offline, trusted, signal)).catalog
  const existing = new Set(((await store.list?.({ signal })) ?? []).map(({ path }) => path))
  let room = await copy.room()
  const vectors = vectorFiles(segments).filter(path => !existing.has(path))
  await mapParallel(vectors, PARALLEL_READS, path =>
    offline.read(path, { signal }).catch(() => throwIfAborted(signal)),
  )
  const copySkill = async (entry: CatalogEntry): Promise<void> => {
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
  }
  let done = 0
  await mapParallel(skills, PARALLEL_READS, async entry => {
    try {
      await copySkill(entry)
      invokeCallback(onProgress, { phase: 'read', done: ++done, total: skills.length })
    } catch (error) {
      throwIfAborted(signal)
      rethrowCallbackError(error)
      // The copy works without the file. It is fetched when it is read, or by the next check.
    }
  })
}
