import type { AbortOptions } from '../../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import type { SkillSource } from '../../../source/source.js'
import type { CatalogEntry } from '../../catalog/catalog-entry.js'
import { createLookup } from '../../catalog/lookup.js'
import { readPackedDetails } from '../../catalog/packed-details.js'
import { packedFile, readPackedFile } from '../../catalog/packed-files.js'
import { createSnapshot } from '../../catalog/snapshot.js'

/** A skill in a store. */
export interface StoredSkill {
  folder: string
  name: string
  /** Digest of its SKILL.md. */
  digest: string
  /** Digest of its other files and metadata. */
  details: string
  /** The transformer whose vectors it has. Listed by servers only. */
  vectors?: string
}

export function toStoredSkill({ path, name, digest, details }: CatalogEntry): StoredSkill {
  return { folder: path, name, digest, details }
}

/** Finds a skill by its id or a unique name, also a disabled one. @throws SkillshelfError `skill-not-found`, `ambiguous-name` */
export function findStoredSkill(
  entries: readonly CatalogEntry[],
  origin: string,
  skill: string,
): CatalogEntry {
  const enabled = entries.map(({ enabled: _, ...entry }) => entry)
  const { snapshot, shadowed } = createSnapshot([{ origin, entries: enabled, diagnostics: [] }])
  const { path } = createLookup(snapshot.skills, shadowed).find(skill)
  return entries.find(entry => entry.path === path) as CatalogEntry
}

/** Reads the SKILL.md and the other files of a skill, by their path in its folder. */
export async function readStoredSkill(
  source: SkillSource,
  entry: CatalogEntry,
  { signal }: AbortOptions,
) {
  const { file, files } = await readPackedDetails(source, entry, signal)
  const contents = await mapParallel(
    [
      { path: file, digest: entry.digest, extension: '.md' },
      ...files.map(one => ({ ...one, extension: one.path })),
    ],
    PARALLEL_READS,
    async ({ path, digest, extension }) =>
      [path, await readPackedFile(source, packedFile(digest, extension), digest, signal)] as const,
  )
  return new Map(contents)
}
