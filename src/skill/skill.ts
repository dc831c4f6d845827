import type { Diagnostic } from './diagnostics.js'

/** Id of a skill: `origin/path-of-the-folder`, or `origin` for a skill at the root of its source. */
export type SkillId = string

/** The metadata in the frontmatter: fields at top level or under `metadata`, in any case style. Absent fields stay absent. */
export interface SkillMetadata {
  /** Inferred if absent or empty, see `inferred`. */
  name: string
  /** Inferred if absent or empty, see `inferred`. */
  description: string
  /** Descriptions in other languages, by tag: `description_zh` and `description-pt-BR` are those of `zh` and `pt-BR`. */
  descriptions?: Readonly<Record<string, string>>
  displayName?: string
  whenToUse?: string
  /** Messages of users who need the skill: `messages`, `triggers`, and a list under `when-to-use`. They find it; prompts do not show them. */
  messages?: readonly string[]
  /** Skills that this one needs: names, folders such as `core/routing`, or `package#skill`. They are opened before it. */
  requires?: readonly string[]
  version?: string
  author?: string
  tags?: readonly string[]
  /** Tools that the skill may use. Absent: all tools. Empty: none. Patterns such as `Bash(git:*)` are kept unchanged. */
  allowedTools?: readonly string[]
  maxIterations?: number
  /** In seconds. */
  timeout?: number
  /** `false` hides the skill everywhere. */
  enabled?: boolean
  /** `true`: the skill is for work on its repository. It is used there, and not published. */
  internal?: boolean
  license?: string
  compatibility?: string
  /** `true`: only people may load the skill, not the model. */
  disableModelInvocation?: boolean
  /** `false`: the skill is not offered to people as a command. */
  userInvocable?: boolean
  /** Globs of the files, or of URLs with a scheme, that the skill is used with. 100 at most. See `MatchQuery.files`. */
  paths?: readonly string[]
  /** `true`: the skill is offered only where a path fits, if the caller says where it is. */
  pathsRequired?: boolean
  /** Which of `name` and `description` were inferred, because the file lacks them. */
  inferred?: readonly ('name' | 'description')[]
}

/** A parsed SKILL.md. */
export interface ParsedSkill {
  metadata: SkillMetadata
  /** All fields of the frontmatter as YAML values, including unknown ones. */
  fields: Readonly<Record<string, unknown>>
  /** The text between the fences, unchanged; `''` without frontmatter. */
  frontmatter: string
  /** The text after the frontmatter, unchanged. */
  body: string
  diagnostics: readonly Diagnostic[]
}

/** A file in the folder of a skill. */
export interface FileInfo {
  /** Relative to the folder of the skill. */
  path: string
  /** Size in bytes, if the source reports it. */
  size?: number
  /** Digest of the content in packed libraries: `sha256:` and 64 hex digits. */
  digest?: string
}

/** The part of a skill that is read only when the skill is loaded. */
export interface SkillDetails {
  metadata: SkillMetadata
  frontmatter: string
  /** File name of the SKILL.md, with its case. */
  file: string
  /** The other files in the folder, without those of nested skills, sorted by path. */
  files: readonly FileInfo[]
  /** Messages of users who need the skill, from the frontmatter and `messages.txt`. */
  messages?: readonly string[]
  /** Messages that the skill is not for, from `messages.txt`. */
  notMessages?: readonly string[]
  diagnostics: readonly Diagnostic[]
}

/** Level 1: the entry of a skill in a snapshot. */
export interface SkillSummary {
  id: SkillId
  name: string
  displayName?: string
  description: string
  /** Descriptions in other languages, by tag, such as `zh`. The skill is found by them, and shown with that of the user's language. */
  descriptions?: Readonly<Record<string, string>>
  /** When to use it. Prompts show it after the description. */
  whenToUse?: string
  /** Skills that are opened before it: names, folders, or `package#skill`. Prompts name them after the description. */
  requires?: readonly string[]
  tags: readonly string[]
  /** Name of the source that holds the skill. */
  origin: string
  /** Folder in the source, `''` for the root. */
  path: string
  /** Other folders of the source with the same skill. Their ids open this one. */
  copies?: readonly string[]
  /** Digest of the SKILL.md: `sha256:` and 64 hex digits. */
  digest: string
  /** Estimated tokens of the name, the description and when to use it, and of the instructions. */
  tokens: { metadata: number; instructions: number }
  /** The skill is not fetched: name and description are those of a site's index, `tokens.instructions` is 5,000. See `library.get`. */
  unread?: true
  /** Which of `name` and `description` were inferred, because the file lacks them. */
  inferred?: NonNullable<SkillMetadata['inferred']>
  /** Only people may load the skill, not the model. */
  disableModelInvocation?: true
  /** The skill is not offered to people as a command. */
  userInvocable?: false
  /** Globs of the files or URLs that the skill is used with. */
  paths?: readonly string[]
  /** The skill is offered only where a path fits, if the caller says where it is. */
  pathsRequired?: true
}

/** Kind of a file, by its name. */
export type FileKind = 'script' | 'text' | 'image' | 'binary'

/** A file of a skill with its kind and media type. */
export interface SkillFileInfo extends FileInfo {
  kind: FileKind
  mediaType: string
}

/** Level 2: a skill with its instructions. */
export interface Skill extends SkillSummary {
  metadata: SkillMetadata
  /** The body of the SKILL.md, trimmed. */
  instructions: string
  /** The whole SKILL.md. */
  text: string
  /** The text between the fences, unchanged. */
  frontmatter: string
  /** File name of the SKILL.md, with its case. */
  file: string
  /** The other files in the folder. */
  files: readonly SkillFileInfo[]
  /** Messages of users who need the skill, from the frontmatter and `messages.txt`. The skill is found by them; prompts do not show them. */
  messages?: readonly string[]
  /** Messages that the skill is not for: those below `# not` in `messages.txt`. One that is equal to them does not find it. */
  notMessages?: readonly string[]
  /** Location shown in prompts: `skill://origin/path`, or a path that the source provides. */
  root: string
  diagnostics: readonly Diagnostic[]
}

/** Level 3: a file of a skill with its content. Files are never executed. */
export interface SkillFile extends SkillFileInfo {
  skill: SkillId
  /** Location shown in prompts. */
  location: string
  bytes: Uint8Array<ArrayBuffer>
  /** The content as text, if it is UTF-8 without NUL. */
  text?: string
  /** Position of `bytes` in the file, if a range was requested. All in bytes. */
  range?: { offset: number; length: number; total: number }
}
