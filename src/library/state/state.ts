import { lazy } from '../../core/concurrency.js'
import { SkillshelfError } from '../../core/errors.js'
import { joinPath } from '../../core/paths.js'
import { similarNames } from '../../core/text/nearest-name.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { Skill, SkillId, SkillSummary } from '../../skill/skill.js'
import type { CatalogEntry } from '../catalog/catalog-entry.js'
import { createLookup, type Lookup } from '../catalog/lookup.js'
import { createSnapshot, type Layer, type LayeredSnapshot } from '../catalog/snapshot.js'
import type { NamedSource } from '../indexing/input.js'
import type { SourceIndex } from '../indexing/source-index.js'

/** An opened skill. Sources without versions give none. */
export interface CachedSkill {
  skill: Skill
  version: string | undefined
}

/** Result of one refresh. Immutable, except for the cache. */
export interface LibraryState extends LayeredSnapshot {
  sources: readonly SourceState[]
  lookup: Lookup
  /** Opened skills, each with the version of its SKILL.md. */
  cache: Map<SkillId, CachedSkill>
  /** Diagnostics of the library itself, not of a source. */
  diagnostics: readonly Diagnostic[]
  environment: string | undefined
}

/** A source and the result of its last successful load. */
export interface SourceState extends NamedSource {
  loaded: SourceIndex
  /** Set if the last load failed. `loaded` is then older. */
  failure?: Diagnostic
  /** A problem in spite of which the source answers. */
  warning?: Diagnostic | undefined
}

/** Keeps opened skills that have not changed since `before`. */
export function createLibraryState(
  sources: readonly SourceState[],
  environment: string | undefined,
  {
    before,
    diagnostics = before?.diagnostics ?? [],
  }: { before?: LibraryState; diagnostics?: readonly Diagnostic[] },
): LibraryState {
  const layered = createSnapshot([
    ...layersOf(sources, environment),
    {
      origin: '',
      entries: [],
      diagnostics: [...diagnostics, ...environmentDiagnostics(sources, environment)],
    },
  ])
  const cache = new Map<SkillId, CachedSkill>()
  const entryOf = (
    states: readonly SourceState[] | undefined,
    { origin, path }: Skill,
  ): CatalogEntry | undefined =>
    states?.find(state => state.origin === origin)?.loaded.byPath.get(path)
  for (const [id, cached] of before?.cache ?? []) {
    const old = entryOf(before?.sources, cached.skill)
    const entry = entryOf(sources, cached.skill)
    if (entry && entry.digest === old?.digest && entry.details === old.details)
      cache.set(id, cached)
  }
  const lookup = lazy(() => createLookup(layered.snapshot.skills, layered.shadowed))
  return {
    ...layered,
    sources,
    lookup: { find: name => lookup().find(name) },
    cache,
    diagnostics,
    environment,
  }
}

const ENVIRONMENTS = 'environments/'

/** The skills of each source, without those of other environments. */
export function layersOf(
  sources: readonly SourceState[],
  environment: string | undefined,
): Layer[] {
  const folder = `${ENVIRONMENTS}${environment}/skills/`
  const isIncluded = (path = ''): boolean =>
    environment === undefined || !path.startsWith(ENVIRONMENTS) || path.startsWith(folder)
  return sources.map(({ origin, loaded, renamed, failure, warning }) => ({
    origin,
    // Both are lazy: matching needs no entries.
    get entries() {
      return environment === undefined
        ? loaded.entries
        : loaded.entries.filter(({ path }) => isIncluded(path))
    },
    contentOf: loaded.contentOf,
    ...(loaded.catalogDigest === undefined || environment !== undefined
      ? {}
      : {
          catalogDigest: loaded.catalogDigest,
          showsAll: loaded.showsAll,
          size: sizeOf(loaded),
          entryOf: loaded.entryOf,
        }),
    diagnostics: [
      ...loaded.diagnostics.filter(({ path }) => isIncluded(path)),
      ...(renamed ? [renamed] : []),
      ...(failure ? [failure] : []),
      ...(warning ? [warning] : []),
    ],
    get leftOut() {
      return loaded.leftOut
    },
  }))
}

function sizeOf({ segments }: SourceState['loaded']): number {
  return segments.reduce((sum, { paths, dead }) => sum + paths.length - dead.size, 0)
}

/** Reports an environment that no source has. A source that cannot be read may have it. */
function environmentDiagnostics(
  sources: readonly SourceState[],
  environment: string | undefined,
): Diagnostic[] {
  if (environment === undefined || sources.some(({ failure }) => failure)) return []
  const paths = sources.flatMap(({ loaded: { entries, diagnostics } }) => [
    ...entries,
    ...diagnostics,
  ])
  const folders = paths.flatMap(({ path = '' }) =>
    path.startsWith(ENVIRONMENTS) ? [path.split('/')[1] as string] : [],
  )
  const names = [...new Set(folders)].sort()
  if (names.includes(environment)) return []
  const message = `The environment ${JSON.stringify(environment)} has no skills`
  const path = `${ENVIRONMENTS}${environment}`
  return [
    {
      code: 'environment-unknown',
      severity: 'warning',
      message,
      path,
      hint: environmentHint(environment, names),
    },
  ]
}

function environmentHint(environment: string, names: readonly string[]): string {
  const similar = similarNames(environment, names)
  if (similar.length > 0) return `similar names: ${similar.join(', ')}`
  if (names.length > 0) return `environments with skills: ${names.slice(0, 5).join(', ')}`
  return `skills of an environment are in ${ENVIRONMENTS}${environment}/skills`
}

/** @throws SkillshelfError `skill-not-found` */
export function sourceOf(
  { sources }: LibraryState,
  { id, origin, path }: SkillSummary,
): { source: SourceState; entry: CatalogEntry } {
  const source = sources.find(state => state.origin === origin)
  const entry = source?.loaded.byPath.get(path)
  if (source && entry) return { source, entry }
  throw new SkillshelfError('skill-not-found', `Skill not found: ${id}`, { subject: id })
}

/** The location shown for a skill or file. */
export function locationOf({ loaded, origin }: SourceState, path: string): string {
  return loaded.root?.(path) ?? `skill://${joinPath(origin, path)}`
}
