import { throwIfAborted } from '../../core/errors.js'
import { pageOf } from '../../core/paging.js'
import { filterSkills } from '../../library/query/arguments.js'
import { weightOf } from './ranking-bytes.js'
import {
  type EngineFilter,
  type EngineLookup,
  type EngineRow,
  MAX_FOUND,
  type SkillEngine,
} from './skill-engine.js'

interface StoredRow extends EngineRow {
  since: number
  until: number | undefined
}

/**
 * Keeps rows in memory and compares every row. For tests, and as a model for an engine of your own.
 * @example
 * ```ts
 * const engine = memoryEngine()
 * const files = memory()
 * await publishToEngine(memory({ 'pdf/SKILL.md': '---\nname: pdf\ndescription: Reads PDF files.\n---\n' }), { engine, files })
 * const library = await openEngineLibrary({ engine, files })
 * ```
 */
export function memoryEngine(): SkillEngine {
  const rows = new Map<string, StoredRow>()

  const inRevision = (revision: number): StoredRow[] =>
    [...rows.values()].filter(
      ({ since, until }) => since <= revision && (until === undefined || until > revision),
    )
  const byName = (live: readonly StoredRow[], { ids, keys }: EngineLookup): StoredRow[] =>
    live
      .filter(row => ids.includes(row.summary.id) || row.keys.some(key => keys.includes(key)))
      .slice(0, MAX_FOUND)

  return {
    name: 'memory',
    async candidates({ revision, words, vector, filter, limit, also }, { signal } = {}) {
      throwIfAborted(signal)
      const live = inRevision(revision)
      const shown = live.filter(row => passes(row, filter))
      const best = (scoreOf: (row: StoredRow) => number): StoredRow[] =>
        shown
          .map(row => ({ row, score: scoreOf(row) }))
          .sort((a, b) => b.score - a.score || (a.row.summary.id < b.row.summary.id ? -1 : 1))
          .slice(0, limit)
          .map(({ row }) => row)
      const byWords = best(row => wordScore(row, words)).filter(row => wordScore(row, words) > 0)
      const byMeaning = vector ? best(row => dot(row.vector, vector)).filter(row => row.vector) : []
      return {
        candidates: [...new Set([...byWords, ...byMeaning])],
        also: also ? byName(live, also) : [],
      }
    },
    async find(lookup, revision, { signal } = {}) {
      throwIfAborted(signal)
      return byName(inRevision(revision), lookup)
    },
    async page({ revision, filter, limit, cursor }, { signal } = {}) {
      throwIfAborted(signal)
      const shown = inRevision(revision).filter(row => passes(row, filter))
      return pageOfRows(shown, limit, cursor)
    },
    async scan({ limit, cursor }, { signal } = {}) {
      throwIfAborted(signal)
      const page = pageOfRows([...rows.values()], limit, cursor)
      const list = page.rows.map(({ row, version, attempt, since, until }) => ({
        row,
        version,
        attempt,
        since,
        until,
      }))
      return { ...page, rows: list }
    },
    async put(added, revision, { signal } = {}) {
      throwIfAborted(signal)
      for (const row of added) rows.set(row.row, { ...row, since: revision, until: undefined })
    },
    async retire(retired, revision, { signal } = {}) {
      throwIfAborted(signal)
      for (const id of retired) {
        const row = rows.get(id)
        if (row) rows.set(id, { ...row, until: revision })
      }
    },
    async remove(removed, { signal } = {}) {
      throwIfAborted(signal)
      for (const id of removed) rows.delete(id)
    },
    async sweep(revision, { signal } = {}) {
      throwIfAborted(signal)
      for (const { row, until } of [...rows.values()]) {
        if (until !== undefined && until <= revision) rows.delete(row)
      }
    },
  }
}

function passes({ summary }: StoredRow, filter: EngineFilter): boolean {
  return filterSkills([summary], filter).length > 0
}

function pageOfRows(rows: readonly StoredRow[], limit: number, cursor: string | undefined) {
  const sorted = rows.map(row => ({ ...row, id: row.row })).sort((a, b) => (a.id < b.id ? -1 : 1))
  const { items, nextCursor: next } = pageOf(sorted, cursor, limit)
  return { rows: items, next }
}

function wordScore(
  { words }: StoredRow,
  query: { hashes: Uint32Array; weights: Float32Array },
): number {
  return query.hashes.reduce(
    (sum, hash, index) => sum + (query.weights[index] as number) * weightOf(words, hash),
    0,
  )
}

function dot(a: Float32Array | undefined, b: Float32Array): number {
  return a
    ? a.reduce((sum, value, index) => sum + value * (b[index] as number), 0)
    : Number.NEGATIVE_INFINITY
}
