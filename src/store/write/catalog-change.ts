import { CATALOG_FORMAT, type PackedCatalog, type PackedSegment } from '../../catalog/packed-catalog.js'
import { readPackedDetails, readPackedFile } from '../../catalog/packed-files.js'
import type { CatalogEntry } from '../../catalog/types.js'
import { mapParallel } from '../../core/concurrency.js'
import { digestOf, shortDigest } from '../../core/digest.js'
import { throwIfAborted } from '../../core/errors.js'
import { mergeSegments } from '../../segment/merge.js'
import { openSegment, type Segment } from '../../segment/open.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillSource } from '../../source/types.js'
import { heldIn, type PackedParts, packedFiles } from '../pack/packed-library.js'

/** What a change makes of a packed library. */
export interface Changed {
  catalog: PackedCatalog
  /** Files to write beside the catalog. */
  put: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  /** Files that the catalog names no more, neither itself nor through a skill's details. */
  unnamed: readonly string[]
  /** Folders, sorted. */
  added: readonly string[]
  changed: readonly string[]
  removed: readonly string[]
}

export interface ChangeOptions {
  put?: PackedParts | undefined
  /** Folders. Those that are not there are passed over. */
  remove?: readonly string[] | undefined
  /** Look for no files that are named no more: it takes a read for each skill. Default false. */
  keepOld?: boolean | undefined
  /** Every file that a skill of `before` names is there, so that what it keeps need not be put again. Default false. */
  complete?: boolean | undefined
  signal?: AbortSignal | undefined
}

/** Segments are merged when there are more than this, except one that holds most skills; and one by one when a quarter is dead. */
const MAX_SEGMENTS = 8
const MAX_DEAD = 0.25
const PARALLEL_READS = 6
const NONE: PackedCatalog = { format: CATALOG_FORMAT, name: '', skills: [], segments: [], diagnostics: [] }

/**
 * A packed library with skills put in and taken out. What is put becomes a segment of its own, what it replaces is dead in the old one:
 * nothing else is read or written, until segments have become many or hollow.
 * @param library Where the files of `before` are.
 */
export async function changePacked(
  library: SkillSource,
  before: PackedCatalog = NONE,
  { put, remove = [], keepOld = false, complete = false, signal }: ChangeOptions,
): Promise<Changed> {
  const old = new Map(before.skills.map(entry => [entry.path, entry]))
  const coming = new Map(
    (put?.catalog.skills ?? []).filter(entry => !isSame(entry, old.get(entry.path))).map(entry => [entry.path, entry]),
  )
  const gone = new Set(remove.filter(path => old.has(path)))
  const leaves = (path: string): boolean => gone.has(path) || coming.has(path)
  const replaced = before.skills.filter(({ path }) => leaves(path))

  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const parts = [
    ...sliced(before, entry => !leaves(entry.path)),
    ...(put ? sliced(put.catalog, entry => coming.get(entry.path) === entry && !gone.has(entry.path)) : []),
  ]
  const given = heldIn(put?.files ?? new Map(), library.name)
  const there = complete ? await thereAlready(library, before.skills, coming, signal) : new Set<string>()
  const now = new Set<string>()
  for (const entry of coming.values()) {
    const { files: own } = await readPackedDetails(given, entry)
    for (const path of packedFiles(entry, own)) {
      now.add(path)
      if (!there.has(path)) files.set(path, put?.files.get(path) as Uint8Array<ArrayBuffer>)
    }
  }
  const read = async ({ file }: PackedSegment): Promise<Uint8Array<ArrayBuffer>> =>
    put?.files.get(file) ?? (await readPackedFile(library, file, file.replace('.seg', ''), signal))
  const settled = await settle(parts, read, files)
  for (const { piece } of settled) {
    const bytes = put?.files.get(piece.file)
    if (bytes && !before.segments.some(({ file }) => file === piece.file)) files.set(piece.file, bytes)
  }

  const catalog: PackedCatalog = {
    format: CATALOG_FORMAT,
    name: before.name || library.name,
    skills: settled.flatMap(({ entries }) => entries),
    segments: settled.map(({ piece }) => piece),
    diagnostics: told(before, put?.catalog, [...remove, ...(put?.catalog.skills ?? []).map(({ path }) => path)]),
  }
  return {
    catalog,
    put: files,
    unnamed: keepOld
      ? []
      : await unnamed(library, before, catalog, replaced, new Set([...now, ...files.keys()]), signal),
    added: [...coming.keys()].filter(path => !old.has(path) && !gone.has(path)).sort(),
    changed: [...coming.keys()].filter(path => old.has(path) && !gone.has(path)).sort(),
    removed: [...gone].sort(),
  }
}

function isSame(a: CatalogEntry, b: CatalogEntry | undefined): boolean {
  return a.digest === b?.digest && a.details === b.details
}

/** A segment and its live skills, in the segment's order. */
interface Part {
  piece: PackedSegment
  entries: readonly CatalogEntry[]
}

/** The segments of a catalog with only those skills alive that are kept; those that hold none are left out. */
function sliced({ segments, skills }: PackedCatalog, keep: (entry: CatalogEntry) => boolean): Part[] {
  let next = 0
  return segments
    .map(({ file, skills: count, dead }): Part => {
      const gone = new Set(dead)
      const entries: CatalogEntry[] = []
      for (let number = 0; number < count; number++) {
        if (gone.has(number)) continue
        const entry = skills[next++] as CatalogEntry
        if (keep(entry)) entries.push(entry)
        else gone.add(number)
      }
      return { piece: { file, skills: count, dead: [...gone].sort((a, b) => a - b) }, entries }
    })
    .filter(({ entries }) => entries.length > 0)
}

/** Merges what has become many or hollow; what another version wrote stays as it is. */
async function settle(
  parts: readonly Part[],
  read: (piece: PackedSegment) => Promise<Uint8Array<ArrayBuffer>>,
  files: Map<string, Uint8Array<ArrayBuffer>>,
): Promise<readonly Part[]> {
  const total = parts.reduce((sum, { entries }) => sum + entries.length, 0)
  const worn = parts.filter(
    ({ piece, entries }) =>
      piece.dead.length > piece.skills * MAX_DEAD || (parts.length > MAX_SEGMENTS && entries.length * 2 <= total),
  )
  const opened: { part: Part; segment: Segment }[] = []
  for (const part of worn) {
    const segment = openSegment(await read(part.piece))
    if (segment) opened.push({ part, segment })
  }
  if (opened.length === 0) return parts
  const bytes = mergeSegments(opened.map(({ part, segment }) => ({ segment, dead: new Set(part.piece.dead) })))
  const file = `${shortDigest(digestOf(bytes))}.seg`
  files.set(file, bytes)
  const entries = opened.flatMap(({ part }) => part.entries)
  const merged = new Set(opened.map(({ part }) => part))
  return [...parts.filter(part => !merged.has(part)), { piece: { file, skills: entries.length, dead: [] }, entries }]
}

/** What was wrong with what was packed: of folders that were read again or are gone it is said no more. */
function told(
  before: PackedCatalog,
  put: PackedCatalog | undefined,
  folders: readonly string[],
): readonly Diagnostic[] {
  const now = put?.diagnostics ?? []
  const again = new Set(now.map(one => JSON.stringify(one)))
  const old = before.diagnostics.filter(
    one =>
      !again.has(JSON.stringify(one)) &&
      !folders.some(folder => one.path === folder || one.path?.startsWith(`${folder}/`)),
  )
  return [...old, ...now]
}

/** Files that these skills name. */
async function namedBy(
  library: SkillSource,
  skills: readonly CatalogEntry[],
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const files = await mapParallel(skills, PARALLEL_READS, async entry =>
    packedFiles(entry, (await readPackedDetails(library, entry, signal)).files),
  )
  return new Set(files.flat())
}

/** Files of the skills that are replaced. */
async function thereAlready(
  library: SkillSource,
  skills: readonly CatalogEntry[],
  coming: ReadonlyMap<string, CatalogEntry>,
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const old = skills.filter(({ path }) => coming.has(path))
  try {
    return await namedBy(library, old, signal)
  } catch {
    throwIfAborted(signal)
    // Then all are put.
    return new Set()
  }
}

/** Files of skills and segments that are gone, unless another skill has the same bytes. */
async function unnamed(
  library: SkillSource,
  before: PackedCatalog,
  after: PackedCatalog,
  replaced: readonly CatalogEntry[],
  needed: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const named = new Set([...after.segments.map(({ file }) => file), ...needed])
  const segments = before.segments.map(({ file }) => file).filter(file => !named.has(file))
  if (replaced.length === 0) return segments
  try {
    const old = new Set(before.skills)
    const kept = after.skills.filter(entry => old.has(entry))
    for (const path of await namedBy(library, kept, signal)) named.add(path)
    const gone = await namedBy(library, replaced, signal)
    return [...segments, ...[...gone].filter(path => !named.has(path))]
  } catch {
    throwIfAborted(signal)
    // Where the details of one skill cannot be read nobody knows what it needs.
    return segments
  }
}
