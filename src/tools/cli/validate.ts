import { readdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { readTree, type Tree } from '../../library/catalog/read-tree.js'
import { confusableNames } from '../../library/catalog/snapshot.js'
import { openLibrary } from '../../library/library.js'
import type { Diagnostic, Severity } from '../../skill/diagnostics.js'
import { type CommandDefinition, DIR_HELP, OPTIONS } from './command.js'
import { countLeftOut } from './diagnostics.js'
import { type Dialect, dialectOption, missingFields } from './dialects.js'
import { commandError, EXIT } from './errors.js'
import { type Io, plural, printJson, printLines, withProgressBar } from './io.js'
import { leftOutOfMcp } from './mcp.js'
import { type FolderSource, findFolder, noSkillsError, openFolder, rejectPacked } from './open-library.js'
import { findOverlaps, type Overlap, printOverlaps } from './overlap.js'
import { displayPath } from './paths.js'
import { type Cell, colorsFor, type Heading, table } from './table.js'
import { authoringDiagnostics } from './validate-authoring.js'

interface ValidateFlags {
  strict?: boolean
  dialect: Dialect
  overlap?: boolean
  all?: boolean
  json?: boolean
}

interface ValidateSummary {
  /** SKILL.md files found. */
  found: number
  /** Usable skills. */
  skills: number
  /** Usable skills with their own description, and their own name or their folder's. */
  own: number
  /** Usable skills with an inferred name or description. */
  inferred: number
  leftOut: number
  errors: number
  warnings: number
  infos: number
}

const MAX_ROWS = 200

export const validateCommand: CommandDefinition = (command, run) =>
  command('validate', 'Validate skills', ['validate', 'validate skills/pdf --strict', 'validate ~/skills --overlap'])
    .argument('[dir]', `${DIR_HELP}, or one skill`)
    .option('--strict', 'report violations of the specification as errors and infer nothing')
    .addOption(dialectOption('also check the fields that this system requires'))
    .option('--overlap', 'also report pairs of skills that compete for messages')
    .option('--all', 'also print notes, and every row')
    .addOption(OPTIONS.json)
    .action((dir: string | undefined, flags: ValidateFlags) => run(io => validate(io, dir, flags)))

/** Reports the diagnostics of skills. */
async function validate(io: Io, dir: string | undefined, flags: ValidateFlags): Promise<number> {
  const path = await findFolder(io, dir)
  const single = await isSingleSkill(path)
  if (single && flags.overlap)
    throw commandError('`--overlap` compares the skills of a folder', 'pass the folder that contains the skill')
  const source = single ? singleSkillSource(path) : openFolder(path)
  const tree = await withProgressBar(io, bar =>
    readTree(source, {
      signal: io.signal,
      strict: flags.strict,
      onProgress: (done, total) => bar.update('reading', done, total),
    }),
  )
  const diagnostics = [
    ...tree.diagnostics,
    ...tree.changed.flatMap(({ details, file }) => [
      ...details.diagnostics,
      ...missingFields(flags.dialect, details.metadata, file),
    ]),
    ...(await leftOutOfMcp(tree.changed)),
    ...confusableNames(tree.changed.map(({ entry: { path, name } }) => ({ id: path, name }))),
    ...(await authoringDiagnostics(source, tree, io.signal)),
  ].sort(byLocation)
  if (tree.found === 0 && diagnostics.length === 0) {
    await rejectPacked(io, path, 'validate the folder of skills it was packed from')
    throw noSkillsError(displayPath(io, path))
  }
  const summary = summarize(tree, diagnostics)
  const overlaps = flags.overlap ? await readOverlaps(io, source, tree) : undefined
  const taken = overlaps?.some(({ messages }) => messages.some(message => message.taken)) ?? false
  if (flags.json) printJson(io, { summary, diagnostics, overlaps })
  else {
    printReport(io, summary, diagnostics, flags.all ?? false)
    if (overlaps) printOverlaps(io, overlaps, flags.all ?? false)
  }
  return summary.errors > 0 || (taken && flags.strict) ? EXIT.failed : EXIT.ok
}

async function readOverlaps(io: Io, source: FolderSource, tree: Tree): Promise<Overlap[]> {
  const { signal } = io
  return withProgressBar(io, async bar => {
    await using library = await openLibrary(source, { signal, embedder: false })
    return await findOverlaps(library, source, tree.changed, {
      signal,
      onProgress: (done, total) => bar.update('matching', done, total),
    })
  })
}

async function isSingleSkill(path: string): Promise<boolean> {
  return (await readdir(path)).some(name => name.toLowerCase() === 'skill.md')
}

/** A skill's folder as seen from its parent, because the skill's name is compared with the folder's name. */
function singleSkillSource(path: string): FolderSource {
  const inner = openFolder(path)
  const name = basename(path)
  const prefix = `${name}/`
  return {
    name: basename(dirname(path)) || name,
    read: (file, options) => inner.read(file.startsWith(prefix) ? file.slice(prefix.length) : file, options),
    list: async options => (await inner.list(options)).map(entry => ({ ...entry, path: prefix + entry.path })),
  }
}

function summarize({ changed: read, found }: Tree, diagnostics: readonly Diagnostic[]): ValidateSummary {
  const countOf = (severity: Severity): number => diagnostics.filter(one => one.severity === severity).length
  const inferred = read.map(({ details }) => details.metadata.inferred ?? [])
  return {
    found,
    skills: read.length,
    own: read.filter(
      ({ entry }, index) =>
        !inferred[index]?.includes('description') && (!inferred[index]?.includes('name') || entry.path !== ''),
    ).length,
    inferred: inferred.filter(fields => fields.length > 0).length,
    leftOut: countLeftOut(diagnostics),
    errors: countOf('error'),
    warnings: countOf('warning'),
    infos: countOf('info'),
  }
}

function byLocation(a: Diagnostic, b: Diagnostic): number {
  const [x = '', y = ''] = [a.path, b.path]
  return x < y ? -1 : x > y ? 1 : (a.line ?? 0) - (b.line ?? 0)
}

function printReport(io: Io, summary: ValidateSummary, diagnostics: readonly Diagnostic[], all: boolean): void {
  const colors = colorsFor(io)
  const paints: Record<Severity, (text: string) => string> = {
    error: colors.red,
    warning: colors.yellow,
    info: colors.dim,
  }
  const relevant = diagnostics.filter(({ severity }) => all || severity !== 'info')
  const shown = all ? relevant : relevant.slice(0, MAX_ROWS)
  const rows: (Cell[] | Heading)[] = []
  let file: string | undefined
  for (const { path = '', severity, line, message, hint } of shown) {
    if (path !== file) rows.push({ heading: { text: path || 'the source', paint: colors.bold } })
    file = path
    rows.push([
      { text: severity, paint: paints[severity] },
      line === undefined ? '' : String(line),
      message,
      hint ?? '',
    ])
  }
  if (rows.length > 0) {
    io.stdout(
      table(
        io,
        [
          { head: '' },
          { head: 'line', right: true },
          { head: 'problem', flexible: true },
          { head: 'fix', flexible: true },
        ],
        rows,
      ),
    )
    if (shown.length < relevant.length)
      printLines(io, `… and ${relevant.length - shown.length} more; print them with --all or --json`)
    printLines(io, '')
  }
  const { skills, inferred, leftOut, errors, warnings, infos } = summary
  printLines(
    io,
    [
      plural(skills, 'skill'),
      ...(inferred > 0 ? [`${inferred} with an inferred name or description`] : []),
      ...(leftOut > 0 ? [colors.red(`${leftOut} left out`)] : []),
      (errors > 0 ? colors.red : colors.green)(plural(errors, 'error')),
      plural(warnings, 'warning'),
      ...(infos > 0 && !all ? [`${plural(infos, 'note')} (print with --all)`] : []),
    ].join(', '),
  )
}
