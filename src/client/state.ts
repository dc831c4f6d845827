import { createLookup, type Lookup } from '../catalog/lookup.js'
import type { LibraryChange, LibrarySnapshot } from '../catalog/types.js'
import { errorMessage } from '../core/errors.js'
import { deepFreeze } from '../core/freeze.js'
import type { Skill, SkillId, SkillSummary } from '../skill/types.js'
import type { Told } from './wire.js'

/** All that a refresh swaps, at once. */
export interface State {
  /** As the server gave it. */
  told: LibrarySnapshot
  /** As it is shown: with what is wrong with the server, where anything is. */
  snapshot: LibrarySnapshot
  /** Of the answer that told it. */
  tag: string | undefined
  lookup: Lookup
  /** Opened skills, of this revision: another may have other files beside the same SKILL.md. */
  cache: Map<SkillId, Skill>
}

export function createState(told: LibrarySnapshot, tag: string | undefined): State {
  deepFreeze(told)
  return { told, snapshot: told, tag, lookup: createLookup(told.skills, new Map()), cache: new Map() }
}

/** Another look, at the same revision: only what is wrong with the server's sources may be new. */
export function toldAgain(state: State, found: Told<LibrarySnapshot> | undefined): State {
  if (!found) return state.snapshot === state.told ? state : { ...state, snapshot: state.told }
  const { told, snapshot, tag } = createState(found.data, found.tag)
  return { ...state, told, snapshot, tag }
}

/** The last that was told stays, with a diagnostic. */
export function unreadable(state: State, address: string, error: unknown): State {
  const diagnostics = [
    ...state.told.diagnostics,
    {
      code: 'source-unreadable' as const,
      severity: 'error' as const,
      message: errorMessage(error),
      path: address,
    },
  ]
  return { ...state, snapshot: deepFreeze({ ...state.told, diagnostics }) }
}

/** What changed in what is known of skills that are not open. */
export function changeOf(before: LibrarySnapshot, after: LibrarySnapshot): LibraryChange {
  const old = marks(before.skills)
  const now = marks(after.skills)
  return deepFreeze({
    revision: after.revision,
    added: [...now.keys()].filter(id => !old.has(id)),
    changed: [...now.keys()].filter(id => old.has(id) && old.get(id) !== now.get(id)),
    removed: [...old.keys()].filter(id => !now.has(id)),
  })
}

function marks(skills: readonly SkillSummary[]): Map<SkillId, string> {
  return new Map(skills.map(skill => [skill.id, JSON.stringify(skill)]))
}
