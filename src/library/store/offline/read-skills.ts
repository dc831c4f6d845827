import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { errorMessage, SkillshelfError, throwIfAborted } from '../../../core/errors.js'
import { invokeCallback, type OnProgress, rethrowCallbackError } from '../../../core/progress.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import type { FileEntry, ListableSource, SkillSource } from '../../../source/source.js'
import { isSafeInFolder, owningFolder } from '../../catalog/discover.js'
import { memoryFiles } from '../pack/packed-library.js'

export interface ReadSkills {
  /** The skills that could be read, with all their files. */
  source: SkillSource
  /** The other skills, by folder. */
  failed: ReadonlyMap<string, Diagnostic>
}

/** Reads the skills in these folders with all their files. A file that cannot be read fails its own skill only. */
export async function readSkills(
  source: ListableSource,
  listing: readonly FileEntry[],
  folders: ReadonlySet<string>,
  signal: AbortSignal,
  onProgress: OnProgress | undefined,
): Promise<ReadSkills> {
  const failed = new Map<string, Diagnostic>()
  const fail = (folder: string, path: string, error: unknown): void => {
    throwIfAborted(signal)
    rethrowCallbackError(error)
    const message = `${path} cannot be read: ${errorMessage(error)}`
    failed.set(folder, { code: 'skill-unreadable', severity: 'error', message, path })
  }

  const byFolder = new Map<string, FileEntry[]>()
  for (const entry of listing) {
    const folder = owningFolder(entry.path, folders)
    if (folder === undefined) continue
    const entries = byFolder.get(folder)
    if (entries) entries.push(entry)
    else byFolder.set(folder, [entry])
  }
  // A listing with summaries omits files, so these folders are listed again.
  await mapParallel([...byFolder], PARALLEL_READS, async ([folder, entries]) => {
    const summarized = entries.find(({ summary }) => summary)
    if (!summarized) return
    try {
      const files = await source.list({ folder, signal })
      const prefix = folder === '' ? '' : `${folder}/`
      byFolder.set(
        folder,
        files.filter(({ path }) => path.startsWith(prefix)),
      )
    } catch (error) {
      fail(folder, summarized.path, error)
    }
  })

  const contents = new Map<string, Uint8Array<ArrayBuffer>>()
  const remaining = new Map([...byFolder].map(([folder, entries]) => [folder, entries.length]))
  const files = [...byFolder].flatMap(([folder, entries]) => entries.map(entry => ({ folder, entry })))
  let done = 0
  await mapParallel(files, PARALLEL_READS, async ({ folder, entry: { path, unreadable } }) => {
    // Unreadable files and unsafe paths are reported when the listing is read.
    if (unreadable === undefined && isSafeInFolder(path, folder) && !failed.has(folder))
      try {
        const found = await source.read(path, { signal })
        if (typeof found !== 'object')
          throw new SkillshelfError('source-failed', 'it is listed but does not exist', { subject: path })
        contents.set(path, found.bytes)
      } catch (error) {
        fail(folder, path, error)
      }
    const left = (remaining.get(folder) as number) - 1
    remaining.set(folder, left)
    if (left === 0) invokeCallback(onProgress, { phase: 'read', done: ++done, total: byFolder.size })
  })
  const entries = files.flatMap(({ folder, entry }) => (failed.has(folder) ? [] : [entry]))
  return { source: { ...memoryFiles(contents, source.name), list: async () => entries }, failed }
}
