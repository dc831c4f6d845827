import { createLookup, type Lookup } from '../catalog/lookup.js'
import { createSnapshot, type Layer, type LayeredSnapshot, skillId } from '../catalog/snapshot.js'
import type { CatalogEntry } from '../catalog/types.js'
import { lazy } from '../core/concurrency.js'
import { SkillshelfError } from '../core/errors.js'
import { joinPath } from '../core/paths.js'
import type { LiveSegment } from '../match/types.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import type { Skill, SkillId, SkillSummary } from '../skill/types.js'
import type { SkillSource } from '../source/types.js'
import type { Shelf } from './shelf.js'

/** One source and what was last read of it. */
export interface Stand {
  source: SkillSource
  origin: string
  /** Says that the origin is not the source's own name. */
  renamed?: Diagnostic
  shelf: Shelf
  /** Why the last look failed, while what was there before stays. */
  failure?: Diagnostic
}

/** All that a refresh swaps, at once. */
export interface State extends LayeredSnapshot {
  stands: readonly Stand[]
  lookup: Lookup
  cache: Map<SkillId, Skill>
  /** What is wrong with no source, but with the library. */
  notes: readonly Diagnostic[]
  environment: string | undefined
}

/** Two sources of one name would give the same ids: the later one is numbered. */
export function nameOrigins(sources: readonly SkillSource[]): Pick<Stand, 'source' | 'origin' | 'renamed'>[] {
  const used = new Set<string>()
  // `a/b` of one source and `b` in the source `a` would be one id too.
  const clashes = (origin: string): boolean =>
    [...used].some(one => one === origin || one.startsWith(`${origin}/`) || origin.startsWith(`${one}/`))
  return sources.map(source => {
    let origin = source.name
    for (let number = 2; clashes(origin); number++) origin = source.name.replace(/^[^/]*/, `$&~${number}`)
    used.add(origin)
    if (origin === source.name) return { source, origin }
    return {
      source,
      origin,
      renamed: {
        code: 'origin-renamed',
        severity: 'warning',
        message: `Another source's name is, or starts, ${source.name}; this one is called ${origin}`,
        path: origin,
        hint: 'give each source a name of its own',
      },
    }
  })
}

/** Folder of what is there in one environment only: `environments/{name}/skills/…`. */
const ENVIRONMENTS = 'environments/'

/** What each source brings to a snapshot: in an environment that of the others is passed over. */
export function layersOf(stands: readonly Stand[], environment?: string): Layer[] {
  const here = `${ENVIRONMENTS}${environment}/skills/`
  const isHere = (path = ''): boolean =>
    environment === undefined || !path.startsWith(ENVIRONMENTS) || path.startsWith(here)
  return stands.map(({ origin, shelf, renamed, failure }) => ({
    origin,
    // Not before they are asked for: a match needs none of them.
    get entries() {
      return environment === undefined ? shelf.entries : shelf.entries.filter(({ path }) => isHere(path))
    },
    ...(shelf.catalogDigest === undefined || environment !== undefined
      ? {}
      : { catalogDigest: shelf.catalogDigest, allEnabled: shelf.allEnabled }),
    diagnostics: [
      ...shelf.diagnostics.filter(({ path }) => isHere(path)),
      ...(renamed ? [renamed] : []),
      ...(failure ? [failure] : []),
    ],
  }))
}

/** Opened skills that are as they were `before` stay open. */
export function createState(
  stands: readonly Stand[],
  {
    before,
    notes = before?.notes ?? [],
    environment,
  }: { before?: State | undefined; notes?: readonly Diagnostic[] | undefined; environment?: string | undefined },
): State {
  const layered = createSnapshot([...layersOf(stands, environment), { origin: '', entries: [], diagnostics: notes }])
  const cache = new Map<SkillId, Skill>()
  for (const [id, skill] of before?.cache ?? []) {
    const [old, now] = [before?.stands ?? [], stands].map(all =>
      all.find(stand => stand.origin === skill.origin)?.shelf.byPath.get(skill.path),
    )
    if (now && now.digest === old?.digest && now.details === old.details) cache.set(id, skill)
  }
  const names = lazy(() => createLookup(layered.snapshot.skills, layered.shadowed))
  const lookup: Lookup = { find: name => names().find(name) }
  return { ...layered, stands, lookup, cache, notes, environment }
}

/** Whether a look at a source brought nothing new. */
export function isSame(stand: Stand, before: Stand | undefined): boolean {
  return stand.shelf === before?.shelf && stand.failure?.message === before.failure?.message
}

/** The source and catalog entry of a skill. */
export function whereIs({ stands }: State, summary: SkillSummary): { stand: Stand; entry: CatalogEntry } {
  const stand = stands.find(one => one.origin === summary.origin)
  const entry = stand?.shelf.byPath.get(summary.path)
  if (stand && entry) return { stand, entry }
  throw new SkillshelfError('skill-not-found', `There is no skill ${summary.id}`, { subject: summary.id })
}

/** What a matcher searches: what is disabled or shadowed is dead. */
export function liveSegments({ stands, snapshot, isComplete }: State): LiveSegment[] {
  const shown = isComplete ? undefined : new Set(snapshot.skills.map(skill => skill.id))
  return stands.flatMap(({ origin, shelf }) =>
    shelf.pieces.map(({ key, bytes, paths, dead }): LiveSegment => {
      const ids = paths.map(path => skillId(origin, path))
      return {
        key: `${origin}:${key}`,
        bytes,
        ids,
        dead: shown ? ids.flatMap((id, number) => (dead.has(number) || !shown.has(id) ? [number] : [])) : [...dead],
      }
    }),
  )
}

/** What is shown as the place of a skill or file. */
export function rootOf({ shelf, origin }: Stand, path: string): string {
  return shelf.root?.(path) ?? `skill://${joinPath(origin, path)}`
}
