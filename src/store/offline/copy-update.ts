import { discoverSkills, unreadableFolders } from '../../catalog/discover.js'
import { type PackedCatalog, readCatalog, writeCatalog } from '../../catalog/packed-catalog.js'
import { readPackedFile } from '../../catalog/packed-files.js'
import { sameBytes } from '../../core/bytes.js'
import { mapParallel } from '../../core/concurrency.js'
import type { SkillModel } from '../../embed/types.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { FileEntry, ListableSource, ReadResult, SkillSource } from '../../source/types.js'
import { readParts } from '../pack/packed-library.js'
import { changePacked } from '../write/catalog-change.js'
import type { CopyNotes } from './copy-record.js'
import { readFolders } from './read-skills.js'

/** What must be written for a copy to be as its source is now. */
export interface Swap {
  /** Left out where only the notes change. */
  catalog?: PackedCatalog
  put: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  remove: readonly string[]
  /** In place of those there are: what was known of a packed library says nothing of a tree. */
  notes: Omit<CopyNotes, 'used'>
  /** The version of the catalog that is replaced, `null` for none, where the store has versions. */
  before?: string | null
}

interface From {
  source: SkillSource
  /** The catalog in the store. */
  before: ReadResult | undefined
  signal: AbortSignal
}

const PARALLEL_READS = 6

/** A packed library: its catalog and the segments that the copy has not yet. */
export async function swapPacked({ source, before, found, signal }: From & { found: ReadResult }): Promise<Swap> {
  const notes = found.version === undefined ? {} : { version: found.version }
  if (before && sameBytes(before.bytes, found.bytes)) return { put: new Map(), remove: [], notes }
  const catalog = readCatalog(found.bytes, `${CATALOG_FILE} of ${source.name}`)
  const old = before ? readCatalog(before.bytes, CATALOG_FILE).segments.map(({ file }) => file) : []
  const now = catalog.segments.map(({ file }) => file)
  const put = new Map<string, Uint8Array<ArrayBuffer>>()
  await mapParallel(
    now.filter(file => !old.includes(file)),
    PARALLEL_READS,
    async file => put.set(file, await readPackedFile(source, file, file.replace('.seg', ''), signal)),
  )
  put.set(CATALOG_FILE, found.bytes)
  return { catalog, put, remove: old.filter(file => !now.includes(file)), notes, ...replaces(before) }
}

/** A tree: skills whose files are listed with other versions than before are read, with all their files. `undefined`: nothing changed. */
export async function swapTree({
  source,
  store,
  before,
  folders,
  embedder,
  signal,
  onProgress,
}: From & {
  source: ListableSource
  store: SkillSource
  /** What the notes say of the tree; without them everything is compared anew. */
  folders: ReadonlyMap<string, string> | undefined
  embedder: SkillModel | undefined
  onProgress: ((progress: { done: number; total: number }) => void) | undefined
}): Promise<Swap | undefined> {
  const listing = await source.list({ summaries: true, signal })
  const isHidden = unreadableFolders(listing)
  const known = folders ?? new Map<string, string>()
  // What cannot be looked at stays as it was.
  const kept = [...known].filter(([folder]) => isHidden(folder))
  const now = new Map([...kept, ...stampsOf(listing)])
  const changed = new Set(
    [...now].filter(([folder, stamp]) => stamp === '' || known.get(folder) !== stamp).map(([folder]) => folder),
  )
  const old = before ? readCatalog(before.bytes, CATALOG_FILE) : undefined
  const remove = [...new Set([...known.keys(), ...(old?.paths ?? [])])].filter(
    folder => !now.has(folder) && !isHidden(folder),
  )
  if (before && changed.size === 0 && remove.length === 0) return undefined
  const { source: some, failed } = await readFolders(source, listing, changed, signal, onProgress)
  const parts = await readParts(some, { embedder, signal })
  const diagnostics = [...parts.catalog.diagnostics, ...failed.values()]
  const put = { ...parts, catalog: { ...parts.catalog, diagnostics } }
  // What is there may be a packed library's: then not all its files are, and what was wrong with it is no more.
  const held = old && (folders ? old : { ...old, diagnostics: [] })
  const next = await changePacked(store, held, { put, remove, signal })
  // What could not be read is taken for what it was: it is looked at again.
  const stamps = [...now].flatMap(([folder, stamp]) => {
    const last = failed.has(folder) ? known.get(folder) : stamp
    return last === undefined ? [] : [[folder, last] as const]
  })
  const notes = { folders: new Map(stamps) }
  const same = next.added.length + next.changed.length + next.removed.length === 0
  if (old && folders && same && JSON.stringify(next.catalog.diagnostics) === JSON.stringify(old.diagnostics))
    return { put: new Map(), remove: [], notes }
  const all = folders ? [] : [...parts.files].filter(([path]) => path.startsWith('files/'))
  const files = new Map([...all, ...next.put]).set(CATALOG_FILE, writeCatalog(next.catalog))
  return { catalog: next.catalog, put: files, remove: next.unnamed, notes, ...replaces(before) }
}

function replaces(before: ReadResult | undefined): Pick<Swap, 'before'> {
  if (!before) return { before: null }
  return before.version === undefined ? {} : { before: before.version }
}

/** Of each skill's folder what changes with any of its files; `''` where the place has no versions. */
function stampsOf(listing: readonly FileEntry[]): Map<string, string> {
  return new Map(
    discoverSkills(listing).folders.map(({ path, file, files }) => [
      path,
      file.version === undefined || files.some(one => one.version === undefined)
        ? ''
        : [file, ...files].map(one => `${one.path}\t${one.version}`).join('\n'),
    ]),
  )
}
