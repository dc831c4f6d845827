import type { AbortOptions } from '../../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { throwIfAborted } from '../../../core/errors.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import type { SkillSource } from '../../../source/source.js'
import { CATALOG_FORMAT } from '../../catalog/catalog-bytes.js'
import type { CatalogEntry } from '../../catalog/catalog-entry.js'
import { indexFiles, vectorSpaces } from '../../catalog/index-files.js'
import type { PackedCatalog } from '../../catalog/packed-catalog.js'
import { readPackedDetails } from '../../catalog/packed-details.js'
import { packedFiles } from '../../catalog/packed-files.js'
import type { PackedContents } from '../pack/memory-pack.js'
import { readPlanned } from '../pack/planned-file.js'
import { mergeIfNeeded, type PutSkills, type RetainedSegment, retain } from './merge-segments.js'

/** Skills to put into a packed library and to remove from it. */
interface CatalogChangeOptions extends AbortOptions {
  put?: PutSkills | undefined
  /** Folders. Missing ones are ignored. */
  remove?: readonly string[] | undefined
  /** Skips the search for unreferenced files, which reads the details of every skill. @default false */
  keepOld?: boolean | undefined
  /** Every file of every skill of `before` exists, so that files a replaced skill keeps are not written again. @default false */
  hasAllFiles?: boolean | undefined
}

/** A change of a packed library that nothing is written of yet. */
export interface CatalogChange {
  catalog: PackedCatalog
  /** The other files to write, before the catalog. */
  put: PackedContents
  /** Files that neither the catalog nor the details of a skill refer to any more. Empty with `keepOld`. */
  unreferenced: readonly string[]
  /** Folders, sorted. */
  added: readonly string[]
  changed: readonly string[]
  removed: readonly string[]
}

const EMPTY: PackedCatalog = {
  format: CATALOG_FORMAT,
  name: '',
  skills: [],
  segments: [],
  diagnostics: [],
}

/**
 * Adds, replaces and removes skills of a packed library. New skills get a segment of their own; replaced and removed skills are dead in
 * the old one. No other file is read or written, unless segments are merged.
 * @param library Holds the files of `before`.
 */
export async function changeCatalog(
  library: SkillSource,
  stored: PackedCatalog = EMPTY,
  options: CatalogChangeOptions,
): Promise<CatalogChange> {
  const { keepOld = false, signal } = options
  const put = options.put ?? { catalog: EMPTY, skills: [], files: new Map() }
  const difference = compare(stored, put.catalog, options.remove)
  const before = { ...stored, skills: withoutPlaces(stored.skills, difference.touched) }
  const skillFiles = await listSkillFiles(library, { before, put, difference, options })
  const retained = [
    ...retain(before, entry => !isReplaced(entry, difference)),
    ...retain(put.catalog, entry => isIncoming(entry, difference)),
  ]
  const merged = await mergeIfNeeded(library, retained, { before, put, signal })
  const catalog = nextCatalog(library, merged.segments, { before, put, remove: options.remove })
  const files = new Map([...skillFiles.missing, ...merged.files])
  const needed = new Set([...skillFiles.all, ...files.keys()])
  const { incoming, removed, replaced } = difference
  const folders = [...incoming.keys()].filter(path => !removed.has(path)).sort()
  const old = new Set(stored.skills.flatMap(placesOf))
  return {
    catalog,
    put: files,
    unreferenced: keepOld
      ? []
      : await listUnreferenced(library, { before, after: catalog, replaced, needed, signal }),
    added: folders.filter(path => !old.has(path)),
    changed: folders.filter(path => old.has(path)),
    removed: [...removed].sort(),
  }
}

/** How the skills that a change puts and removes differ from those of the library. */
interface Difference {
  /** Skills to add or to replace, by folder. A skill with the content that it had before is not one of them, unless it has other vectors. */
  incoming: ReadonlyMap<string, CatalogEntry>
  /** Folders that hold a skill or a copy no more, or those of another one. */
  touched: ReadonlySet<string>
  /** Folders of skills that leave. */
  removed: ReadonlySet<string>
  /** Skills of the library that leave or are replaced, in every folder. */
  replaced: readonly CatalogEntry[]
}

function compare(
  before: PackedCatalog,
  put: PackedCatalog,
  remove: readonly string[] = [],
): Difference {
  const old = new Map(before.skills.map(entry => [entry.path, entry]))
  const oldSpaces = vectorSpaces(before)
  const spaces = vectorSpaces(put)
  const isSame = ({ path, digest, details, copies = [] }: CatalogEntry): boolean => {
    const known = old.get(path)
    const space = spaces.get(path)
    return (
      digest === known?.digest &&
      details === known.details &&
      copies.every(copy => known.copies?.includes(copy)) &&
      (space === undefined || space === oldSpaces.get(path))
    )
  }
  const incoming = new Map(
    put.skills.filter(entry => !isSame(entry)).map(entry => [entry.path, entry]),
  )
  // A folder that now holds a copy of an incoming skill has no skill of its own any more.
  const copies = [...incoming.values()].flatMap(entry => entry.copies ?? [])
  const places = new Set(before.skills.flatMap(placesOf))
  const removed = new Set([...remove, ...copies].filter(path => places.has(path)))
  const touched = new Set([...removed, ...incoming.keys()])
  const replaced = before.skills.filter(entry => placesOf(entry).every(path => touched.has(path)))
  return { incoming, touched, removed, replaced }
}

/** The folders of a skill and of its copies. */
function placesOf({ path, copies = [] }: CatalogEntry): string[] {
  return [path, ...copies]
}

/** A change of one of several copies leaves the others: the first of them is listed from then on. */
function withoutPlaces(
  skills: readonly CatalogEntry[],
  touched: ReadonlySet<string>,
): readonly CatalogEntry[] {
  if (skills.every(({ copies }) => copies === undefined)) return skills
  return skills.map(entry => {
    const { copies: _, ...alone } = entry
    const places = placesOf(entry)
    const [path, ...copies] = places.filter(place => !touched.has(place))
    if (path === undefined || copies.length === places.length - 1) return entry
    return copies.length > 0 ? { ...alone, path, copies } : { ...alone, path }
  })
}

function isReplaced({ path }: CatalogEntry, { incoming, removed }: Difference): boolean {
  return removed.has(path) || incoming.has(path)
}

function isIncoming(entry: CatalogEntry, { incoming, removed }: Difference): boolean {
  return incoming.get(entry.path) === entry && !removed.has(entry.path)
}

/** The files of incoming skills. */
interface SkillFiles {
  /** Paths of all. */
  all: ReadonlySet<string>
  /** Those that the library does not have. */
  missing: PackedContents
}

interface SkillFilesOptions {
  before: PackedCatalog
  put: PutSkills
  difference: Difference
  options: CatalogChangeOptions
}

async function listSkillFiles(
  library: SkillSource,
  { before, put, difference: { incoming }, options: { hasAllFiles, signal } }: SkillFilesOptions,
): Promise<SkillFiles> {
  const replaced = hasAllFiles ? before.skills.filter(({ path }) => incoming.has(path)) : []
  // If any details cannot be read, every file is written.
  const existing = await referencedFiles(library, replaced, signal).catch(() => {
    throwIfAborted(signal)
    return new Set<string>()
  })
  const all = new Set(
    put.skills
      .filter(({ entry }) => incoming.has(entry.path))
      .flatMap(({ entry, details }) => packedFiles(entry, details.files)),
  )
  const missing = [...all].filter(path => !existing.has(path))
  return { all, missing: await readPlanned(put.files, missing, { signal }) }
}

function nextCatalog(
  library: SkillSource,
  segments: readonly RetainedSegment[],
  {
    before,
    put,
    remove = [],
  }: Pick<CatalogChangeOptions, 'remove'> & { before: PackedCatalog; put: PutSkills },
): PackedCatalog {
  const packed = put.catalog.skills.map(({ path }) => path)
  return {
    format: CATALOG_FORMAT,
    name: before.name || library.name,
    skills: segments.flatMap(({ entries }) => entries),
    segments: segments.map(({ entries: _, dead, ...segment }) => ({
      ...segment,
      dead: [...dead].sort((a, b) => a - b),
    })),
    diagnostics: mergeDiagnostics(before, put.catalog, [...remove, ...packed]),
  }
}

/** Drops old diagnostics of folders that were packed again or removed. */
function mergeDiagnostics(
  before: PackedCatalog,
  { diagnostics: added }: PackedCatalog,
  folders: readonly string[],
): readonly Diagnostic[] {
  const repeated = new Set(added.map(one => JSON.stringify(one)))
  const kept = before.diagnostics.filter(
    one =>
      !repeated.has(JSON.stringify(one)) &&
      !folders.some(folder => one.path === folder || one.path?.startsWith(`${folder}/`)),
  )
  return [...kept, ...added]
}

/** The files that the details of skills refer to, and those details. */
async function referencedFiles(
  library: SkillSource,
  skills: readonly CatalogEntry[],
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const files = await mapParallel(skills, PARALLEL_READS, async entry =>
    packedFiles(entry, (await readPackedDetails(library, entry, signal)).files),
  )
  return new Set(files.flat())
}

interface UnreferencedOptions extends AbortOptions {
  before: PackedCatalog
  after: PackedCatalog
  /** Skills of `before` that are replaced or removed. */
  replaced: readonly CatalogEntry[]
  /** Files of new skills and segments. */
  needed: ReadonlySet<string>
}

/** Files of replaced skills and segments that no other skill has. If any details cannot be read, only segments are listed. */
async function listUnreferenced(
  library: SkillSource,
  { before, after, replaced, needed, signal }: UnreferencedOptions,
): Promise<string[]> {
  const referenced = new Set([...indexFiles(after.segments), ...needed])
  const segments = indexFiles(before.segments).filter(file => !referenced.has(file))
  if (replaced.length === 0) return segments
  try {
    const old = new Set(before.skills.map(({ details }) => details))
    const kept = after.skills.filter(({ details }) => old.has(details))
    for (const path of await referencedFiles(library, kept, signal)) referenced.add(path)
    const files = await referencedFiles(library, replaced, signal)
    return [...segments, ...[...files].filter(path => !referenced.has(path))]
  } catch {
    throwIfAborted(signal)
    return segments
  }
}
