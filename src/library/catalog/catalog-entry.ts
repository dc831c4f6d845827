import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillDetails, SkillId, SkillSummary } from '../../skill/skill.js'
import type { ListableSource, ReadResult, SkillSource } from '../../source/source.js'

/** A skill as a catalog stores it. Kept small: a library has thousands. `path` is the folder in the source, `''` for the root. */
export interface CatalogEntry extends Omit<SkillSummary, 'id' | 'origin'> {
  /** Changes with any other file in the folder. In packed libraries, the digest of its `SkillDetails`. */
  details: string
  /** In packed libraries: 16 hex digits of the details without their diagnostics, which name the folder. Absent if there are none. */
  content?: string
  /** `false` hides the skill everywhere. */
  enabled?: false
}

/** A skill read from a tree of folders. */
export interface TreeSkill {
  entry: CatalogEntry
  /** Path of the SKILL.md in the source. */
  file: string
  /** Version of the SKILL.md, if the source has versions. */
  version?: string
  /** Digest of the SKILL.md with LF for CRLF. Absent: that of the entry. */
  lines?: string
  details: SkillDetails
  /** The text after the frontmatter. */
  body: string
}

/** How a source holds its skills: as a packed library, or as a tree of skill folders. `source` may wrap the given one. */
export type Located =
  | { kind: 'packed'; source: SkillSource; catalog: ReadResult }
  | { kind: 'tree'; source: ListableSource }

/** The content of a library at one moment. Immutable: a refresh replaces `library.snapshot`. */
export interface LibrarySnapshot {
  /** Changes when any skill changes. Equal skills give an equal revision. */
  readonly revision: string
  /** Sorted by id, without disabled and shadowed skills. Of skills that are copies of each other it has one, with `copies`. */
  readonly skills: readonly SkillSummary[]
  /**
   * Number of skills. Known without reading the entries of a packed library, so entries that turn out to be damaged count. `skills` has
   * fewer in a library whose skills are read in pages: see `SkillLibrary.page`.
   */
  readonly total: number
  /** Problems of sources, and skills that were left out, disabled, shadowed or copies. `library.get` returns the diagnostics of one skill. */
  readonly diagnostics: readonly Diagnostic[]
}

/** The difference between two snapshots, as sorted ids. */
export interface LibraryChange {
  /** Revision of the newer snapshot. */
  readonly revision: string
  readonly added: readonly SkillId[]
  readonly changed: readonly SkillId[]
  readonly removed: readonly SkillId[]
}
