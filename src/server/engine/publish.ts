import type { AbortOptions } from '../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { digestOfLarge } from '../../core/digest.js'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { allPages } from '../../core/paging.js'
import { invokeCallback, type OnProgress } from '../../core/progress.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import { packedFile } from '../../library/catalog/packed-files.js'
import { internalSkills, type PackPlan } from '../../library/store/pack/plan.js'
import { planLibrary } from '../../library/store/pack/plan-library.js'
import type { PlannedFile } from '../../library/store/pack/planned-file.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillSource, WritableSource } from '../../source/source.js'
import { countsFile, writeCounts } from './counts.js'
import { type EngineHead, HEAD_FORMAT, headVersion, readHead, writeHead } from './head.js'
import {
  createRow,
  type PlannedRow,
  type PlannedRows,
  planChange,
  planRows,
  type RowChange,
} from './rows.js'
import type { EngineRow, EngineRowState, SkillEngine } from './skill-engine.js'

/** Options of `publishToEngine`. */
export interface PublishToEngineOptions extends AbortOptions {
  /** Stores the rows. */
  engine: SkillEngine
  /** Stores the files of skills, the counts and the head, such as `r2(bucket, { prefix: 'registry/' })`. */
  files: WritableSource
  /** Name of the library. A bucket or folder belongs to one library. @default the library of the engine, else the name of the source */
  library?: string | undefined
  /** Adds vectors, if the source is not packed. @default undefined (keywords only) */
  embedder?: SkillModel | undefined
  /** Publishes only if the source has skills and all can be read. Otherwise those that cannot are removed. @default false */
  complete?: boolean | undefined
  /**
   * Paths of files, or of folders of files, that are published although they look like a private key, a token or a file of passwords. Any
   * other such file stops the publish with `invalid-input`.
   * @default []
   */
  allow?: readonly string[] | undefined
  /** Also publishes skills whose frontmatter says `metadata.internal: true`. They are for work on their repository. @default false */
  internal?: boolean | undefined
  /** Only counts the rows that a publish would write and retire. @default false */
  dryRun?: boolean | undefined
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

/** Problems of skills that the head keeps for readers. */
const MAX_DIAGNOSTICS = 100
const ROWS_PER_REQUEST = 256
const IDS_PER_REQUEST = 1_000
/** Requests between two marks of progress in the head. */
const REQUESTS_PER_MARK = 50
/** Milliseconds. Rows that were retired longer ago are deleted; a publish without progress for so long may be taken over. */
const HOUR = 3_600_000

const OPTIONS = {
  engine: 1,
  files: 1,
  library: 1,
  embedder: 1,
  complete: 1,
  allow: 1,
  internal: 1,
  dryRun: 1,
  onProgress: 1,
  signal: 1,
} satisfies OptionNames<PublishToEngineOptions>

/**
 * Publishes a folder or packed library of skills to an engine, as one new revision. Only changed skills are written. Readers see the old
 * skills or the new ones: the last step replaces the head, on condition that no other publish did.
 *
 * Run it again after an interruption: it goes on where it stopped. Rows that an earlier revision retired over an hour ago are deleted.
 * @param source A source of skill folders, or a packed library.
 * @throws SkillshelfError `conflict` if other content is being published, `format` if `files` holds another library, `invalid-input` if
 * the engine stores another one or a file is a secret, `source-failed`, `source-not-found` with `complete`, `aborted`
 * @example
 * ```ts
 * import { memoryEngine, publishToEngine } from 'skillshelf/engine'
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
  checkOptionNames(options, OPTIONS)
  const { engine, embedder, allow, internal, signal, onProgress } = options
  const library = options.library ?? engine.library ?? source.name
  checkLibrary(engine, library)
  const pack = await planLibrary(source, { embedder, allow, internal, signal, onProgress })
  return publishPlan(pack, { ...options, library, source: source.name })
}

/** Options of a publish of a plan. The plan was made with the other options of `publishToEngine`. */
interface PublishPlanOptions
  extends Omit<PublishToEngineOptions, 'library' | 'embedder' | 'allow' | 'internal'> {
  library: string
  /** Name of the planned source, for messages. */
  source: string
}

/** Publishes a plan, as `publishToEngine` does. */
export async function publishPlan(
  pack: PackPlan,
  options: PublishPlanOptions,
): Promise<PublishToEngineResult> {
  checkLibrary(options.engine, options.library)
  if (options.complete) checkComplete(pack, options.source)
  const plan = await planRevision(pack, options)
  const { engine, dryRun, signal } = options
  const { current } = plan
  if (plan.isPublished && (dryRun || (await hasAllRows(plan)))) {
    return resultOf(plan, current, NO_CHANGE)
  }
  checkPending(plan)
  if (dryRun) {
    return resultOf(
      plan,
      current + 1,
      planNext(plan, current > 0 ? await scanRows(engine, signal) : []),
    )
  }
  const publish = await reserve(plan)
  const change = await upload(publish)
  await commit(publish)
  return resultOf(plan, current + 1, change)
}

/** The plan of a packed library, its rows, and the published revision that they replace. */
interface RevisionPlan extends PlannedRows {
  options: PublishPlanOptions
  /** Name of the library. */
  library: string
  pack: PackPlan
  /** The head that is published; `undefined` if there is none. */
  head: EngineHead | undefined
  /** Version of the head; `null` if there is none. */
  version: string | null
  /** The published revision, 0 if nothing is published. The plan makes the next one. */
  current: number
  /** Names this publish. An interrupted one of the same content goes on under its name. */
  attempt: string
  /** Whether the head has this content already. */
  isPublished: boolean
}

/** A publish that has reserved the next revision. */
interface RunningPublish extends RevisionPlan {
  /** The head that publishes the revision. */
  readonly next: EngineHead
  readonly countsBytes: Uint8Array<ArrayBuffer>
  /** Requests so far: the head is marked after every few. */
  requests: number
}

const NO_CHANGE: RowChange = { put: [], retire: [], revive: [], remove: [] }

/** @throws SkillshelfError `invalid-input` if the engine stores another library */
function checkLibrary(engine: SkillEngine, library: string): void {
  if (engine.library === undefined || engine.library === library) return
  throw new SkillshelfError(
    'invalid-input',
    `The engine ${engine.name} stores the library ${engine.library}`,
    { subject: library, hint: 'leave `library` out' },
  )
}

/** Plans the rows of a library, and reads the head that is published. */
async function planRevision(pack: PackPlan, options: PublishPlanOptions): Promise<RevisionPlan> {
  const { files, library, signal } = options
  const planned = await planRows(library, pack, { signal })
  const found = await readHead(files, { signal })
  const { head, version = null } = typeof found === 'object' ? found : { head: undefined }
  if (head && head.library !== library) {
    throw new SkillshelfError(
      'format',
      `${files.name} holds the library ${head.library}, not ${library}`,
      {
        subject: library,
        hint: 'use a folder of its own for each library',
      },
    )
  }
  const current = head?.revision ?? 0
  const isPublished = head?.content === planned.content && current > 0 && !head.pending
  const { pending } = head ?? {}
  const newAttempt = `${current + 1}-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`
  const attempt = pending?.content === planned.content ? pending.attempt : newAttempt
  return {
    ...planned,
    options,
    library,
    pack,
    head,
    version,
    current,
    attempt,
    isPublished,
  }
}

/** @throws SkillshelfError `conflict` if other content is being published */
function checkPending({ library, content, head }: RevisionPlan): void {
  const { pending } = head ?? {}
  // A clock that was wrong by more than an hour does not block others.
  if (
    pending &&
    pending.content !== content &&
    Math.abs(Date.now() - Date.parse(pending.active)) < HOUR
  ) {
    throw new SkillshelfError(
      'conflict',
      `Other skills are being published to ${library} since ${pending.active}`,
      {
        subject: library,
        hint: 'wait for the other publish; one without progress for an hour is taken over',
      },
    )
  }
}

/** Reserves the next revision, so that a second publish fails, and prepares the engine. */
async function reserve(plan: RevisionPlan): Promise<RunningPublish> {
  const { options, library, rows, space, dimensions, content, head, current, attempt } = plan
  const { engine, signal } = options
  const countsBytes = writeCounts(plan.counts, rows.length)
  const diagnostics = plan.diagnostics.slice(0, MAX_DIAGNOSTICS)
  const next: EngineHead = {
    format: HEAD_FORMAT,
    library,
    revision: current + 1,
    attempt,
    content,
    skills: rows.length,
    ...(diagnostics.length === 0 ? {} : { diagnostics }),
    ...(space === undefined ? {} : { space }),
    dimensions,
    counts: await digestOfLarge(countsBytes),
    ...(head ? { previousCounts: head.counts } : {}),
    published: new Date().toISOString(),
  }
  const publish: RunningPublish = { ...plan, next, countsBytes, requests: 0 }
  await markActive(publish)
  await engine.prepare?.({ dimensions, signal })
  if (head && Date.now() - Date.parse(head.published) > HOUR) {
    await engine.sweep(current, { signal })
  }
  return publish
}

/** Writes to the head that this publish makes progress. Fails if another one has changed the head. */
async function markActive(publish: RunningPublish): Promise<void> {
  const {
    options,
    next,
    head = { ...next, revision: 0, skills: 0, content: '' },
    version,
  } = publish
  const { revision, content } = next
  const pending = { revision, content, attempt: publish.attempt, active: new Date().toISOString() }
  publish.version = await writeHead(options.files, { ...head, pending }, version, {
    signal: options.signal,
  })
}

/** Writes files and rows. Readers of the current revision do not see them. */
async function upload(publish: RunningPublish): Promise<RowChange> {
  const { options, next } = publish
  const { engine, signal, onProgress } = options
  const change = planNext(publish, await scanRows(engine, signal))
  const { put, retire, revive, remove } = change
  await inBatches(publish, remove, IDS_PER_REQUEST, ids => engine.remove(ids, { signal }))
  await inBatches(publish, revive, IDS_PER_REQUEST, ids =>
    engine.retire(ids, undefined, { signal }),
  )
  let done = 0
  await inBatches(publish, put, ROWS_PER_REQUEST, async batch => {
    const rows = await storeFiles(publish, batch)
    await checkOwn(publish)
    await engine.put(rows, next.revision, { signal })
    done += batch.length
    invokeCallback(onProgress, { phase: 'write', done, total: put.length })
  })
  await inBatches(publish, retire, IDS_PER_REQUEST, ids =>
    engine.retire(ids, next.revision, { signal }),
  )
  return change
}

/** Writes the files of rows: they come first, so that no row leads to a file that is missing. */
async function storeFiles(
  publish: RunningPublish,
  planned: readonly PlannedRow[],
): Promise<EngineRow[]> {
  const { options, pack } = publish
  const { signal } = options
  const read = (path: string): Promise<Uint8Array<ArrayBuffer>> =>
    (pack.files.get(path) as PlannedFile).read({ signal })
  const put: Record<string, Uint8Array<ArrayBuffer>> = {}
  const rows = await mapParallel(planned, PARALLEL_READS, async (one): Promise<EngineRow> => {
    const { entry, details } = one
    const own = details.files.map(({ path, digest }) => packedFile(digest, path))
    for (const path of [packedFile(entry.digest, '.md'), ...own]) put[path] = await read(path)
    const text = new TextDecoder().decode(await read(packedFile(entry.details, '.json')))
    return createRow(one, text, publish)
  })
  await options.files.write({ put }, { signal })
  return rows
}

/** Replaces the head: from now on, readers find the new revision. */
async function commit({
  options,
  head,
  next,
  countsBytes,
  version,
}: RunningPublish): Promise<void> {
  const { previousCounts } = head ?? {}
  const isUnused = previousCounts && ![next.counts, head?.counts].includes(previousCounts)
  await writeHead(options.files, next, version, {
    put: { [countsFile(next.counts)]: countsBytes },
    remove: isUnused ? [countsFile(previousCounts)] : [],
    signal: options.signal,
  })
}

function resultOf(
  { library, rows, pack }: RevisionPlan,
  revision: number,
  { put, retire }: RowChange,
) {
  return {
    library,
    revision,
    skills: rows.length,
    added: put.length,
    retired: retire.length,
    diagnostics: [...pack.catalog.diagnostics, ...internalSkills(pack.diagnostics)],
  }
}

/** @throws SkillshelfError `source-failed`, `source-not-found` */
function checkComplete({ catalog: { skills, diagnostics } }: PackPlan, name: string): void {
  const unreadable = diagnostics.find(({ code }) => code === 'skill-unreadable')
  if (unreadable) {
    throw new SkillshelfError(
      'source-failed',
      `A skill of ${name} cannot be read: ${unreadable.message}`,
      {
        subject: unreadable.path ?? name,
        hint: 'nothing was published, because it would be removed from the library',
      },
    )
  }
  if (skills.length === 0) {
    throw new SkillshelfError('source-not-found', `${name} has no skills`, {
      subject: name,
      hint: 'nothing was published',
    })
  }
}

/** Whether the engine has the rows of the published revision, and no others: a collection may have been deleted, a publish taken over. */
async function hasAllRows(plan: RevisionPlan): Promise<boolean> {
  const { engine, signal } = plan.options
  await engine.prepare?.({ dimensions: plan.dimensions, signal })
  const change = planNext(plan, await scanRows(engine, signal))
  return Object.values(change).every(rows => rows.length === 0)
}

function planNext(
  { rows, current, attempt, head }: RevisionPlan,
  stored: Iterable<EngineRowState>,
): RowChange {
  return planChange(rows, stored, { current, published: head?.attempt, attempt })
}

async function scanRows(
  engine: SkillEngine,
  signal: AbortSignal | undefined,
): Promise<Iterable<EngineRowState>> {
  const stored = new Map<string, EngineRowState>()
  const scan = (cursor: string | undefined) =>
    engine.scan({ limit: IDS_PER_REQUEST, cursor }, { signal })
  for await (const { rows } of allPages(engine.name, scan)) {
    for (const row of rows) stored.set(row.row, row)
  }
  return stored.values()
}

/** @throws SkillshelfError `conflict` if another publish has taken this one over */
async function checkOwn({
  options: { files, signal },
  library,
  version,
}: RunningPublish): Promise<void> {
  if ((await headVersion(files, signal)) === version) return
  throw new SkillshelfError('conflict', `Another publish to ${library} has taken over`, {
    subject: library,
    hint: 'publish again once it has ended',
  })
}

/** Sends a request for each batch of items, and marks the progress in the head now and then. */
async function inBatches<T>(
  publish: RunningPublish,
  items: readonly T[],
  size: number,
  send: (batch: readonly T[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < items.length; from += size) {
    await checkOwn(publish)
    await send(items.slice(from, from + size))
    throwIfAborted(publish.options.signal)
    publish.requests++
    if (publish.requests % REQUESTS_PER_MARK === 0) await markActive(publish)
  }
}
