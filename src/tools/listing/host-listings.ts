/** How a coding agent lists skills in its own prompt, as far as it says so. */
export interface HostListing {
  /** The name by which the hook knows the agent. */
  host: string
  title: string
  /** Percent of the context. */
  share: number
  /** Characters of one description at most. */
  maxDescription?: number
}

/** The agents that say how much they list, by their pages on skills: docs/hosts.md has the links. */
export const LISTINGS: readonly HostListing[] = [
  { host: 'claude-code', title: 'Claude Code', share: 1, maxDescription: 1_536 },
  { host: 'codex', title: 'Codex', share: 2 },
]
