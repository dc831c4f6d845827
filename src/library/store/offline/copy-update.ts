import { sameBytes } from '../../../core/bytes.js'
import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { errorMessage, SkillshelfError, throwIfAborted } from '../../../core/errors.js'
import { invokeCallback, type OnProgress, rethrowCallbackError } from '../../../core/progress.js'
import type { SkillModel } from '../../../search/model/skill-model.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { FileEntry, ListableSource, ReadResult, SkillSource } from '../../../source/source.js'
import {
  discoverSkills,
  isSafeInFolder,
  owningFolder,
  unreadableFolders,
} from '../../catalog/discover.js'
import { indexFiles, vectorFiles } from '../../catalog/index-files.js'
import { readCatalog, writeCatalog } from '../../catalog/packed-catalog.js'
import { digestIn, readPackedFile } from '../../catalog/packed-files.js'
import { isPieced, wholeCatalog } from '../../catalog/pieced-catalog.js'
import { planLibrary } from '../pack/plan-library.js'
import { readPlanned } from '../pack/planned-file.js'
import { changeCatalog } from '../write/catalog-change.js'
import { digestOfCatalog, readCopied } from './copied-catalog.js'
import type { CopyUpdate } from './offline-copy.js'

interface UpdateOptions {
  source: SkillSource
  /** The catalog in the store. */
  before: ReadResult | undefined
  signal: AbortSignal
}

interface TreeUpdateOptions extends UpdateOptions {
  source: ListableSource
  store: SkillSource
  /** From the record. If absent, every skill is compared. */
  folders: ReadonlyMap<string, string> | undefined
  embedder: SkillModel | undefined
  onProgress: OnProgress | undefined
}

interface PackedUpdateOptions extends UpdateOptions {
  store: SkillSource
  found: ReadResult
  /** The catalog in the store if it is not trusted, and then not in `before`: it is replaced, and nothing of it is kept. */
  replaced: ReadResult | undefined
}

/**
 * Updates the copy of a packed library: its catalog and new segments. Those of a library in pieces follow later if the copy does not find every
 * skill yet: see `cached`.
 */
export async function updateFromPacked(options: PackedUpdateOptions): Promise<CopyUpdate> {
  const { source, before, replaced, found, signal } = options
  const catalog = digestOfCatalog(found.bytes)
  const record = found.version === undefined ? { catalog } : { catalog, version: found.version }
  if (before && sameBytes(before.bytes, found.bytes)) return { put: new Map(), remove: [], record }
  const subject = `${CATALOG_FILE} of ${source.name}`
  const old = await readOldIndex(before, options)
  const stale = before ? old : await readOldIndex(replaced, options)
  const put = new Map<string, Uint8Array<ArrayBuffer>>()
  const commit = { put, record, before: replaced ? replaced.version : null }
  if (isPieced(found.bytes) && !old.isComplete) {
    put.set(CATALOG_FILE, found.bytes)
    // The whole catalog may name segments of the copy, which are not fetched again.
    return { ...commit, catalog: { skills: [], segments: [] }, remove: [] }
  }
  const { whole, pieced } = await wholeCatalog(source, found, subject, signal)
  const { skills, segments } = await readCatalog(whole.bytes, subject)
  await mapParallel(
    segments.filter(({ file }) => !old.files.includes(file)),
    PARALLEL_READS,
    async ({ file }) => put.set(file, await readPackedFile(source, file, digestIn(file), signal)),
  )
  if (pieced) put.set(pieced.whole, whole.bytes)
  put.set(CATALOG_FILE, found.bytes)
  // Vectors are fetched when a page loads their transformer, and then kept.
  const wanted = new Set([...indexFiles(segments), ...put.keys()])
  return {
    ...commit,
    catalog: { skills, segments },
    whole: pieced?.whole,
    remove: stale.files.filter(file => !wanted.has(file)),
  }
}

/** The files that find the skills of a copy. */
interface OldIndex {
  files: readonly string[]
  /** Whether the store has all of them, except vectors. */
  isComplete: boolean
}

async function readOldIndex(
  catalog: ReadResult | undefined,
  { store, signal }: Pick<PackedUpdateOptions, 'store' | 'signal'>,
): Promise<OldIndex> {
  const read = catalog && (await readCopied(store, catalog).catch(() => undefined))
  if (!read) return { files: [], isComplete: false }
  const stored = new Set(((await store.list?.({ signal })) ?? []).map(({ path }) => path))
  return {
    files: [...read.indexFiles, ...vectorFiles(read.catalog.segments)],
    isComplete: read.indexFiles.every(file => stored.has(file)),
  }
}

/** Updates the copy of a tree: reads skills whose files have new versions. `undefined` if nothing changed. */
export async function updateFromTree(options: TreeUpdateOptions): Promise<CopyUpdate | undefined> {
  const { source, store, before, folders, embedder, signal, onProgress } = options
  const listing = await source.list({ summaries: true, signal })
  const isUnreadable = unreadableFolders(listing)
  const known = folders ?? new Map<string, string>()
  const unreadable = [...known].filter(([folder]) => isUnreadable(folder))
  const versions = new Map([...unreadable, ...versionsByFolder(listing)])
  const changed = new Set(
    [...versions]
      .filter(([folder, version]) => version === '' || known.get(folder) !== version)
      .map(([folder]) => folder),
  )
  const old = before ? (await readCopied(store, before)).catalog : undefined
  const remove = [...new Set([...known.keys(), ...(old?.paths ?? [])])].filter(
    folder => !versions.has(folder) && !isUnreadable(folder),
  )
  if (before && changed.size === 0 && remove.length === 0) return undefined

  const skills = await readSkills(source, listing, { folders: changed, signal, onProgress })
  // The copy stays on this device, and has what the source offers.
  const plan = await planLibrary(skills.source, {
    embedder,
    signal,
    secrets: 'keep',
    internal: true,
  })
  const diagnostics = [...plan.catalog.diagnostics, ...skills.failed.values()]
  const put = { ...plan, catalog: { ...plan.catalog, diagnostics } }
  // Without folders, the copy is that of a packed library: some files are missing, and its diagnostics are obsolete.
  const current = old && (folders ? old : { ...old, diagnostics: [] })
  const change = await changeCatalog(store, current, { put, remove, signal })
  // A skill that failed keeps its old version, so that it is read again next time.
  const nextFolders = new Map<string, string>()
  for (const [folder, version] of versions) {
    const recorded = skills.failed.has(folder) ? known.get(folder) : version
    if (recorded !== undefined) nextFolders.set(folder, recorded)
  }
  const isSame = change.added.length + change.changed.length + change.removed.length === 0
  if (
    before &&
    old &&
    folders &&
    isSame &&
    JSON.stringify(change.catalog.diagnostics) === JSON.stringify(old.diagnostics)
  ) {
    const record = { catalog: digestOfCatalog(before.bytes), folders: nextFolders }
    return { put: new Map(), remove: [], record }
  }
  const all = folders ? [] : [...plan.files.keys()].filter(path => path.startsWith('files/'))
  const allFiles = await readPlanned(plan.files, all, { signal })
  const bytes = await writeCatalog(change.catalog)
  const files = new Map([...allFiles, ...change.put]).set(CATALOG_FILE, bytes)
  const { catalog, unreferenced } = change
  return {
    catalog,
    put: files,
    remove: unreferenced,
    record: { catalog: digestOfCatalog(bytes), folders: nextFolders },
    before: before ? before.version : null,
  }
}

/** A string per folder that changes with any of its files; `''` if the source has no versions. */
function versionsByFolder(listing: readonly FileEntry[]): Map<string, string> {
  return new Map(
    discoverSkills(listing).folders.map(({ path, file, files }) => [
      path,
      file.version === undefined || files.some(({ version }) => version === undefined)
        ? ''
        : [file, ...files].map(one => `${one.path}\t${one.version}`).join('\n'),
    ]),
  )
}

interface ReadSkillsOptions {
  folders: ReadonlySet<string>
  signal: AbortSignal
  onProgress: OnProgress | undefined
}

/** Reads the skills in some folders. A file that cannot be read fails its own skill only: `failed` has the problem by folder. */
async function readSkills(
  source: ListableSource,
  listing: readonly FileEntry[],
  { folders, signal, onProgress }: ReadSkillsOptions,
): Promise<{ source: SkillSource; failed: ReadonlyMap<string, Diagnostic> }> {
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
      byFolder.set(
        folder,
        folder === '' ? [...files] : files.filter(({ path }) => path.startsWith(`${folder}/`)),
      )
    } catch (error) {
      fail(folder, summarized.path, error)
    }
  })

  const contents = new Map<string, Uint8Array<ArrayBuffer>>()
  const remaining = new Map([...byFolder].map(([folder, entries]) => [folder, entries.length]))
  const files = [...byFolder].flatMap(([folder, entries]) =>
    entries.map(entry => ({ folder, entry })),
  )
  let done = 0
  await mapParallel(files, PARALLEL_READS, async ({ folder, entry: { path, unreadable } }) => {
    // Unreadable files and unsafe paths are reported when the listing is read.
    if (unreadable === undefined && isSafeInFolder(path, folder) && !failed.has(folder)) {
      try {
        const found = await source.read(path, { signal })
        if (typeof found !== 'object') {
          throw new SkillshelfError('source-failed', 'it is listed but does not exist', {
            subject: path,
          })
        }
        contents.set(path, found.bytes)
      } catch (error) {
        fail(folder, path, error)
      }
    }
    const left = (remaining.get(folder) as number) - 1
    remaining.set(folder, left)
    if (left > 0) return
    done++
    invokeCallback(onProgress, { phase: 'read', done, total: byFolder.size })
  })
  const entries = files.flatMap(({ folder, entry }) => (failed.has(folder) ? [] : [entry]))
  const read: SkillSource['read'] = async path => {
    const bytes = contents.get(path)
    return bytes && { bytes }
  }
  return { source: { name: source.name, read, list: async () => entries }, failed }
}
