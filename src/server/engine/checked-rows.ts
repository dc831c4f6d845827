import type { AbortOptions } from '../../core/abort.js'
import { digestOf } from '../../core/digest.js'
import { isRecord } from '../../core/plain-data.js'
import type { SkillPage } from '../../library/api/skill-library.js'
import { readEntry } from '../../library/catalog/catalog-line.js'
import { type PackedDetails, readDetails } from '../../library/catalog/packed-details.js'
import { createSummary, skillId } from '../../library/catalog/snapshot.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillSummary } from '../../skill/skill.js'
import type { EngineHead } from './head.js'
import { decodeRanking, type RowRanking } from './ranking-bytes.js'
import { contentDigest } from './rows.js'
import {
  type EngineListed,
  type EngineLookup,
  type EngineQuery,
  MAX_FOUND,
  type SkillEngine,
} from './skill-engine.js'

const MAX_NAMED = 100

export interface CheckedCandidate {
  summary: SkillSummary
  ranking: RowRanking
}

export type CheckedAnswer = Readonly<Record<'candidates' | 'also', readonly CheckedCandidate[]>>

export interface CheckedSkill {
  summary: SkillSummary
  details: PackedDetails
  /** Changes with any file of the skill. */
  version: string
}

/** A query without the revision, which the head has. */
type Query<T> = Omit<T, 'revision'>
type EnginePageQuery = Parameters<SkillEngine['page']>[0]

/**
 * Reads the rows of a published revision. Rows are data from outside: each is checked, and one that is damaged is left out with a
 * diagnostic. Skills are sorted by id.
 */
export interface RowReader {
  /** The rows left out since it was cleared, 100 at most, by UUID. */
  readonly leftOut: Map<string, Diagnostic>
  /** Finds rows for a message. */
  candidates(
    query: Query<EngineQuery>,
    head: EngineHead,
    options: AbortOptions,
  ): Promise<CheckedAnswer>
  /** Finds rows by id and name. */
  find(
    lookup: EngineLookup,
    head: EngineHead,
    options: AbortOptions,
  ): Promise<readonly CheckedSkill[]>
  /** Lists skills in the order of the engine. */
  page(query: Query<EnginePageQuery>, head: EngineHead, options: AbortOptions): Promise<SkillPage>
}

export function createRowReader(engine: SkillEngine): RowReader {
  const leftOut = new Map<string, Diagnostic>()

  /** Reads rows, sorted by id. Each skill is returned once, and rows beyond `limit` are ignored. */
  const check = <Row extends EngineListed, Read extends { summary: SkillSummary }>(
    rows: readonly Row[],
    { revision, attempt }: EngineHead,
    limit: number,
    read: (summary: SkillSummary, row: Row) => Read | undefined,
  ): Read[] => {
    const found = new Map<string, Read>()
    for (const row of rows.slice(0, limit)) {
      // A publish that another one took over may have put it late.
      if (row.attempt !== attempt && String(row.attempt).startsWith(`${revision}-`)) continue
      const summary = readSummary(row.summary)
      const checked = summary && read(summary, row)
      if (!checked) noteLeftOut(row.row, summary?.id)
      else if (!found.has(checked.summary.id)) found.set(checked.summary.id, checked)
    }
    return [...found.values()].sort((a, b) => (a.summary.id < b.summary.id ? -1 : 1))
  }
  const noteLeftOut = (row: string, id = row): void => {
    if (leftOut.size >= MAX_NAMED) return
    const message = `${id} was left out: its row in ${engine.name} is damaged`
    leftOut.set(row, {
      code: 'skill-left-out',
      severity: 'error',
      message,
      path: id,
      hint: 'publish again',
    })
  }

  return {
    leftOut,
    async candidates(query, head, options) {
      // Before the first publish, an engine has nothing to search.
      if (head.revision === 0) return { candidates: [], also: [] }
      const answer = await engine.candidates({ ...query, revision: head.revision }, options)
      const decode = (
        summary: SkillSummary,
        { ranking }: { ranking: Uint8Array },
      ): CheckedCandidate | undefined => {
        const decoded = decodeRanking(ranking, head.dimensions)
        return decoded && { summary, ranking: decoded }
      }
      return {
        candidates: check(answer.candidates, head, query.limit * 2, decode),
        also: check(answer.also, head, MAX_FOUND, decode),
      }
    },
    async find(lookup, head, options) {
      if (head.revision === 0) return []
      const rows = await engine.find(lookup, head.revision, options)
      return check(rows, head, MAX_FOUND, (summary, { version, details: text }) => {
        const details = typeof text === 'string' ? readDetails(text) : undefined
        const isIntact =
          details &&
          String(version).startsWith(contentDigest(head.library, summary, digestOf(text)))
        return isIntact ? { summary, details, version } : undefined
      })
    },
    async page(query, head, options) {
      if (head.revision === 0) return { skills: [] }
      const { rows, next } = await engine.page({ ...query, revision: head.revision }, options)
      const skills = check(rows, head, query.limit, summary => ({ summary })).map(
        ({ summary }) => summary,
      )
      return { skills, ...(next === undefined ? {} : { next }) }
    },
  }
}

function readSummary(value: unknown): SkillSummary | undefined {
  if (!isRecord(value)) return undefined
  const { id, origin, digest, tokens } = value
  const { metadata, instructions } = isRecord(tokens) ? tokens : {}
  const entry = readEntry({ ...value, details: digest, tokens: [metadata, instructions] })
  if (!entry || typeof origin !== 'string' || id !== skillId(origin, entry.path)) return undefined
  return createSummary(id, origin, entry)
}
