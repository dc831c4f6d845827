import { lazy } from '../core/concurrency.js'
import { digestOf } from '../core/digest.js'
import { deepFreeze } from '../core/freeze.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import type { SkillId, SkillSummary } from '../skill/types.js'
import type { CatalogEntry, LibraryChange, LibrarySnapshot } from './types.js'

/** What one source brings to a snapshot. */
export interface Layer {
  origin: string
  readonly entries: readonly CatalogEntry[]
  /** Changes with any entry, where the source has such a thing at hand. */
  catalogDigest?: string
  /** None of the entries is disabled, where that is known without looking at them. */
  allEnabled?: boolean | undefined
  diagnostics: readonly Diagnostic[]
}

export interface LayeredSnapshot {
  snapshot: LibrarySnapshot
  /** Skills that are kept but hidden behind one of the same name in an earlier source: reachable by id. */
  shadowed: ReadonlyMap<SkillId, SkillSummary>
  /** Every entry is shown: none is disabled or shadowed. Known where no entry had to be looked at. */
  isComplete?: true
}

/** `origin/path`, or the origin itself for a skill at the root of its source. */
export function skillId(origin: string, path: string): SkillId {
  return path === '' ? origin : `${origin}/${path}`
}

/**
 * Lays sources on top of each other, the first on top, and freezes the result. Of a packed library that stands alone the skills are made when
 * they are first asked for: whoever only matches never does.
 */
export function createSnapshot(layers: readonly Layer[]): LayeredSnapshot {
  const [first, ...others] = layers
  const alone = others.every(({ catalogDigest: stamp, entries }) => stamp === undefined && entries.length === 0)
  return first?.allEnabled && first.catalogDigest !== undefined && alone ? later(layers, first) : laid(layers)
}

function later(layers: readonly Layer[], { origin, catalogDigest: stamp }: Layer): LayeredSnapshot {
  const skills = lazy(() => laid(layers).snapshot.skills)
  const snapshot: LibrarySnapshot = {
    revision: revisionOf([stampLine(0, origin, stamp)]),
    get skills() {
      return skills()
    },
    diagnostics: deepFreeze(layers.flatMap(({ diagnostics }) => diagnostics)),
  }
  return { snapshot: Object.freeze(snapshot), shadowed: new Map(), isComplete: true }
}

/** What the revision knows of a source that has a stamp. */
function stampLine(place: number, origin: string, stamp: string | undefined): string {
  return `${place}\t${origin}\t${stamp}`
}

function revisionOf(lines: readonly string[]): string {
  return digestOf([...lines].sort().join('\n')).slice(7, 23)
}

function laid(layers: readonly Layer[]): LayeredSnapshot {
  const skills: SkillSummary[] = []
  const shadowed = new Map<SkillId, SkillSummary>()
  const diagnostics: Diagnostic[] = []
  const lines: string[] = []
  const above = new Map<string, SkillId>()
  for (const [place, { origin, entries, catalogDigest: stamp, diagnostics: own }] of layers.entries()) {
    diagnostics.push(...own)
    if (stamp !== undefined) lines.push(stampLine(place, origin, stamp))
    const names = new Map<string, SkillId>()
    for (const entry of entries) {
      const id = skillId(origin, entry.path)
      const winner = above.get(entry.name)
      if (stamp === undefined)
        lines.push(`${id}\t${entry.digest}\t${entry.details}\t${winner === undefined ? '' : 'shadowed'}`)
      if (entry.enabled === false) {
        diagnostics.push({ code: 'skill-disabled', severity: 'info', message: `${id} is disabled`, path: id })
        continue
      }
      const summary = summaryOf(id, origin, entry)
      if (winner === undefined) skills.push(summary)
      else {
        shadowed.set(id, summary)
        diagnostics.push({
          code: 'skill-shadowed',
          severity: 'warning',
          message: `${id} is hidden behind ${winner}, which has the same name`,
          path: id,
          hint: 'it can still be opened by its id',
        })
      }
      names.set(entry.name, names.get(entry.name) ?? id)
    }
    for (const [name, id] of names) if (!above.has(name)) above.set(name, id)
  }
  skills.sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    snapshot: deepFreeze({ revision: revisionOf(lines), skills, diagnostics }),
    shadowed,
  }
}

function summaryOf(id: SkillId, origin: string, entry: CatalogEntry): SkillSummary {
  const {
    path,
    name,
    displayName,
    description,
    tags,
    digest,
    tokens,
    unread,
    inferred,
    disableModelInvocation,
    userInvocable,
  } = entry
  // Assigned one by one: spreads would take a third of the time that opening a large library takes.
  const summary: SkillSummary = { id, name, description, tags, origin, path, digest, tokens }
  if (displayName !== undefined) summary.displayName = displayName
  if (unread) summary.unread = true
  if (inferred) summary.inferred = inferred
  if (disableModelInvocation) summary.disableModelInvocation = true
  if (userInvocable === false) summary.userInvocable = false
  Object.freeze(tags)
  Object.freeze(inferred)
  Object.freeze(tokens)
  return Object.freeze(summary)
}

/** What changed from one snapshot to the next. `details` tells of files beside the SKILL.md. */
export function diffSnapshots(before: Layered, after: Layered): LibraryChange {
  const old = marks(before)
  const now = marks(after)
  const ids = (from: ReadonlyMap<string, string>, keep: (id: string, mark: string) => boolean): string[] =>
    [...from]
      .filter(([id, mark]) => keep(id, mark))
      .map(([id]) => id)
      .sort()
  return deepFreeze({
    revision: after.snapshot.revision,
    added: ids(now, id => !old.has(id)),
    changed: ids(now, (id, mark) => old.has(id) && old.get(id) !== mark),
    removed: ids(old, id => !now.has(id)),
  })
}

interface Layered {
  layers: readonly Layer[]
  snapshot: LibrarySnapshot
}

function marks({ layers, snapshot }: Layered): Map<SkillId, string> {
  const found = new Map<SkillId, string>(snapshot.skills.map(skill => [skill.id, '']))
  for (const { origin, entries } of layers)
    for (const { path, digest, details } of entries) {
      const id = skillId(origin, path)
      if (found.has(id)) found.set(id, `${digest} ${details}`)
    }
  return found
}
