import type { CatalogEntry } from '../../catalog/types.js'

/** A skill in a store. */
export interface StoredSkill {
  folder: string
  name: string
  /** Digest of its SKILL.md. */
  digest: string
  /** Digest of its other files and metadata. */
  details: string
}

export function toStoredSkill({ path, name, digest, details }: CatalogEntry): StoredSkill {
  return { folder: path, name, digest, details }
}
