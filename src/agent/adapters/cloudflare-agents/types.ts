/** `SkillSource` of `agents/skills` (cloudflare/agents 0.32). Its branded names and paths are plain strings here. */
export interface AgentsSource {
  readonly id: string
  list(): Promise<AgentsResult<AgentsListing>>
  readResource(skill: string, path: string): Promise<AgentsResult<AgentsResource>>
}

/** A result or an expected failure. */
export type AgentsResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Error }

/** The skills of an agents source. */
export interface AgentsListing {
  readonly skills: readonly AgentsListedSkill[]
  /** Invalid skills with their errors. */
  readonly invalid: readonly { readonly location: string; readonly error: Error }[]
}

/** A skill with its files. */
export interface AgentsListedSkill {
  readonly skill: AgentsSkill
  /** All files except SKILL.md. */
  readonly resources: readonly AgentsResourceInfo[]
  /** Absolute path of the folder in the agent's file system. */
  readonly location?: string
  readonly warnings?: readonly Error[]
}

/** A parsed SKILL.md. */
export interface AgentsSkill {
  /** One path segment, unique in a catalog. */
  readonly name: string
  readonly description: string
  readonly license?: string
  readonly compatibility?: string
  readonly metadata: Readonly<Record<string, string>>
  readonly allowedTools: readonly string[]
  /** Frontmatter fields outside the specification. */
  readonly extraFields: Readonly<Record<string, unknown>>
  readonly body: string
}

/** A file of a skill. */
export interface AgentsResourceInfo {
  /** Relative to the skill's folder. */
  readonly path: string
  readonly kind: 'script' | 'reference' | 'asset' | 'file'
  readonly encoding: 'text' | 'base64'
  readonly mimeType?: string
  /** Size in bytes. */
  readonly size?: number
}

/** A file of a skill with its content. */
export interface AgentsResource extends AgentsResourceInfo {
  readonly content: string
}
