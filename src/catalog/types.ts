import type { Diagnostic } from '../skill/diagnostics.js'
import type { SkillDetails, SkillId, SkillMetadata, SkillSummary } from '../skill/types.js'

/** What a catalog keeps of a skill: lean, as there are thousands. */
export interface CatalogEntry {
  /** Its folder in the source, `''` for the root. */
  path: string
  name: string
  displayName?: string
  description: string
  tags: readonly string[]
  /** `sha256:` and 64 hex digits of the SKILL.md. */
  digest: string
  /** Changes with anything else in the folder. In packed libraries: the digest of its `SkillDetails`. */
  details: string
  tokens: { metadata: number; instructions: number }
  /** Set where the skill has not been fetched: `digest` is that of what is to be fetched, and `tokens.instructions` a guess. */
  unread?: true
  /** Which of name and description are not in its file, where any is not. */
  inferred?: NonNullable<SkillMetadata['inferred']>
  /** `false`: hidden everywhere. */
  enabled?: false
  disableModelInvocation?: true
  userInvocable?: false
}

/** A skill read from a tree: what the catalog keeps, what is searched, what `get` shows. */
export interface TreeSkill {
  entry: CatalogEntry
  /** Path of the SKILL.md in the source. */
  file: string
  /** The version of the SKILL.md, where the source has versions. */
  version?: string
  details: SkillDetails
  /** The text after the frontmatter. */
  body: string
}

/** All that a library holds at one moment. Immutable; `library.snapshot` is replaced, never changed. */
export interface LibrarySnapshot {
  /** Changes when any skill does. The same skills give the same revision. */
  readonly revision: string
  /** Sorted by id. Disabled and shadowed skills are not among them. */
  readonly skills: readonly SkillSummary[]
  /** What is wrong with sources, and skills that were left out, disabled or shadowed. A skill's own diagnostics come with `get`. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Ids, sorted. */
export interface LibraryChange {
  readonly revision: string
  readonly added: readonly SkillId[]
  readonly changed: readonly SkillId[]
  readonly removed: readonly SkillId[]
}
