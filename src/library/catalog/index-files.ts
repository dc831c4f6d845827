import type { PackedCatalog, PackedSegment } from './packed-catalog.js'

/** The embedder that the packed vectors of each skill are of, by folder. Skills without vectors are left out. */
export function vectorSpaces({
  skills,
  segments,
}: Pick<PackedCatalog, 'skills' | 'segments'>): Map<string, string> {
  const spaces = new Map<string, string>()
  if (vectorFiles(segments).length === 0) return spaces
  let next = 0
  for (const { skills: count, dead, vectors } of segments) {
    const end = next + count - dead.length
    for (; next < end; next++) {
      const path = skills[next]?.path
      if (vectors && path !== undefined) spaces.set(path, vectors.space)
    }
  }
  return spaces
}

type IndexFiles = readonly Pick<PackedSegment, 'file' | 'vectors'>[]

/** The files of the vectors of segments. */
export function vectorFiles(segments: IndexFiles): string[] {
  return segments.flatMap(({ vectors }) => vectors?.file ?? [])
}

/** The files of segments, and of their vectors. */
export function indexFiles(segments: IndexFiles): string[] {
  return [...segments.map(({ file }) => file), ...vectorFiles(segments)]
}
