import type { AbortOptions } from '../../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import {
  invalidInput,
  isSkillshelfError,
  SkillshelfError,
  throwIfAborted,
} from '../../../core/errors.js'
import { checkOptionNames, type OptionNames } from '../../../core/text/option-names.js'
import { CATALOG_FILE, lostRaceError } from '../../../source/catalog-file.js'
import type {
  FileEntry,
  ListableSource,
  SkillSource,
  WritableSource,
} from '../../../source/source.js'
import { INDEX_V2 } from '../../../source/well-known/site-paths.js'
import { rewriteCatalog } from '../../catalog/catalog-bytes.js'
import { indexFiles } from '../../catalog/index-files.js'
import { readPackedDetails } from '../../catalog/packed-details.js'
import {
  hasContentOfName,
  NAMED_BY_DIGEST,
  packedFiles,
  readCurrent,
} from '../../catalog/packed-files.js'
import { filesOfPieces } from '../../catalog/pieced-files.js'
import { readStoredCatalog, type StoredCatalog } from '../../catalog/stored-catalog.js'
import { batchesOf } from './batches.js'

/*
 * Why a sweep harms no one, although it runs beside writers and readers and most sources have no transactions:
 *
 * - Files are named by their digest and never change. Only the catalog changes, on condition that it has the version that was read.
 * - A writer puts its files first and the catalog last, with that condition. A merge of segments is part of such a write: its segment is
 *   a new file, and the old segments stay until a sweep. So a reader that holds an older catalog still finds every file of it.
 * - A sweep removes what the catalog does not name, and only files that are older than `olderThan`: readers of older catalogs are gone by
 *   then. The risk is a writer that found a file, did not upload it again, and has not committed yet. So the sweep rewrites the catalog
 *   after each removal: the version changes, that writer loses its race, and starts over with the files as they are now.
 * - If the writer was faster, the rewrite of the sweep fails. Then it reads the new catalog and puts back what that one names: the removed
 *   bytes are held in memory until then. A source with `transactional` needs neither, because condition and removal are one step there.
 */

/** Options of `sweep`. */
export interface SweepOptions extends AbortOptions {
  /**
   * Milliseconds since a file was written. Younger files stay, because readers may still hold an older catalog. Files without a known time
   * are removed only by `0`.
   * @default 604_800_000 (7 days)
   */
  olderThan?: number | undefined
  /** Reports the files without removing them. @default false */
  dryRun?: boolean | undefined
}

const OPTIONS = { olderThan: 1, dryRun: 1, signal: 1 } satisfies OptionNames<SweepOptions>

/** The result of `sweep`. */
export interface SweepResult {
  /** Paths of the removed files, sorted. */
  removed: readonly string[]
  /** Sum of their sizes in bytes. */
  bytes: number
  /** Number of unused files that are too young. */
  kept: number
}

/** Milliseconds. */
const SWEEP_AGE = 7 * 24 * 3_600_000
/** Bytes of removed files that are held in memory, to restore them. */
const MAX_BATCH = { items: 500, bytes: 16 * 1_048_576 }
const MAX_CONFLICTS = 8

type KnownFiles = Map<string, readonly string[]>

/** The files of a packed library that nothing refers to. `known` has files of skills that were read, and grows. @throws `source-failed` */
export async function findUnused(
  source: ListableSource,
  stored: Pick<StoredCatalog, 'catalog' | 'pieced'>,
  { olderThan = SWEEP_AGE, signal }: SweepOptions,
  known: KnownFiles = new Map(),
): Promise<{ unused: FileEntry[]; kept: number }> {
  if (!(olderThan >= 0)) {
    throw invalidInput(`"olderThan" must be a number from 0, not ${String(olderThan)}`)
  }
  const used = await usedFiles(source, stored, known, signal)
  const all = (await source.list({ signal })).filter(
    ({ path }) => NAMED_BY_DIGEST.test(path) && !used.has(path),
  )
  const before = Date.now() - olderThan
  const unused = all.filter(
    ({ modified = Number.POSITIVE_INFINITY }) => olderThan === 0 || modified <= before,
  )
  return { unused, kept: all.length - unused.length }
}

/** Removes unused files. @throws `unsupported` if the source cannot be listed, `conflict` if other writers change it all the time */
export async function sweep(source: WritableSource, options: SweepOptions): Promise<SweepResult> {
  checkOptionNames(options, OPTIONS)
  const { dryRun = false, signal } = options
  if (!source.list) {
    throw new SkillshelfError(
      'unsupported',
      `${source.name} cannot be listed, so it cannot be swept`,
      {
        subject: source.name,
      },
    )
  }
  const known: KnownFiles = new Map()
  const foreign = new Set<string>()
  const removed: FileEntry[] = []
  let conflicts = 0
  for (;;) {
    throwIfAborted(signal)
    const readAndFind = async () => {
      const stored = await readStoredCatalog(source, signal)
      const found = stored && (await findUnused(source as ListableSource, stored, options, known))
      return found && { stored, ...found }
    }
    // A writer that removes what it replaces may be faster.
    const found = await readCurrent(readAndFind, () => true)
    if (!found) return summarizeSweep(removed, 0)
    const unused = found.unused.filter(({ path }) => !foreign.has(path))
    if (dryRun) return summarizeSweep(unused, found.kept)
    const [batch] = batchesOf(unused, ({ size = 0 }) => size, MAX_BATCH)
    if (!batch) return summarizeSweep(removed, found.kept)
    try {
      const gone = await removeUnused(source, found.stored, batch, signal)
      removed.push(...batch.filter(({ path }) => gone.has(path)))
      for (const { path } of batch) {
        if (!gone.has(path)) foreign.add(path)
      }
    } catch (error) {
      // The catalog has changed: it may name these files again.
      if (!isSkillshelfError(error, 'conflict')) throw error
      conflicts++
      if (conflicts === MAX_CONFLICTS) throw lostRaceError(source.name, 'swept', conflicts)
    }
  }
}

export function summarizeSweep(files: readonly FileEntry[], kept: number): SweepResult {
  const bytes = files.reduce((sum, { size = 0 }) => sum + size, 0)
  return { removed: files.map(({ path }) => path).sort(), bytes, kept }
}

/**
 * Removes files that the catalog does not name.
 *
 * A writer that has not committed yet may rely on one of them. So the catalog is rewritten after the removal: a commit based on the old
 * one fails, and its writer uploads its files again. If another writer was faster, the files that its catalog names are restored.
 * @throws SkillshelfError `conflict` if the catalog has changed
 */
async function removeUnused(
  source: WritableSource,
  stored: StoredCatalog,
  files: readonly FileEntry[],
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const contents = await readOwn(source, files, signal)
  const remove = [...contents.keys()]
  if (remove.length === 0) return new Set()
  try {
    await source.write({ remove }, { ifVersion: stored.version, signal })
  } catch (error) {
    // Some files may be gone already.
    if (!source.transactional && !isSkillshelfError(error, 'conflict')) {
      await commitRemoval(source, stored, contents)
    }
    throw error
  }
  const restored = source.transactional ? new Set() : await commitRemoval(source, stored, contents)
  return new Set(remove.filter(path => !restored.has(path)))
}

/** Rewrites the catalog, or restores the files that a newer one names. Returns the paths of those. */
async function commitRemoval(
  source: WritableSource,
  before: StoredCatalog,
  contents: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): Promise<Set<string>> {
  const restored = new Set<string>()
  const withRemoved = overlay(source, contents)
  let stored: StoredCatalog | undefined = before
  while (stored) {
    try {
      await source.write(
        { put: { [CATALOG_FILE]: await rewriteCatalog(stored.bytes) } },
        { ifVersion: stored.version },
      )
      return restored
    } catch (error) {
      if (!isSkillshelfError(error, 'conflict')) throw error
    }
    const used = await readCurrent(
      async () => {
        stored = await readStoredCatalog(withRemoved, undefined)
        return stored && usedFiles(withRemoved, stored, new Map(), undefined)
      },
      () => true,
    )
    const lost = [...contents].filter(([path]) => used?.has(path) && !restored.has(path))
    if (lost.length > 0) await source.write({ put: Object.fromEntries(lost) })
    for (const [path] of lost) restored.add(path)
  }
  return restored
}

async function usedFiles(
  source: SkillSource,
  { catalog: { skills, segments }, pieced }: Pick<StoredCatalog, 'catalog' | 'pieced'>,
  known: KnownFiles,
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const pieces = pieced ? await filesOfPieces(source, pieced, signal) : []
  const used = new Set([...indexFiles(segments), ...pieces])
  await mapParallel(skills, PARALLEL_READS, async entry => {
    const key = entry.digest + entry.details
    const files =
      known.get(key) ?? packedFiles(entry, (await readPackedDetails(source, entry, signal)).files)
    known.set(key, files)
    for (const path of files) used.add(path)
  })
  const index = await source.read(INDEX_V2, { signal })
  if (typeof index === 'object') {
    const text = new TextDecoder().decode(index.bytes)
    for (const [path] of text.matchAll(/files\/[0-9a-f]{16}(?:\.[a-z0-9]{1,8})?/g)) used.add(path)
  }
  return used
}

/** Reads files. Leaves out those whose name is not their digest: another program wrote them. */
async function readOwn(
  source: SkillSource,
  files: readonly FileEntry[],
  signal: AbortSignal | undefined,
) {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>()
  await mapParallel(files, PARALLEL_READS, async ({ path }) => {
    const found = await source.read(path, { signal })
    if (typeof found !== 'object') return
    if (await hasContentOfName(path, found.bytes)) contents.set(path, found.bytes)
  })
  return contents
}

function overlay(
  source: SkillSource,
  contents: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): SkillSource {
  return {
    name: source.name,
    async read(path, options) {
      const bytes = contents.get(path)
      return bytes ? { bytes } : source.read(path, options)
    },
  }
}
