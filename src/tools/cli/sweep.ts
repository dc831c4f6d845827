import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { readCatalog } from '../../library/catalog/packed-catalog.js'
import { findUnused, type SweepOptions, type SweepResult, summarizeSweep } from '../../library/store/write/sweep.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import { commandError, EXIT } from './errors.js'
import { type Io, printJson, printLines } from './io.js'
import { findFolder, openFolder } from './open-library.js'
import { isNamedByDigest } from './pack-output.js'
import { displayPath } from './paths.js'
import { formatBytes, plural } from './text.js'
import { writeClient } from './write-client.js'

export interface SweepFlags {
  /** Milliseconds. */
  olderThan: number
  to?: string
  /** Default: the environment variable SKILLSHELF_TOKEN. */
  token?: string
  dryRun?: boolean
  json?: boolean
}

/** `skillshelf sweep [DIR]`: removes files of a packed library that no skill needs any more. */
export async function sweepCommand(io: Io, dir: string | undefined, flags: SweepFlags): Promise<number> {
  const { olderThan, dryRun = false, to } = flags
  if (to !== undefined && dir !== undefined)
    throw commandError('Both a folder and --to are given', 'sweep one of them at a time')
  const options = { olderThan, dryRun, signal: io.signal }
  const result =
    to === undefined ? await sweepFolder(io, dir, options) : await writeClient(io, to, flags.token).sweep(options)
  if (flags.json) printJson(io, { ...result, dryRun })
  else {
    const { removed, bytes, kept } = result
    const verb = dryRun ? 'Would remove' : 'Removed'
    const young = kept > 0 ? `; ${plural(kept, 'younger unused file')} stay${kept === 1 ? 's' : ''}` : ''
    printLines(io, `${verb} ${plural(removed.length, 'unused file')}, ${formatBytes(bytes)}${young}`)
  }
  return EXIT.ok
}

async function sweepFolder(io: Io, dir: string | undefined, options: SweepOptions): Promise<SweepResult> {
  const path = await findFolder(io, dir)
  const source = openFolder(path)
  const found = await source.read(CATALOG_FILE, { signal: io.signal })
  if (typeof found !== 'object')
    throw commandError(
      `${displayPath(io, path)} is not a packed library: it has no ${CATALOG_FILE}`,
      'pass the --out folder of skillshelf pack',
      'source-not-found',
    )
  const catalog = await readCatalog(found.bytes, join(displayPath(io, path), CATALOG_FILE))
  const { unused, kept } = await findUnused(source, catalog, options)
  const removed: typeof unused = []
  for (const file of unused) {
    const target = join(path, ...file.path.split('/'))
    // Other programs name files by digest too.
    if (!(await isNamedByDigest(target))) continue
    if (!options.dryRun) await unlink(target)
    removed.push(file)
  }
  return summarizeSweep(removed, kept)
}
