import { lazy } from '../../core/concurrency.js'
import { invalidInput, isSkillshelfError } from '../../core/errors.js'
import { deepFreeze } from '../../core/plain-data.js'
import { foldText } from '../../core/text/fold.js'
import type { Reranker } from '../../search/decide/rerank.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { Skill, SkillId, SkillSummary } from '../../skill/skill.js'
import type { SkillSource } from '../../source/source.js'
import { problemOf } from '../../source/source-problem.js'
import type { Lifetime } from '../api/lifetime.js'
import type { LibrarySnapshot } from '../catalog/catalog-entry.js'
import { createLookup } from '../catalog/lookup.js'
import type { PagedIndex, SkillLookup } from './paged-index.js'

const MAX_SEEN = 10_000
/** Longer names come from a model or a request. */
const MAX_NAME = 1_024

export interface PagedParts {
  /** Where the files of the skills are. */
  files: SkillSource
  rerank: Reranker | undefined
  /** A library of at most this many skills is in the snapshot. */
  listUpTo: number
  lifetime: Lifetime
  /** Problems of the model, in every snapshot. */
  problems: readonly Diagnostic[]
  /** Reads the published revision again. `undefined`: it is the same. */
  readNext(current: PagedIndex, signal: AbortSignal | undefined): Promise<PagedIndex | undefined>
  /** Whether the caller handles an error of a refresh. Any other keeps the skills, with a diagnostic. @default none */
  handles?(error: unknown): boolean
}

/** An open library whose skills are read as they are needed. A refresh replaces its index, and with it everything but the parts. */
export interface PagedState {
  readonly parts: PagedParts
  index: PagedIndex
  /** Opened skills. The version changes with any file of a skill. */
  opened: Map<SkillId, { skill: Skill; version: string }>
  /** All skills of a small library, else those that were returned. */
  seen: Map<SkillId, SkillSummary>
  /** Why the last refresh failed. */
  failure: Diagnostic | undefined
  snapshot: LibrarySnapshot
}

export function snapshotOf(state: Omit<PagedState, 'snapshot' | 'opened'>): LibrarySnapshot {
  const { index, seen } = state
  const { content, total } = index
  const skills = [...seen.values()]
  const sorted = lazy(() => Object.freeze(skills.sort((a, b) => (a.id < b.id ? -1 : 1))))
  return Object.freeze({
    revision: content,
    get skills() {
      return sorted()
    },
    total,
    diagnostics: deepFreeze(diagnosticsOf(state)),
  })
}

function diagnosticsOf({
  parts,
  index,
  failure,
}: Pick<PagedState, 'parts' | 'index' | 'failure'>): Diagnostic[] {
  const warning = problemOf(parts.files)
  const current = [failure, warning].filter(problem => problem !== undefined)
  return [...parts.problems, ...current, ...index.diagnostics]
}

/** Adds returned skills to the snapshot, unless they are of an older revision, and new diagnostics of the index. */
export function addSeen(
  state: PagedState,
  searched: PagedIndex,
  skills: readonly SkillSummary[],
): void {
  const { index, opened, seen } = state
  const added = searched === index ? skills.filter(({ id }) => !seen.has(id)) : []
  const { diagnostics } = state.snapshot
  if (added.length === 0 && diagnosticsOf(state).length === diagnostics.length) return
  for (const skill of added) seen.set(skill.id, deepFreeze(skill))
  for (const id of seen.keys()) {
    if (seen.size <= MAX_SEEN) break
    if (!opened.has(id)) seen.delete(id)
  }
  state.snapshot = snapshotOf(state)
}

export function byName(
  { seen }: PagedState,
  name: string,
  rows: readonly SkillSummary[],
): SkillSummary {
  const find = (skills: Iterable<SkillSummary>) => createLookup([...skills], new Map()).find(name)
  try {
    return find(rows)
  } catch (error) {
    // Similar names come from the known skills.
    if (isSkillshelfError(error, 'skill-not-found')) return find(seen.values())
    throw error
  }
}

export function toMap(skills: readonly SkillSummary[]): Map<SkillId, SkillSummary> {
  return new Map(skills.map(skill => [skill.id, deepFreeze(skill)]))
}

/** @throws SkillshelfError `invalid-input` */
export function toLookup(name: string): SkillLookup {
  if (typeof name !== 'string') {
    throw invalidInput(`The name of a skill must be a string, but is ${typeof name}`)
  }
  const key = name.length > MAX_NAME ? '' : foldText(name)
  return { ids: [name.slice(0, MAX_NAME * 4)], keys: key === '' ? [] : [key] }
}
