import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { digestOf, digestOfLarge, shortDigest } from '../../core/digest.js'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { invokeCallback, type OnProgress } from '../../core/progress.js'
import { ANALYZER } from '../../core/text/analyze.js'
import type { PackedCatalog } from '../../library/catalog/packed-catalog.js'
import { packedFile, readPackedDetails } from '../../library/catalog/packed-files.js'
import { skillId } from '../../library/catalog/snapshot.js'
import type { CatalogEntry } from '../../library/catalog/types.js'
import { memoryFiles, readPackedLibrary } from '../../library/store/pack/packed-library.js'
import { openSegment, type Segment } from '../../search/index/open.js'
import { eachPosting } from '../../search/index/postings.js'
import { SCORING } from '../../search/index/weights.js'
import type { SkillModel } from '../../search/model/types.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillSource, WritableSource } from '../../source/types.js'
import { countsFile, writeCounts } from './counts.js'
import { type EngineHead, HEAD_FORMAT, readHead, writeHead } from './head.js'
import { createRow, rowId, wordsOf } from './rows.js'
import type { EngineRow, EngineRowState, SkillEngine } from './types.js'

/** Options of `publishToEngine`. */
export interface PublishToEngineOptions {
  /** Stores the rows. */
  engine: SkillEngine
  /** Stores the files of skills, the counts and the head, such as `r2(bucket, { prefix: 'registry/' })`. */
  files: WritableSource
  /**
   * Name of the library. A bucket or folder belongs to one library.
   * @default the library of the engine, else the name of the source
   */
  library?: string | undefined
  /**
   * Adds vectors, if the source is not packed.
   * @default undefined (keywords only)
   */
  embedder?: SkillModel | undefined
  /**
   * Publishes only if the source has skills and all of them can be read. Otherwise those that cannot be read are removed.
   * @default false
   */
  complete?: boolean | undefined
  /**
   * Only counts the rows that a publish would write and retire.
   * @default false
   */
  dryRun?: boolean | undefined
  signal?: AbortSignal | undefined
  /** Called with phase `read`, then `write`. Counts skills, then rows. */
  onProgress?: OnProgress | undefined
}

/** The result of `publishToEngine`. */
export interface PublishToEngineResult {
  /** Name of the library. */
  library: string
  /** Revision that is published, or would be. */
  revision: number
  /** Number of skills in the library. */
  skills: number
  /** Rows written, and rows retired. Both are 0 if nothing changed. */
  added: number
  retired: number
  diagnostics: readonly Diagnostic[]
}

const ROWS_PER_REQUEST = 256
const IDS_PER_REQUEST = 1_000
/** Requests between two marks of progress in the head. */
const REQUESTS_PER_MARK = 50
/** Milliseconds. Rows that were retired longer ago are deleted; a publish without progress for so long may be taken over. */
const HOUR = 3_600_000

/**
 * Publishes a folder or packed library of skills to an engine, as one new revision. Only changed skills are written. Readers see the old
 * skills or the new ones: the last step replaces the head, on condition that no other publish did.
 *
 * Run it again after an interruption: it goes on where it stopped. Rows that an earlier revision retired over an hour ago are deleted.
 *
 * @param source A source of skill folders, or a packed library.
 * @param options Engine and files.
 * @returns Numbers of skills and rows.
 * @throws SkillshelfError `conflict` if other content is being published, `format` if `files` holds another library, `invalid-input` if
 * the engine stores another one, `source-failed`, `source-not-found` with `complete`, `aborted`
 * @example
 * ```ts
 * import { memoryEngine, publishToEngine } from 'skillshelf/engines'
 *
 * const { revision, added } = await publishToEngine(memory({ 'pdf/SKILL.md': '---\nname: pdf\ndescription: Reads PDF files.\n---\n' }), {
 *   engine: memoryEngine(),
 *   files: memory(),
 * })
 * ```
 */
export async function publishToEngine(
  source: SkillSource,
  options: PublishToEngineOptions,
): Promise<PublishToEngineResult> {
  const { engine, files, embedder, complete = false, dryRun = false, signal, onProgress } = options
  const { library = engine.library ?? source.name } = options
  if (engine.library !== undefined && engine.library !== library)
    throw new SkillshelfError('invalid-input', `The engine ${engine.name} stores the library ${engine.library}`, {
      subject: library,
      hint: 'leave `library` out',
    })
  const { catalog, files: packed } = await readPackedLibrary(source, { embedder, signal, onProgress })
  if (complete) checkComplete(catalog, source)
  const held = memoryFiles(packed, source.name)
  const plan = planRows(
    library,
    catalog.segments.map(({ file, dead }) => ({ segment: open(file, packed.get(file)), dead: new Set(dead) })),
    catalog.skills,
    catalog.name,
  )
  const found = await readHead(files, { signal })
  const before = typeof found === 'object' ? found : undefined
  if (before && before.head.library !== library)
    throw new SkillshelfError('format', `${files.name} holds the library ${before.head.library}, not ${library}`, {
      subject: library,
      hint: 'use a folder of its own for each library',
    })
  const skills = plan.rows.length
  const current = before?.head.revision ?? 0
  const { pending } = before?.head ?? {}
  const isPublished = before?.head.content === plan.content && current > 0 && !pending
  if (isPublished && (dryRun || (await hasRows(engine, plan, signal))))
    return { library, revision: current, skills, added: 0, retired: 0, diagnostics: catalog.diagnostics }

  const revision = current + 1
  if (pending && pending.content !== plan.content && Date.now() - Date.parse(pending.active) < HOUR)
    throw new SkillshelfError('conflict', `Other skills are being published to ${library} since ${pending.active}`, {
      subject: library,
      hint: 'wait for the other publish; one without progress for an hour is taken over',
    })
  const summarize = ({ put, retire }: RowChange): PublishToEngineResult => ({
    library,
    revision,
    skills,
    added: put.length,
    retired: retire.length,
    diagnostics: catalog.diagnostics,
  })
  if (dryRun) return summarize(planChange(plan.rows, current > 0 ? await scanRows(engine, signal) : new Map(), current))
  const counts = writeCounts(plan.counts, skills)
  const countsDigest = await digestOfLarge(counts)
  const next: EngineHead = {
    format: HEAD_FORMAT,
    library,
    revision,
    content: plan.content,
    skills,
    ...(plan.space === undefined ? {} : { space: plan.space }),
    dimensions: plan.dimensions,
    counts: countsDigest,
    ...(before ? { previousCounts: before.head.counts } : {}),
    published: new Date().toISOString(),
  }
  const nothing: EngineHead = { ...next, revision: 0, skills: 0, content: '' }
  let version = before?.version ?? null
  let requests = 0
  // Reserves the revision. A second publish fails here.
  const mark = async (): Promise<void> => {
    const active = { revision, content: plan.content, active: new Date().toISOString() }
    const head = { ...(before?.head ?? nothing), pending: active }
    version = await writeHead(files, head, version, { signal })
  }
  const step = async (request: Promise<unknown>): Promise<void> => {
    await request
    throwIfAborted(signal)
    if (++requests % REQUESTS_PER_MARK === 0) await mark()
  }
  await mark()
  await engine.prepare?.({ dimensions: plan.dimensions, signal })
  if (before && Date.now() - Date.parse(before.head.published) > HOUR) await engine.sweep(current, { signal })

  const stored = await scanRows(engine, signal)
  const change = planChange(plan.rows, stored, current)
  for (const ids of batches(change.remove, IDS_PER_REQUEST)) await step(engine.remove(ids, { signal }))
  for (const ids of batches(change.revive, IDS_PER_REQUEST)) await step(engine.retire(ids, undefined, { signal }))
  let done = 0
  for (const planned of batches(change.put, ROWS_PER_REQUEST)) {
    const upload: Record<string, Uint8Array<ArrayBuffer>> = {}
    const rows = await mapParallel(planned, PARALLEL_READS, async (one): Promise<EngineRow> => {
      const { entry } = one
      const details = await readPackedDetails(held, entry, signal)
      for (const path of [
        packedFile(entry.digest, '.md'),
        ...details.files.map(file => packedFile(file.digest as string, file.path)),
      ])
        upload[path] = packed.get(path) as Uint8Array<ArrayBuffer>
      return createRow({ ...one, origin: catalog.name, details })
    })
    // Files come first, so that no row leads to a file that is missing.
    await files.write({ put: upload }, { signal })
    await step(engine.put(rows, revision, { signal }))
    done += rows.length
    invokeCallback(onProgress, { phase: 'write', done, total: change.put.length })
  }
  for (const ids of batches(change.retire, IDS_PER_REQUEST)) await step(engine.retire(ids, revision, { signal }))
  const { previousCounts } = before?.head ?? {}
  await writeHead(files, next, version, {
    put: { [countsFile(countsDigest)]: counts },
    remove:
      previousCounts && ![countsDigest, before?.head.counts].includes(previousCounts)
        ? [countsFile(previousCounts)]
        : [],
    signal,
  })
  return summarize(change)
}

interface PlannedRow {
  row: string
  entry: CatalogEntry
  segment: Segment
  skill: number
  words: EngineRow['words']
}

interface RowChange {
  put: PlannedRow[]
  retire: string[]
  revive: string[]
  remove: string[]
}

interface Plan {
  rows: readonly PlannedRow[]
  counts: ReadonlyMap<string, number>
  space: string | undefined
  dimensions: number
  content: string
}

/** @throws SkillshelfError `source-failed`, `source-not-found` */
function checkComplete({ skills, diagnostics }: PackedCatalog, { name }: SkillSource): void {
  const unreadable = diagnostics.find(({ code }) => code === 'skill-unreadable')
  if (unreadable)
    throw new SkillshelfError('source-failed', `A skill of ${name} cannot be read: ${unreadable.message}`, {
      subject: unreadable.path ?? name,
      hint: 'nothing was published, because it would be removed from the library',
    })
  if (skills.length === 0)
    throw new SkillshelfError('source-not-found', `${name} has no skills`, {
      subject: name,
      hint: 'nothing was published',
    })
}

function open(file: string, bytes: Uint8Array | undefined): Segment {
  const segment = bytes && openSegment(bytes)
  if (segment) return segment
  throw new SkillshelfError('format', `${file} cannot be read by this version`, {
    subject: file,
    hint: 'pack the skills again',
  })
}

/** The rows of all live, enabled skills, and in how many of them each term occurs. */
function planRows(
  library: string,
  segments: readonly { segment: Segment; dead: ReadonlySet<number> }[],
  entries: readonly CatalogEntry[],
  origin: string,
): Plan {
  const rows: PlannedRow[] = []
  const counts = new Map<string, number>()
  const [space] = segments.map(({ segment }) => segment.vectors?.space)
  let next = 0
  for (const { segment, dead } of segments) {
    if (segment.vectors?.space !== space)
      throw new SkillshelfError('format', 'The segments have vectors of different models', {
        hint: 'pack the skills again',
      })
    const words = wordsOf(segment)
    const kept = new Set<number>()
    const index = `${ANALYZER} ${SCORING} ${space}`
    for (let skill = 0; skill < segment.length; skill++) {
      const entry = dead.has(skill) ? undefined : entries[next++]
      if (!entry || entry.enabled === false) continue
      kept.add(skill)
      const id = skillId(origin, entry.path)
      rows.push({
        row: rowId(library, id, entry, index),
        entry,
        segment,
        skill,
        words: words[skill] as EngineRow['words'],
      })
    }
    countTerms(segment, kept, counts)
  }
  const content = shortDigest(
    digestOf(
      rows
        .map(({ row }) => row)
        .sort()
        .join('\n'),
    ),
  )
  return { rows, counts, space, dimensions: segments[0]?.segment.vectors?.dimensions ?? 0, content }
}

function countTerms(segment: Segment, kept: ReadonlySet<number>, counts: Map<string, number>): void {
  for (const entry of segment.lexicon.entries()) {
    let count = kept.size === segment.length ? entry.count : 0
    if (kept.size < segment.length)
      eachPosting(segment, entry, skill => {
        if (kept.has(skill)) count++
      })
    if (count > 0) counts.set(entry.term, (counts.get(entry.term) ?? 0) + count)
  }
}

/** Whether the engine still has rows: a collection may have been deleted since the last publish. */
async function hasRows(
  engine: SkillEngine,
  { rows, dimensions }: Plan,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  await engine.prepare?.({ dimensions, signal })
  return rows.length === 0 || (await engine.scan({ limit: 1 }, { signal })).rows.length > 0
}

async function scanRows(engine: SkillEngine, signal: AbortSignal | undefined): Promise<Map<string, EngineRowState>> {
  const stored = new Map<string, EngineRowState>()
  let cursor: string | undefined
  do {
    const { rows, next } = await engine.scan({ limit: IDS_PER_REQUEST, cursor }, { signal })
    for (const row of rows) stored.set(row.row, row)
    cursor = next
  } while (cursor !== undefined)
  return stored
}

/**
 * Compares the wanted rows with the stored ones. An interrupted publish may have left rows of the next revision, and rows that it retired.
 * @param current The published revision.
 */
function planChange(
  wanted: readonly PlannedRow[],
  stored: ReadonlyMap<string, EngineRowState>,
  current: number,
): RowChange {
  const ids = new Set(wanted.map(({ row }) => row))
  const put = wanted.filter(({ row }) => {
    const known = stored.get(row)
    if (!known) return true
    const { since, until } = known
    // A row that an earlier revision retired becomes a new one, and so does one of a revision whose head was lost.
    return (until !== undefined && until <= current) || since > current + 1
  })
  const retire: string[] = []
  const revive: string[] = []
  const remove: string[] = []
  for (const { row, since, until } of stored.values()) {
    const isLater = until !== undefined && until > current
    if (ids.has(row) && isLater) revive.push(row)
    else if (!ids.has(row) && since > current) remove.push(row)
    else if (!ids.has(row) && until === undefined) retire.push(row)
  }
  return { put, retire, revive, remove }
}

function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}
