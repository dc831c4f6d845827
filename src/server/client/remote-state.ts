import { errorMessage } from '../../core/errors.js'
import { deepFreeze } from '../../core/plain-data.js'
import type { LibraryChange, LibrarySnapshot } from '../../library/catalog/catalog-entry.js'
import { createLookup, type Lookup } from '../../library/catalog/lookup.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { Skill, SkillId, SkillSummary } from '../../skill/skill.js'
import type { TaggedData } from './http-client.js'

const MAX_FOUND = 10_000

/** The answer of `/v1/library`. */
export interface RemoteSnapshot extends Omit<LibrarySnapshot, 'total'> {
  /** Number of skills, if there are too many for `skills`. */
  readonly total?: number
}

/** State of a remote library. A refresh replaces it as a whole. */
export interface RemoteState {
  received: LibrarySnapshot
  /** Whether `received` lacks skills: then the library is listed in pages. */
  isPartial: boolean
  /** Public snapshot: `received` with `found` and `problem`. */
  snapshot: LibrarySnapshot
  /** The last skills that were found, if `received` lacks skills. */
  found: readonly SkillSummary[]
  /** Set while the server cannot be reached. */
  problem?: Diagnostic
  /** ETag of `received`. */
  tag: string | undefined
  lookup: Lookup
  /** Opened skills. Not kept across revisions: other files may have changed beside the same SKILL.md. */
  cache: Map<SkillId, Skill>
}

/** @param before Its found skills stay, because only opening them shows whether they are gone. */
export function createRemoteState(
  answer: RemoteSnapshot,
  tag: string | undefined,
  before?: RemoteState,
): RemoteState {
  const received = toSnapshot(answer)
  const isPartial = answer.total !== undefined
  const lookup = createLookup(received.skills, new Map())
  const found = isPartial ? (before?.found ?? []) : []
  return withSnapshot({
    received,
    isPartial,
    snapshot: received,
    tag,
    lookup,
    cache: new Map(),
    found,
  })
}

function toSnapshot({
  revision,
  skills,
  total = skills.length,
  diagnostics,
}: RemoteSnapshot): LibrarySnapshot {
  return deepFreeze({ revision, skills, total, diagnostics })
}

/** State after a refresh that found the same revision. Only the diagnostics may be new. */
export function revalidated(
  state: RemoteState,
  response: TaggedData<RemoteSnapshot> | undefined,
): RemoteState {
  if (!response && !state.problem) return state
  const { problem: _, ...rest } = state
  if (!response) return withSnapshot(rest)
  return withSnapshot({ ...rest, received: toSnapshot(response.data), tag: response.tag })
}

/** State after a refresh that failed: the last snapshot with a diagnostic. */
export function withSourceError(state: RemoteState, address: string, error: unknown): RemoteState {
  const message = errorMessage(error)
  return withSnapshot({
    ...state,
    problem: { code: 'source-unreadable', severity: 'error', message, path: address },
  })
}

export function withFound(state: RemoteState, skills: readonly SkillSummary[]): RemoteState {
  if (!state.isPartial || skills.length === 0) return state
  const found = new Map(state.found.map(skill => [skill.id, skill]))
  if (skills.every(skill => JSON.stringify(found.get(skill.id)) === JSON.stringify(skill))) {
    return state
  }
  for (const skill of skills) found.set(skill.id, skill)
  return withSnapshot({ ...state, found: [...found.values()].slice(-MAX_FOUND) })
}

export function withoutFound(state: RemoteState, id: SkillId): RemoteState {
  const found = state.found.filter(skill => skill.id !== id)
  return found.length === state.found.length ? state : withSnapshot({ ...state, found })
}

function withSnapshot(state: RemoteState): RemoteState {
  const { received, found, problem } = state
  if (found.length === 0 && !problem) return { ...state, snapshot: received }
  const skills =
    found.length === 0 ? received.skills : [...found].sort((a, b) => (a.id < b.id ? -1 : 1))
  const diagnostics = problem ? [...received.diagnostics, problem] : received.diagnostics
  return { ...state, snapshot: deepFreeze({ ...received, skills, diagnostics }) }
}

export function diffRemoteSnapshots(
  before: LibrarySnapshot,
  after: LibrarySnapshot,
): LibraryChange {
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
