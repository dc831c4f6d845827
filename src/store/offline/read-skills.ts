import { isSafeInFolder, owningFolder } from '../../catalog/discover.js'
import { mapParallel } from '../../core/concurrency.js'
import { errorMessage, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { invokeCallback, rethrowCallbackError } from '../../core/progress.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { FileEntry, ListableSource, SkillSource } from '../../source/types.js'
import { heldIn } from '../pack/packed-library.js'

export interface ReadFolders {
  /** The skills that could be read, with all their files. */
  source: SkillSource
  /** What is wrong with the others, by folder: they are to be read again the next time. */
  failed: ReadonlyMap<string, Diagnostic>
}

const PARALLEL_READS = 6

/** Reads some of a place's skills. One of which any file cannot be read hides no other. */
export async function readFolders(
  source: ListableSource,
  listing: readonly FileEntry[],
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
  onProgress: ((progress: { done: number; total: number }) => void) | undefined,
): Promise<ReadFolders> {
  const failed = new Map<string, Diagnostic>()
  const fail = (folder: string, path: string, error: unknown): void => {
    throwIfAborted(signal)
    rethrowCallbackError(error)
    const why = errorMessage(error)
    const message = `${path} cannot be read: ${why}`
    failed.set(folder, { code: 'skill-unreadable', severity: 'error', message, path })
  }

  const byFolder = new Map<string, FileEntry[]>()
  for (const entry of listing) {
    const folder = owningFolder(entry.path, wanted)
    if (folder === undefined) continue
    const entries = byFolder.get(folder)
    if (entries) entries.push(entry)
    else byFolder.set(folder, [entry])
  }
  await mapParallel([...byFolder], PARALLEL_READS, async ([folder, entries]) => {
    const summed = entries.find(({ summary }) => summary)
    if (!summed) return
    try {
      const all = await source.list({ folder, signal })
      const start = folder === '' ? '' : `${folder}/`
      byFolder.set(
        folder,
        all.filter(({ path }) => path.startsWith(start)),
      )
    } catch (error) {
      fail(folder, summed.path, error)
    }
  })

  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const left = new Map([...byFolder].map(([folder, entries]) => [folder, entries.length]))
  let done = 0
  const all = [...byFolder].flatMap(([folder, entries]) => entries.map(entry => ({ folder, entry })))
  await mapParallel(all, PARALLEL_READS, async ({ folder, entry: { path, unreadable } }) => {
    // What is listed as unreadable, or by a path that is refused, is left to whoever reads the listing.
    if (unreadable === undefined && isSafeInFolder(path, folder) && !failed.has(folder))
      try {
        const found = await source.read(path, { signal })
        if (typeof found !== 'object')
          throw new SkillshelfError('source-failed', 'it is listed but not there', { subject: path })
        files.set(path, found.bytes)
      } catch (error) {
        fail(folder, path, error)
      }
    const rest = (left.get(folder) as number) - 1
    left.set(folder, rest)
    if (rest === 0) invokeCallback(onProgress, { done: ++done, total: byFolder.size })
  })
  const there = all.flatMap(({ folder, entry }) => (failed.has(folder) ? [] : [entry]))
  return { source: { ...heldIn(files, source.name), list: async () => there }, failed }
}
