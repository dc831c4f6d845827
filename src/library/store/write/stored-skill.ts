import type { AbortOptions } from '../../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import type { SkillSource } from '../../../source/source.js'
import type { CatalogEntry } from '../../catalog/catalog-entry.js'
import { contentOfEntry } from '../../catalog/catalog-line.js'
import { createLookup } from '../../catalog/lookup.js'
import { readPackedDetails } from '../../catalog/packed-details.js'
import { packedFile, readPackedFile } from '../../catalog/packed-files.js'
import { createSnapshot, skillId } from '../../catalog/snapshot.js'

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

/**
 * Finds a skill by its id or a unique name, also a disabled one. By the id of a copy, `path` is the folder of the copy; by a name, `copies`
 * has the other folders.
 * @throws SkillshelfError `skill-not-found`, `ambiguous-name`
 */
export function findStoredSkill(
  entries: readonly CatalogEntry[],
  origin: string,
  skill: string,
): CatalogEntry {
  const place = findPlace(entries, origin, skill)
  if (place) return place
  const enabled = entries.map(({ enabled: _, ...entry }) => entry)
  const layer = { origin, entries: enabled, diagnostics: [], contentOf: contentOfEntry }
  const { snapshot, shadowed } = createSnapshot([layer])
  const { path, copies } = createLookup(snapshot.skills, shadowed).find(skill)
  const entry = entries.find(entry => entry.path === path) as CatalogEntry
  return copies ? { ...entry, copies } : entry
}

/** The skill in the folder that an id names. */
function findPlace(
  entries: readonly CatalogEntry[],
  origin: string,
  id: string,
): CatalogEntry | undefined {
  for (const entry of entries) {
    for (const path of [entry.path, ...(entry.copies ?? [])]) {
      const { copies: _, ...alone } = entry
      if (skillId(origin, path) === id) return { ...alone, path }
    }
  }
  return undefined
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
