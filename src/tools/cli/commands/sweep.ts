import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { invalidInput, SkillshelfError } from '../../../core/errors.js'
import { readStoredCatalog } from '../../../library/catalog/stored-catalog.js'
import {
  findUnused,
  type SweepOptions,
  type SweepResult,
  summarizeSweep,
} from '../../../library/store/write/sweep.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import { directory } from '../../../source/directory/directory.js'
import { type CommandDefinition, type CommonFlags, OPTIONS } from '../command.js'
import { EXIT, formatBytes, type Io, plural, printJson, printLines } from '../io.js'
import { findFolder } from '../open-library.js'
import { isNamedByDigest } from '../pack-output.js'
import { displayPath } from '../paths.js'
import { writeClient } from '../publish-upload.js'

interface SweepFlags extends CommonFlags {
  /** Milliseconds. */
  olderThan: number
  to?: string
}

export const sweepCommand: CommandDefinition = (command, run) =>
  command('sweep', 'Remove files of a packed library that no skill needs any more', [
    'sweep public/skills --dry-run',
    'sweep public/skills --older-than 12h',
    'sweep --to https://skills.example.com/',
  ])
    .argument('[dir]', 'packed library (default: ./skills, else the current folder)')
    .addOption(
      new Option(
        '--older-than <age>',
        'age of the removed files, such as 7d, 12h or 0; readers may need younger ones',
      )
        .argParser(parseDuration)
        .default(parseDuration('7d'), '7d'),
    )
    .option('--to <url>', 'sweep the store of a server instead of a folder')
    .addOption(OPTIONS.token)
    .option('--dry-run', 'print the result without removing anything')
    .addOption(OPTIONS.json)
    .action(run(sweep))

const DURATION_UNITS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
}

function parseDuration(value: string): number {
  const [, number, unit = 's'] = /^(\d{1,6})([dhms])$|^0$/.exec(value) ?? []
  if (number === undefined && value !== '0') {
    throw new InvalidArgumentError('Must be a duration such as 7d, 12h, 30m, 90s or 0.')
  }
  return Number(number ?? 0) * (DURATION_UNITS[unit] ?? 0)
}

async function sweep(io: Io, dir: string | undefined, flags: SweepFlags): Promise<number> {
  const { olderThan, dryRun = false, to } = flags
  if (to !== undefined && dir !== undefined) {
    throw invalidInput('Both a folder and --to are given', 'sweep one of them at a time')
  }
  const options = { olderThan, dryRun, signal: io.signal }
  const result =
    to === undefined
      ? await sweepFolder(io, dir, options)
      : await writeClient(io, to, flags.token).sweep(options)
  if (flags.json) printJson(io, { ...result, dryRun })
  else {
    const { removed, bytes, kept } = result
    const verb = dryRun ? 'Would remove' : 'Removed'
    const young =
      kept > 0 ? `; ${plural(kept, 'younger unused file')} stay${kept === 1 ? 's' : ''}` : ''
    printLines(
      io,
      `${verb} ${plural(removed.length, 'unused file')}, ${formatBytes(bytes)}${young}`,
    )
  }
  return EXIT.ok
}

async function sweepFolder(
  io: Io,
  dir: string | undefined,
  options: SweepOptions,
): Promise<SweepResult> {
  const path = await findFolder(io, dir)
  const source = directory(path)
  const stored = await readStoredCatalog(source, io.signal)
  if (!stored) {
    throw new SkillshelfError(
      'source-not-found',
      `${displayPath(io, path)} is not a packed library: it has no ${CATALOG_FILE}`,
      { hint: 'pass the --out folder of skillshelf pack' },
    )
  }
  const { unused, kept } = await findUnused(source, stored, options)
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
