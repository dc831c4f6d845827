import { errorMessage } from '../../core/errors.js'
import { deepFreeze } from '../../core/plain-data.js'
import { createLookup, type Lookup } from '../../library/catalog/lookup.js'
import type { LibraryChange, LibrarySnapshot } from '../../library/catalog/types.js'
import type { Skill, SkillId, SkillSummary } from '../../skill/skill.js'
import type { TaggedData } from './http-client.js'

/** The answer of `/v1/library`. */
export interface RemoteSnapshot extends LibrarySnapshot {
  /** Number of skills, if there are too many for `skills`. */
  total?: number
}

/** State of a remote library. A refresh replaces it as a whole. */
export interface RemoteState {
  /** Snapshot of the server. */
  received: RemoteSnapshot
  /** Public snapshot: `received`, with a diagnostic while the server cannot be reached. */
  snapshot: LibrarySnapshot
  /** ETag of `received`. */
  tag: string | undefined
  lookup: Lookup
  /** Opened skills. Not kept across revisions: other files may have changed beside the same SKILL.md. */
  cache: Map<SkillId, Skill>
}

export function createRemoteState(received: RemoteSnapshot, tag: string | undefined): RemoteState {
  deepFreeze(received)
  return { received, snapshot: received, tag, lookup: createLookup(received.skills, new Map()), cache: new Map() }
}

/** State after a refresh that found the same revision. Only the diagnostics may be new. */
export function revalidated(state: RemoteState, response: TaggedData<RemoteSnapshot> | undefined): RemoteState {
  if (!response) return state.snapshot === state.received ? state : { ...state, snapshot: state.received }
  const { received, snapshot, tag } = createRemoteState(response.data, response.tag)
  return { ...state, received, snapshot, tag }
}

/** State after a refresh that failed: the last snapshot with a diagnostic. */
export function withSourceError(state: RemoteState, address: string, error: unknown): RemoteState {
  const diagnostics = [
    ...state.received.diagnostics,
    {
      code: 'source-unreadable' as const,
      severity: 'error' as const,
      message: errorMessage(error),
      path: address,
    },
  ]
  return { ...state, snapshot: deepFreeze({ ...state.received, diagnostics }) }
}

/** Compares the summaries of two snapshots. */
export function diffRemoteSnapshots(before: LibrarySnapshot, after: LibrarySnapshot): LibraryChange {
  const old = serialized(before.skills)
  const current = serialized(after.skills)
  return deepFreeze({
    revision: after.revision,
    added: [...current.keys()].filter(id => !old.has(id)),
    changed: [...current.keys()].filter(id => old.has(id) && old.get(id) !== current.get(id)),
    removed: [...old.keys()].filter(id => !current.has(id)),
  })
}

function serialized(skills: readonly SkillSummary[]): Map<SkillId, string> {
  return new Map(skills.map(skill => [skill.id, JSON.stringify(skill)]))
}
