import { sameBytes } from '../../../core/bytes.js'
import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import type { OnProgress } from '../../../core/progress.js'
import type { SkillModel } from '../../../search/model/types.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { FileEntry, ListableSource, ReadResult, SkillSource } from '../../../source/source.js'
import { discoverSkills, unreadableFolders } from '../../catalog/discover.js'
import { type PackedCatalog, readCatalog, writeCatalog } from '../../catalog/packed-catalog.js'
import { readPackedFile } from '../../catalog/packed-files.js'
import { readPackedLibrary } from '../pack/packed-library.js'
import { changeCatalog } from '../write/catalog-change.js'
import type { CopyRecord } from './copy-record.js'
import { readSkills } from './read-skills.js'

/** The changes that bring an offline copy up to date with its source. */
export interface CopyUpdate {
  /** Absent if only the record changes. */
  catalog?: PackedCatalog
  put: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  remove: readonly string[]
  /** Replaces the record: that of a packed library does not apply to a tree. */
  record: Omit<CopyRecord, 'used'>
  /** The version of the catalog that is replaced, `null` if there is none. `undefined` if the store has no versions. */
  before?: string | null | undefined
}

interface UpdateOptions {
  source: SkillSource
  /** The catalog in the store. */
  before: ReadResult | undefined
  signal: AbortSignal
}

/** Updates the copy of a packed library: its catalog and new segments. */
export async function updateFromPacked({
  source,
  before,
  found,
  signal,
}: UpdateOptions & { found: ReadResult }): Promise<CopyUpdate> {
  const record = found.version === undefined ? {} : { version: found.version }
  if (before && sameBytes(before.bytes, found.bytes)) return { put: new Map(), remove: [], record }
  const catalog = await readCatalog(found.bytes, `${CATALOG_FILE} of ${source.name}`)
  const old = before ? (await readCatalog(before.bytes, CATALOG_FILE)).segments.map(({ file }) => file) : []
  const segments = catalog.segments.map(({ file }) => file)
  const put = new Map<string, Uint8Array<ArrayBuffer>>()
  await mapParallel(
    segments.filter(file => !old.includes(file)),
    PARALLEL_READS,
    async file => put.set(file, await readPackedFile(source, file, file.replace('.seg', ''), signal)),
  )
  put.set(CATALOG_FILE, found.bytes)
  const remove = old.filter(file => !segments.includes(file))
  return { catalog, put, remove, record, before: replacedVersion(before) }
}

/** Updates the copy of a tree: reads skills whose files have new versions. `undefined` if nothing changed. */
export async function updateFromTree({
  source,
  store,
  before,
  folders,
  embedder,
  signal,
  onProgress,
}: UpdateOptions & {
  source: ListableSource
  store: SkillSource
  /** From the record. If absent, every skill is compared. */
  folders: ReadonlyMap<string, string> | undefined
  embedder: SkillModel | undefined
  onProgress: OnProgress | undefined
}): Promise<CopyUpdate | undefined> {
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
  const old = before ? await readCatalog(before.bytes, CATALOG_FILE) : undefined
  const remove = [...new Set([...known.keys(), ...(old?.paths ?? [])])].filter(
    folder => !versions.has(folder) && !isUnreadable(folder),
  )
  if (before && changed.size === 0 && remove.length === 0) return undefined

  const skills = await readSkills(source, listing, changed, signal, onProgress)
  const packed = await readPackedLibrary(skills.source, { embedder, signal })
  const diagnostics = [...packed.catalog.diagnostics, ...skills.failed.values()]
  const put = { ...packed, catalog: { ...packed.catalog, diagnostics } }
  // Without folders, the copy is that of a packed library: some files are missing, and its diagnostics are obsolete.
  const current = old && (folders ? old : { ...old, diagnostics: [] })
  const change = await changeCatalog(store, current, { put, remove, signal })
  // A skill that failed keeps its old version, so that it is read again next time.
  const nextFolders = new Map<string, string>()
  for (const [folder, version] of versions) {
    const recorded = skills.failed.has(folder) ? known.get(folder) : version
    if (recorded !== undefined) nextFolders.set(folder, recorded)
  }
  const record = { folders: nextFolders }
  const isSame = change.added.length + change.changed.length + change.removed.length === 0
  if (old && folders && isSame && JSON.stringify(change.catalog.diagnostics) === JSON.stringify(old.diagnostics))
    return { put: new Map(), remove: [], record }
  const allFiles = folders ? [] : [...packed.files].filter(([path]) => path.startsWith('files/'))
  const files = new Map([...allFiles, ...change.put]).set(CATALOG_FILE, await writeCatalog(change.catalog))
  return {
    catalog: change.catalog,
    put: files,
    remove: change.unreferenced,
    record,
    before: replacedVersion(before),
  }
}

function replacedVersion(before: ReadResult | undefined): string | null | undefined {
  return before ? before.version : null
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
