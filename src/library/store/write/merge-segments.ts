import { onDemand } from '../../../core/load-module.js'
import { compactSegments } from '../../../search/index/merge.js'
import type { SkillSource } from '../../../source/source.js'
import type { CatalogEntry } from '../../catalog/catalog-entry.js'
import { indexFiles } from '../../catalog/index-files.js'
import type { PackedCatalog, PackedSegment } from '../../catalog/packed-catalog.js'
import { readPackedSegment } from '../../catalog/packed-segment.js'
import type { PackedContents } from '../pack/memory-pack.js'
import type { PackPlan } from '../pack/plan.js'
import { readPlanned } from '../pack/planned-file.js'
import { segmentFile } from '../pack/segment-file.js'

/** Few libraries have vectors of a transformer. */
const loadMergeVectors = onDemand(() => import('./merge-vectors.js'))

/** Skills that are put into a library: the part of a plan that a change needs. */
export type PutSkills = Pick<PackPlan, 'catalog' | 'skills' | 'files'>

/** A segment and its skills. */
export interface RetainedSegment extends Omit<PackedSegment, 'dead'> {
  dead: ReadonlySet<number>
  /** The live skills, in the order of the segment. */
  entries: readonly CatalogEntry[]
}

/** Marks the skills that are not kept as dead. Leaves out segments without live skills. */
export function retain(
  { segments, skills }: PackedCatalog,
  keep: (entry: CatalogEntry) => boolean,
): RetainedSegment[] {
  let next = 0
  return segments
    .map((segment): RetainedSegment => {
      const dead = new Set(segment.dead)
      const entries: CatalogEntry[] = []
      for (let number = 0; number < segment.skills; number++) {
        if (dead.has(number)) continue
        const entry = skills[next] as CatalogEntry
        next++
        if (keep(entry)) entries.push(entry)
        else dead.add(number)
      }
      return { ...segment, dead, entries }
    })
    .filter(({ entries }) => entries.length > 0)
}

/** The segments of the next catalog. */
export interface NextSegments {
  segments: readonly RetainedSegment[]
  /** Those that the library does not have. */
  files: PackedContents
}

/** Merges segments if there are many, or if one has many dead skills. The merged ones make one segment, the last. */
export async function mergeIfNeeded(
  library: SkillSource,
  retained: readonly RetainedSegment[],
  {
    before,
    put,
    signal,
  }: { before: PackedCatalog; put: PutSkills; signal: AbortSignal | undefined },
): Promise<NextSegments> {
  // Files of the plan and of the library.
  const both = overlay(library, put)
  const { kept, merged } = await compactSegments(retained, ({ file }) =>
    readPackedSegment(both, file, signal),
  )
  const segments = [...kept]
  const existing = new Set(indexFiles(before.segments))
  const added = indexFiles(kept).filter(file => put.files.has(file) && !existing.has(file))
  const files = await readPlanned(put.files, added, { signal })
  if (merged) {
    const { file, bytes } = await segmentFile(merged.bytes)
    const entries = merged.from.flatMap(segment => segment.entries)
    const hasVectors = merged.from.some(({ vectors }) => vectors)
    const vectors = hasVectors
      ? await (await loadMergeVectors()).mergeVectors(both, merged.from, signal)
      : undefined
    files.set(file, bytes)
    if (vectors) files.set(vectors.name.file, vectors.bytes)
    const names = vectors ? { vectors: vectors.name } : {}
    segments.push({ file, skills: entries.length, dead: new Set(), ...names, entries })
  }
  return { segments, files }
}

/** Reads files of a plan before those of a library. */
function overlay(library: SkillSource, { files }: PutSkills): Pick<SkillSource, 'name' | 'read'> {
  return {
    name: library.name,
    async read(path, options) {
      const bytes = await files.get(path)?.read({ signal: options?.signal })
      return bytes ? { bytes } : library.read(path, options)
    },
  }
}
