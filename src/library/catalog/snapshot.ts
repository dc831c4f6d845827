import { lazy } from '../../core/concurrency.js'
import { digestOf, shortDigest } from '../../core/digest.js'
import { listPaths } from '../../core/paths.js'
import { deepFreeze } from '../../core/plain-data.js'
import { shortenMarks } from '../../core/text/fold.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import type { CatalogEntry, LibraryChange, LibrarySnapshot } from './catalog-entry.js'
import { comparePlaces, groupCopies } from './copies.js'
import { OPTIONAL_FIELDS, type OptionalField, REQUIRED_FIELDS } from './summary-fields.js'

/** Characters that readers do not see, also where ordinary text needs them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const PLAIN = /^[\x20-\x7e]*$/

/** The part of a snapshot that comes from one source. */
export interface Layer {
  origin: string
  readonly entries: readonly CatalogEntry[]
  /** Equal for entries that are copies of each other. `undefined`: no copy. @default no copies */
  contentOf?: ((entry: CatalogEntry) => string | undefined) | undefined
  /** Number of entries, for packed libraries: known without reading them. */
  size?: number
  /** Digest of the catalog, for packed libraries. */
  catalogDigest?: string
  /** Reads one entry, for packed libraries: not all of `entries`. */
  entryOf?: ((path: string) => CatalogEntry | undefined) | undefined
  /** True if no entry is disabled or a copy of another, as far as that is known without reading the entries. */
  showsAll?: boolean | undefined
  diagnostics: readonly Diagnostic[]
  /** Skills that `entries` turned out to lack when it was parsed on first access. */
  readonly leftOut?: readonly Diagnostic[] | undefined
}

export interface LayeredSnapshot {
  snapshot: LibrarySnapshot
  /** Skills hidden by a skill of the same name in an earlier source. They can be loaded by id. */
  shadowed: ReadonlyMap<SkillId, SkillSummary>
  /** A skill of the snapshot. `undefined` for one that it does not list. */
  summaryOf(id: SkillId): SkillSummary | undefined
  /** Set if no entry is disabled or shadowed, known without reading the entries. */
  showsAll?: true
}

interface LayersAndSnapshot {
  layers: readonly Layer[]
  snapshot: LibrarySnapshot
}

/** The id of a skill: `origin/path`, or `origin` at the root of its source. */
export function skillId(origin: string, path: string): SkillId {
  return path === '' ? origin : `${origin}/${path}`
}

/** Merges layers into a frozen snapshot, earlier ones first. That of a single packed library is lazy: matching never pays for it. */
export function createSnapshot(layers: readonly Layer[]): LayeredSnapshot {
  const [first, ...others] = layers
  const isSingle = others.every(
    ({ catalogDigest, entries }) => catalogDigest === undefined && entries.length === 0,
  )
  return first?.showsAll && first.catalogDigest !== undefined && isSingle
    ? lazySnapshot(layers, first)
    : mergeLayers(layers)
}

function lazySnapshot(layers: readonly Layer[], first: Layer): LayeredSnapshot {
  const merged = lazy(() => mergeLayers(layers).snapshot)
  const snapshot: LibrarySnapshot = {
    revision: packedRevision(first),
    get skills() {
      return merged().skills
    },
    get total() {
      return first.size ?? merged().total
    },
    get diagnostics() {
      return merged().diagnostics
    },
  }
  const { origin, entryOf } = first
  return {
    snapshot: Object.freeze(snapshot),
    shadowed: new Map(),
    summaryOf(id) {
      const path = id === origin ? '' : id.slice(origin.length + 1)
      const entry = skillId(origin, path) === id ? entryOf?.(path) : undefined
      return entry && createSummary(id, origin, entry)
    },
    showsAll: true,
  }
}

function mergeLayers(layers: readonly Layer[]): LayeredSnapshot {
  const skills: SkillSummary[] = []
  const shadowed = new Map<SkillId, SkillSummary>()
  const diagnostics: Diagnostic[] = []
  const lines: string[] = []
  /** The first skill of each name in earlier layers. */
  const taken = new Map<string, Pick<SkillSummary, 'id' | 'digest'>>()
  for (const [index, layer] of layers.entries()) {
    const { origin, entries, catalogDigest } = layer
    diagnostics.push(...layer.diagnostics, ...(layer.leftOut ?? []))
    if (catalogDigest !== undefined) lines.push(layerLine(index, layer))
    const names: typeof taken = new Map()
    const enabled = entries.filter(entry => entry.enabled !== false)
    const { copies, hidden } = groupCopies(enabled, layer.contentOf ?? (() => undefined))
    for (const entry of entries) {
      const id = skillId(origin, entry.path)
      const winner = taken.get(entry.name)
      if (catalogDigest === undefined) {
        lines.push(
          `${id}\t${entry.digest}\t${entry.details}\t${winner === undefined ? '' : 'shadowed'}`,
        )
      }
      if (entry.enabled === false) {
        diagnostics.push(disabledDiagnostic(id))
        continue
      }
      if (hidden.has(entry.path)) continue
      const summary = createSummary(id, origin, withCopies(entry, copies.get(entry.path)))
      diagnostics.push(...inferredDiagnostics(summary), ...copyDiagnostics(summary))
      if (winner === undefined) skills.push(summary)
      else {
        shadowed.set(id, summary)
        diagnostics.push(shadowedDiagnostic(summary, winner))
      }
      names.set(entry.name, names.get(entry.name) ?? summary)
    }
    for (const [name, first] of names) {
      if (!taken.has(name)) taken.set(name, first)
    }
  }
  skills.sort((a, b) => (a.id < b.id ? -1 : 1))
  diagnostics.push(...confusableNames(skills))
  const byId = lazy(() => new Map(skills.map(skill => [skill.id, skill])))
  return {
    summaryOf: id => byId().get(id),
    snapshot: deepFreeze({
      revision: revisionOf(lines),
      skills,
      total: skills.length,
      diagnostics,
    }),
    shadowed,
  }
}

function shadowedDiagnostic(
  { id, digest }: SkillSummary,
  winner: Pick<SkillSummary, 'id' | 'digest'>,
): Diagnostic {
  const code = 'skill-shadowed'
  if (digest === winner.digest) {
    const message = `${id} is hidden by ${winner.id}, which has the same SKILL.md`
    return { code, severity: 'info', message, path: id }
  }
  return {
    code,
    severity: 'warning',
    message: `${id} is hidden by ${winner.id}, which has the same name`,
    path: id,
    hint: 'load it by its id, or rename one of them',
  }
}

/** An entry with the copies that were found, beside those that its catalog names. */
export function withCopies(
  entry: CatalogEntry,
  found: readonly string[] | undefined,
): CatalogEntry {
  if (!found) return entry
  const { name } = entry
  const copies = [...found, ...(entry.copies ?? [])].sort((a, b) =>
    comparePlaces({ path: a, name }, { path: b, name }),
  )
  return { ...entry, copies }
}

/** Says where the copies of a skill are. */
export function copyDiagnostics({
  id,
  copies = [],
}: {
  id: string
  copies?: readonly string[] | undefined
}): Diagnostic[] {
  if (copies.length === 0) return []
  const message = `${id} is also in ${listPaths(copies.slice(0, 5), copies.length)}`
  return [{ code: 'skill-copy', severity: 'info', message, path: id }]
}

export function disabledDiagnostic(id: SkillId): Diagnostic {
  return { code: 'skill-disabled', severity: 'info', message: `${id} is disabled`, path: id }
}

/** Reports the fields that a skill lacks: dialects whose documents require them leave the skill out. */
function inferredDiagnostics({ id, inferred = [] }: SkillSummary): Diagnostic[] {
  return inferred.map(field => ({
    code: `${field}-inferred`,
    severity: 'warning',
    message: `${id} has no ${field} of its own`,
    path: id,
    hint: `add ${field} to the frontmatter; the dialects openseed and agentCore do not offer the skill without it`,
  }))
}

/** Reports names that differ from the name of an earlier skill only by invisible characters or Unicode compatibility forms (NFKC). */
export function confusableNames(skills: readonly { id: string; name: string }[]): Diagnostic[] {
  // Two plain names that differ also look different.
  if (skills.every(({ name }) => PLAIN.test(name))) return []
  const diagnostics: Diagnostic[] = []
  const first = new Map<string, { id: string; name: string }>()
  for (const skill of skills) {
    const { id, name } = skill
    const key = PLAIN.test(name)
      ? name
      : shortenMarks(name).normalize('NFKC').replace(INVISIBLE, '')
    const other = first.get(key)
    if (!other) first.set(key, skill)
    else if (other.name !== name) {
      diagnostics.push({
        code: 'name-confusable',
        severity: 'warning',
        message: `The names of ${id} and ${other.id} differ only by characters that readers do not see`,
        path: id,
        hint: 'rename one of them',
      })
    }
  }
  return diagnostics
}

/** The contribution of a packed library to the revision. */
function layerLine(
  index: number,
  { origin, catalogDigest }: Pick<Layer, 'origin' | 'catalogDigest'>,
): string {
  return `${index}\t${origin}\t${catalogDigest}`
}

/** The revision of a library that has one packed source. */
export function packedRevision(layer: Pick<Layer, 'origin' | 'catalogDigest'>): string {
  return revisionOf([layerLine(0, layer)])
}

function revisionOf(lines: readonly string[]): string {
  return shortDigest(digestOf([...lines].sort().join('\n')))
}

/** The summary of a listed skill, frozen. */
export function createSummary(id: SkillId, origin: string, entry: CatalogEntry): SkillSummary {
  const { path, name, description, tags, digest, tokens } = entry
  // Assigned one by one: spreads would take a third of the time of opening a large library.
  const summary: SkillSummary = { id, name, description, tags, origin, path, digest, tokens }
  Object.freeze(tags)
  Object.freeze(tokens)
  // Most skills have no more, and counting is several times as fast as looking up each field that may be absent.
  if (Object.keys(entry).length > REQUIRED_FIELDS) {
    for (const key of OPTIONAL_FIELDS) copyField(key, entry, summary)
  }
  return Object.freeze(summary)
}

/** Copies a field that may be absent. */
function copyField<Key extends OptionalField>(
  key: Key,
  from: Partial<Pick<SkillSummary, Key>>,
  to: Partial<Pick<SkillSummary, Key>>,
): void {
  const value = from[key]
  if (value === undefined) return
  to[key] = value
  if (typeof value === 'object') Object.freeze(value)
}

/** Compares two snapshots. A skill is changed if its SKILL.md or any other file in its folder is. */
export function diffSnapshots(before: LayersAndSnapshot, after: LayersAndSnapshot): LibraryChange {
  const old = skillVersions(before)
  const now = skillVersions(after)
  const ids = (
    from: ReadonlyMap<SkillId, string>,
    isIncluded: (id: SkillId, version: string) => boolean,
  ): SkillId[] =>
    [...from]
      .filter(([id, version]) => isIncluded(id, version))
      .map(([id]) => id)
      .sort()
  return deepFreeze({
    revision: after.snapshot.revision,
    added: ids(now, id => !old.has(id)),
    changed: ids(now, (id, version) => old.has(id) && old.get(id) !== version),
    removed: ids(old, id => !now.has(id)),
  })
}

function skillVersions({ layers, snapshot }: LayersAndSnapshot): Map<SkillId, string> {
  const versions = new Map<SkillId, string>(snapshot.skills.map(skill => [skill.id, '']))
  for (const { origin, entries } of layers) {
    for (const { path, digest, details } of entries) {
      const id = skillId(origin, path)
      if (versions.has(id)) versions.set(id, `${digest} ${details}`)
    }
  }
  return versions
}
