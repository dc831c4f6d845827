/** `SkillSource` of `agents/skills` (cloudflare/agents, as of 0.32), by its shape. Names and paths are plain strings here, branded there. */
export interface AgentsSource {
  readonly id: string
  list(): Promise<AgentsResult<AgentsListing>>
  readResource(skill: string, path: string): Promise<AgentsResult<AgentsResource>>
}

/** What is expected to fail is returned, not thrown. */
export type AgentsResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Error }

export interface AgentsListing {
  readonly skills: readonly AgentsListedSkill[]
  /** Skills that were left out, and why. */
  readonly invalid: readonly { readonly location: string; readonly error: Error }[]
}

export interface AgentsListedSkill {
  readonly skill: AgentsSkill
  /** Without the SKILL.md. */
  readonly resources: readonly AgentsResourceInfo[]
  /** Absolute folder in the agent's file system, where there is one. */
  readonly location?: string
  readonly warnings?: readonly Error[]
}

export interface AgentsSkill {
  /** One safe segment of a path, unique in a catalog. */
  readonly name: string
  readonly description: string
  readonly license?: string
  readonly compatibility?: string
  readonly metadata: Readonly<Record<string, string>>
  readonly allowedTools: readonly string[]
  /** Frontmatter that the specification does not know. */
  readonly extraFields: Readonly<Record<string, unknown>>
  readonly body: string
}

export interface AgentsResourceInfo {
  /** Relative to the skill's folder. */
  readonly path: string
  readonly kind: 'script' | 'reference' | 'asset' | 'file'
  readonly encoding: 'text' | 'base64'
  readonly mimeType?: string
  /** Bytes. */
  readonly size?: number
}

export interface AgentsResource extends AgentsResourceInfo {
  readonly content: string
}
