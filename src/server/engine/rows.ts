import type { AbortOptions } from '../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { digestOf, shortDigest } from '../../core/digest.js'
import { SkillshelfError } from '../../core/errors.js'
import { ANALYZER } from '../../core/text/analyze.js'
import { foldText } from '../../core/text/fold.js'
import type { CatalogEntry } from '../../library/catalog/catalog-entry.js'
import { copyIds, folderNames } from '../../library/catalog/lookup.js'
import type { PackedDetails } from '../../library/catalog/packed-details.js'
import { openPackedSegment } from '../../library/catalog/packed-segment.js'
import {
  copyDiagnostics,
  createSummary,
  disabledDiagnostic,
  skillId,
} from '../../library/catalog/snapshot.js'
import type { PackPlan } from '../../library/store/pack/plan.js'
import type { TermEntry } from '../../search/index/lexicon.js'
import { isMessageTerm } from '../../search/index/message-key.js'
import type { Segment } from '../../search/index/open.js'
import { eachPosting } from '../../search/index/postings.js'
import { SCORING } from '../../search/index/weights.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillSummary } from '../../skill/skill.js'
import { encodeRanking, RANKING_FORMAT, termHash } from './ranking-bytes.js'
import type { EngineRow, EngineRowState } from './skill-engine.js'

/** The words of one skill, by hash in ascending order. */
type RowWords = EngineRow['words']

/** A row before it is made. */
export interface PlannedRow {
  version: string
  origin: string
  entry: CatalogEntry
  details: PackedDetails
  segment: Segment
  /** Its number in the segment. */
  skill: number
  words: RowWords
}

/** The rows of all live, enabled skills of a packed library. */
export interface PlannedRows {
  rows: readonly PlannedRow[]
  /** In how many rows each term occurs. */
  counts: ReadonlyMap<string, number>
  /** Model of the vectors; `undefined` without vectors. */
  space: string | undefined
  /** Length of the vectors, 0 without vectors. */
  dimensions: number
  /** Changes with any row. */
  content: string
  /** Problems of the skills, and those that are left out because they are disabled. */
  diagnostics: readonly Diagnostic[]
}

/** Takes an engine from the stored rows to the wanted ones. The last three have ids of rows. */
export interface RowChange {
  /** Rows to write. */
  put: readonly PlannedRow[]
  /** Rows to hide from the next revision on. */
  retire: readonly string[]
  /** Retired rows to show again. */
  revive: readonly string[]
  /** Rows that no reader sees, to delete. */
  remove: readonly string[]
}

/** @throws SkillshelfError `format` */
export async function planRows(
  library: string,
  { catalog, skills, files }: PackPlan,
  { signal }: AbortOptions,
): Promise<PlannedRows> {
  const { name: origin, segments } = catalog
  const rows: PlannedRow[] = []
  const counts = new Map<string, number>()
  const diagnostics: Diagnostic[] = [...catalog.diagnostics]
  const opened = await mapParallel(segments, PARALLEL_READS, async ({ file, dead }) => ({
    segment: await openPackedSegment(file, await files.get(file)?.read({ signal })),
    dead: new Set(dead),
  }))
  const { space, dimensions = 0 } = opened[0]?.segment.vectors ?? {}
  const index = shortDigest(digestOf(`${ANALYZER} ${SCORING} ${RANKING_FORMAT} ${space}`))
  let next = 0
  for (const { segment, dead } of opened) {
    if (segment.vectors?.space !== space) {
      throw new SkillshelfError('format', 'The segments have vectors of different models', {
        hint: 'pack the skills again',
      })
    }
    const kept = new Set<number>()
    for (const [skill, words] of wordsOf(segment).entries()) {
      if (dead.has(skill)) continue
      const packed = skills[next]
      next++
      if (!packed) continue
      const { entry, details } = packed
      const id = skillId(origin, entry.path)
      if (entry.enabled === false) {
        diagnostics.push(disabledDiagnostic(id))
        continue
      }
      kept.add(skill)
      const summary = createSummary(id, origin, entry)
      diagnostics.push(...copyDiagnostics(summary))
      rows.push({
        version: `${contentDigest(library, summary, entry.details)}-${index}`,
        origin,
        entry,
        details,
        segment,
        skill,
        words,
      })
    }
    countTerms(segment, kept, counts)
  }
  const ids = rows.map(({ version }) => version).sort()
  const content = shortDigest(digestOf(ids.join('\n')))
  return { rows, counts, space, dimensions, content, diagnostics }
}

/**
 * Compares the wanted rows with the stored ones. An interrupted publish may have left rows of the next revision, and rows that it retired.
 * One that was taken over may have left rows of the published revision; no reader sees them.
 * @param state The published revision, the attempt that published it, and the attempt that puts the next one.
 */
export function planChange(
  wanted: readonly PlannedRow[],
  stored: Iterable<EngineRowState>,
  {
    current,
    published,
    attempt,
  }: { current: number; published: string | undefined; attempt: string },
): RowChange {
  const missing = new Map(wanted.map(row => [row.version, row]))
  const retire: string[] = []
  const revive: string[] = []
  const remove: string[] = []
  for (const { row, version, since, until, ...state } of stored) {
    const isOwn = since < current || state.attempt === (since === current ? published : attempt)
    const isWanted = missing.has(version)
    if (!isOwn || (since > current && !isWanted)) {
      remove.push(row)
      continue
    }
    // A row that no reader sees any more.
    if (until !== undefined && until <= current) continue
    if (isWanted) {
      // The first stored row with this content stays; another one is retired.
      missing.delete(version)
      if (until !== undefined) revive.push(row)
    } else if (until === undefined) {
      retire.push(row)
    }
  }
  return { put: [...missing.values()], retire, revive, remove }
}

function countTerms(
  segment: Segment,
  kept: ReadonlySet<number>,
  counts: Map<string, number>,
): void {
  const isWhole = kept.size === segment.length
  for (const entry of segment.lexicon.entries()) {
    if (isMessageTerm(entry.term)) continue
    const count = isWhole ? entry.count : countPostings(segment, entry, kept)
    if (count > 0) counts.set(entry.term, (counts.get(entry.term) ?? 0) + count)
  }
}

/** How many of these skills have a term. */
function countPostings(segment: Segment, entry: TermEntry, skills: ReadonlySet<number>): number {
  let count = 0
  eachPosting(segment, entry, skill => {
    if (skills.has(skill)) count++
  })
  return count
}

/** The words of each skill of a segment, by its number. */
export function wordsOf(segment: Segment): RowWords[] {
  // Counted first: a list of pairs would take ten times the memory.
  const counts = new Uint32Array(segment.length)
  for (const entry of segment.lexicon.entries()) {
    eachPosting(segment, entry, skill => {
      counts[skill] = (counts[skill] as number) + 1
    })
  }
  const words = Array.from(counts, count => ({
    hashes: new Uint32Array(count),
    weights: new Uint8Array(count),
  }))
  const used = new Uint32Array(segment.length)
  for (const entry of segment.lexicon.entries()) {
    const hash = termHash(entry.term)
    eachPosting(segment, entry, (skill, weight) => {
      const { hashes, weights } = words[skill] as RowWords
      const next = used[skill] as number
      used[skill] = next + 1
      hashes[next] = hash
      weights[next] = weight
    })
  }
  return words.map(sortWords)
}

/** Sorts words by hash. Two terms of a skill may have one hash: the weight of the heavier one counts. */
function sortWords({ hashes, weights }: RowWords): RowWords {
  const pairs = Array.from(hashes, (hash, index) => ({
    hash,
    weight: weights[index] as number,
  })).sort((a, b) => a.hash - b.hash || b.weight - a.weight)
  const unique = pairs.filter(({ hash }, index) => hash !== pairs[index - 1]?.hash)
  return {
    hashes: Uint32Array.from(unique, ({ hash }) => hash),
    weights: Uint8Array.from(unique, ({ weight }) => weight),
  }
}

/** Digest of what a row shows of its skill. Without key order, which some engines change. */
export function contentDigest(library: string, summary: SkillSummary, details: string): string {
  return digestOf(JSON.stringify([library, Object.entries(summary).sort(), details])).slice(
    'sha256:'.length,
  )
}

/** Names a row: a UUID (version 8). */
function rowId(library: string, version: string, attempt: string): string {
  const hex = digestOf(JSON.stringify([library, version, attempt])).slice('sha256:'.length)
  const variant = ((Number.parseInt(hex[16] as string, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Makes the row of a packed skill. @param details The details of the skill, as packed. */
export function createRow(
  { version, origin, entry, segment, skill, words }: PlannedRow,
  details: string,
  { library, attempt }: { library: string; attempt: string },
): EngineRow {
  const summary = createSummary(skillId(origin, entry.path), origin, entry)
  const { dimensions = 0, bytes, scales } = segment.vectors ?? {}
  const scale = scales?.[skill] ?? 0
  const vector = bytes?.slice(skill * dimensions, (skill + 1) * dimensions) ?? new Int8Array(0)
  return {
    row: rowId(library, version, attempt),
    version,
    attempt,
    summary,
    details,
    keys: lookupKeys(summary),
    words,
    vector: scale === 0 ? undefined : Float32Array.from(vector, value => value * scale),
    ranking: encodeRanking({
      sequence: segment.sequenceOf(skill),
      head: segment.headOf(skill),
      ...words,
      vector,
      scale,
      messages: segment.messagesOf(skill),
      ruledOut: segment.ruledOutOf(skill),
    }),
  }
}

/** The folded names that find a skill, as `library.get` compares them. */
function lookupKeys(summary: SkillSummary): string[] {
  const { name, displayName = '' } = summary
  const names = [name, displayName, ...copyIds(summary)].map(foldText).filter(Boolean)
  return [...new Set([...names, ...folderNames(summary)])]
}
