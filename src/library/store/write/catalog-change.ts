import type { AbortOptions } from '../../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { digestOf, shortDigest } from '../../../core/digest.js'
import { throwIfAborted } from '../../../core/errors.js'
import { compactSegments } from '../../../search/index/merge.js'
import type { SkillSource } from '../../../source/source.js'
import type { CatalogEntry } from '../../catalog/catalog-entry.js'
import { CATALOG_FORMAT, type PackedCatalog, type PackedSegment } from '../../catalog/packed-catalog.js'
import { readPackedDetails } from '../../catalog/packed-details.js'
import { packedFiles, readPackedFile } from '../../catalog/packed-files.js'
import { memoryFiles, type PackedLibrary } from '../pack/packed-library.js'

interface CatalogChangeOptions extends AbortOptions {
  put?: PackedLibrary | undefined
  /** Folders. Missing ones are ignored. */
  remove?: readonly string[] | undefined
  /** Skips the search for unreferenced files, which reads the details of every skill. @default false */
  keepOld?: boolean | undefined
  /** Every file of every skill of `before` exists, so that files a replaced skill keeps are not written again. @default false */
  complete?: boolean | undefined
}

const EMPTY: PackedCatalog = { format: CATALOG_FORMAT, name: '', skills: [], segments: [], diagnostics: [] }

/**
 * Adds, replaces and removes skills of a packed library. New skills get a segment of their own; replaced and removed skills are dead in
 * the old one. No other file is read or written, unless segments are compacted.
 * @param library Holds the files of `before`.
 * @returns The catalog and the other files to write, and the folders that were added, changed and removed, sorted.
 */
export async function changeCatalog(
  library: SkillSource,
  before: PackedCatalog = EMPTY,
  { put, remove = [], keepOld = false, complete = false, signal }: CatalogChangeOptions,
) {
  const given = put?.catalog.skills ?? []
  const old = new Map(before.skills.map(entry => [entry.path, entry]))
  const isSame = ({ path, digest, details }: CatalogEntry): boolean =>
    digest === old.get(path)?.digest && details === old.get(path)?.details
  const incoming = new Map(given.filter(entry => !isSame(entry)).map(entry => [entry.path, entry]))
  const removed = new Set(remove.filter(path => old.has(path)))
  const isReplaced = (path: string): boolean => removed.has(path) || incoming.has(path)
  const replaced = before.skills.filter(({ path }) => isReplaced(path))

  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const referenced = new Set<string>()
  const keptFolders = complete ? before.skills.filter(({ path }) => incoming.has(path)) : []
  // If any details cannot be read, every file is written.
  const existing = await referencedFiles(library, keptFolders, signal).catch(() => {
    throwIfAborted(signal)
    return new Set<string>()
  })
  const putFiles = memoryFiles(put?.files ?? new Map(), library.name)
  for (const entry of incoming.values()) {
    const details = await readPackedDetails(putFiles, entry)
    for (const path of packedFiles(entry, details.files)) {
      referenced.add(path)
      if (!existing.has(path)) files.set(path, put?.files.get(path) as Uint8Array<ArrayBuffer>)
    }
  }

  const segments = [
    ...retainSkills(before, entry => !isReplaced(entry.path)),
    ...(put ? retainSkills(put.catalog, entry => incoming.get(entry.path) === entry && !removed.has(entry.path)) : []),
  ]
  const { kept, merged } = await compactSegments(
    segments,
    async ({ file }) => put?.files.get(file) ?? (await readPackedFile(library, file, file.replace('.seg', ''), signal)),
  )
  const after = [...kept]
  if (merged) {
    const file = `${shortDigest(digestOf(merged.bytes))}.seg`
    files.set(file, merged.bytes)
    const entries = merged.from.flatMap(segment => segment.entries)
    after.push({ file, skills: entries.length, dead: new Set(), entries })
  }
  for (const { file } of kept) {
    const bytes = put?.files.get(file)
    if (bytes && !before.segments.some(segment => segment.file === file)) files.set(file, bytes)
  }

  const catalog: PackedCatalog = {
    format: CATALOG_FORMAT,
    name: before.name || library.name,
    skills: after.flatMap(({ entries }) => entries),
    segments: after.map(({ file, skills, dead }) => ({ file, skills, dead: [...dead].sort((a, b) => a - b) })),
    diagnostics: mergeDiagnostics(before, put?.catalog, [...remove, ...given.map(({ path }) => path)]),
  }
  for (const path of files.keys()) referenced.add(path)
  const changes = [...incoming.keys()].filter(path => !removed.has(path)).sort()
  return {
    catalog,
    put: files,
    /** Files that neither the catalog nor the details of a skill refer to any more. */
    unreferenced: keepOld ? [] : await unreferencedFiles(library, before, catalog, replaced, referenced, signal),
    added: changes.filter(path => !old.has(path)),
    changed: changes.filter(path => old.has(path)),
    removed: [...removed].sort(),
  }
}

interface SegmentEntries extends Omit<PackedSegment, 'dead'> {
  dead: ReadonlySet<number>
  /** The live skills, in the order of the segment. */
  entries: readonly CatalogEntry[]
}

/** Marks the skills that are not kept as dead. Leaves out segments without live skills. */
function retainSkills({ segments, skills }: PackedCatalog, keep: (entry: CatalogEntry) => boolean): SegmentEntries[] {
  let next = 0
  return segments
    .map((segment): SegmentEntries => {
      const dead = new Set(segment.dead)
      const entries: CatalogEntry[] = []
      for (let number = 0; number < segment.skills; number++) {
        if (dead.has(number)) continue
        const entry = skills[next++] as CatalogEntry
        if (keep(entry)) entries.push(entry)
        else dead.add(number)
      }
      return { file: segment.file, skills: segment.skills, dead, entries }
    })
    .filter(({ entries }) => entries.length > 0)
}

/** Drops old diagnostics of folders that were packed again or removed. */
function mergeDiagnostics(before: PackedCatalog, put: PackedCatalog | undefined, folders: readonly string[]) {
  const added = put?.diagnostics ?? []
  const repeated = new Set(added.map(one => JSON.stringify(one)))
  const kept = before.diagnostics.filter(
    one =>
      !repeated.has(JSON.stringify(one)) &&
      !folders.some(folder => one.path === folder || one.path?.startsWith(`${folder}/`)),
  )
  return [...kept, ...added]
}

async function referencedFiles(library: SkillSource, skills: readonly CatalogEntry[], signal: AbortSignal | undefined) {
  const files = await mapParallel(skills, PARALLEL_READS, async entry =>
    packedFiles(entry, (await readPackedDetails(library, entry, signal)).files),
  )
  return new Set(files.flat())
}

/** Files of replaced skills and segments that no other skill has. If any details cannot be read, only segments are removed. */
async function unreferencedFiles(
  library: SkillSource,
  before: PackedCatalog,
  after: PackedCatalog,
  replaced: readonly CatalogEntry[],
  needed: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const referenced = new Set([...after.segments.map(({ file }) => file), ...needed])
  const segments = before.segments.map(({ file }) => file).filter(file => !referenced.has(file))
  if (replaced.length === 0) return segments
  try {
    const old = new Set(before.skills)
    const kept = after.skills.filter(entry => old.has(entry))
    for (const path of await referencedFiles(library, kept, signal)) referenced.add(path)
    const files = await referencedFiles(library, replaced, signal)
    return [...segments, ...[...files].filter(path => !referenced.has(path))]
  } catch {
    throwIfAborted(signal)
    return segments
  }
}
