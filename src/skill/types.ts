import type { Diagnostic } from './diagnostics.js'

/** `origin/path-of-the-folder`; just `origin` for a skill at the root of its source. */
export type SkillId = string

/**
 * What a SKILL.md says about itself. What is absent stays absent: a dialect applies its own defaults.
 * Every field is read at top level or under `metadata`, in kebab, snake or camel case.
 */
export interface SkillMetadata {
  /** As written. When absent or empty it is inferred from the folder (see `inferred`). */
  name: string
  description: string
  displayName?: string
  whenToUse?: string
  version?: string
  author?: string
  tags?: readonly string[]
  /** Absent: unrestricted. Empty: none. Patterns such as `Bash(git:*)` are kept whole. */
  allowedTools?: readonly string[]
  maxIterations?: number
  /** Seconds. */
  timeout?: number
  /** `false` hides the skill everywhere. */
  enabled?: boolean
  license?: string
  compatibility?: string
  /** `true`: the model must not open the skill by itself. */
  disableModelInvocation?: boolean
  /** `false`: not offered to people as a command. */
  userInvocable?: boolean
  /** Which of name and description were not in the file. */
  inferred?: readonly ('name' | 'description')[]
}

/** A SKILL.md, parsed. */
export interface ParsedSkill {
  metadata: SkillMetadata
  /** Everything the YAML held, as the YAML parser gave it, unknown fields too. */
  fields: Readonly<Record<string, unknown>>
  /** The text between the fences, as written; `''` where there is none. */
  frontmatter: string
  /** The text after the frontmatter, as written. Trim it for the instructions. */
  body: string
  diagnostics: readonly Diagnostic[]
}

/** A file of a skill. `path` is relative to the skill's folder. */
export interface FileInfo {
  path: string
  /** Bytes, where the source knows. */
  size?: number
  /** `sha256:` and 64 hex digits, in packed libraries. */
  digest?: string
}

/** What a segment keeps of a skill beside its postings: read one skill at a time, when it is opened. */
export interface SkillDetails {
  metadata: SkillMetadata
  frontmatter: string
  /** The name of the SKILL.md as spelled in the source. */
  file: string
  /** Everything in the folder except that file and nested skills; sorted by path. */
  files: readonly FileInfo[]
  diagnostics: readonly Diagnostic[]
}

/** Level 1: what a catalog knows of a skill without opening it. */
export interface SkillSummary {
  id: SkillId
  name: string
  displayName?: string
  description: string
  tags: readonly string[]
  /** The name of the source it came from. */
  origin: string
  /** Its folder in the source, `''` for the root. */
  path: string
  /** `sha256:` and 64 hex digits of the SKILL.md. */
  digest: string
  tokens: { metadata: number; instructions: number }
  /**
   * Set where the skill has not been fetched: name and description are what its site says, `digest` is that of what is to be fetched, and
   * `tokens.instructions` is a guess, the 5,000 that are advised at most. `get` has them as they are.
   */
  unread?: true
  /** Which of name and description are not in its file, where any is not. */
  inferred?: NonNullable<SkillMetadata['inferred']>
  disableModelInvocation?: true
  userInvocable?: false
}

export type FileKind = 'script' | 'text' | 'image' | 'binary'

/** A file as a skill lists it. */
export interface SkillFileInfo extends FileInfo {
  kind: FileKind
  mediaType: string
}

/** Level 2: a skill, opened. */
export interface Skill extends SkillSummary {
  metadata: SkillMetadata
  /** The body of the SKILL.md, trimmed. */
  instructions: string
  /** The whole SKILL.md, as text. */
  text: string
  frontmatter: string
  /** The name of the SKILL.md as spelled in the source. */
  file: string
  files: readonly SkillFileInfo[]
  /** What dialects print as the skill's directory: `skill://origin/path`, or what the source says. */
  root: string
  diagnostics: readonly Diagnostic[]
}

/** Level 3: a file, read. Nothing is ever executed. */
export interface SkillFile extends SkillFileInfo {
  skill: SkillId
  /** What dialects print as the file's path. */
  location: string
  bytes: Uint8Array<ArrayBuffer>
  /** The bytes as text, where they are UTF-8 without NUL. */
  text?: string
  /** Where `bytes` lie in the file when a range was asked for. */
  range?: { offset: number; length: number; total: number }
}
