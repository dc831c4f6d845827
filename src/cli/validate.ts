import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readTree, type Tree } from '../catalog/read-tree.js'
import type { Diagnostic, Severity } from '../skill/diagnostics.js'
import { CATALOG_FILE } from '../source/catalog-file.js'
import { commandError, EXIT } from './errors.js'
import { cancellable, type Io, printJson, printLines } from './io.js'
import { displayPath, type Folder, findFolder, noSkillsError, openFolder, pathKind } from './open-library.js'
import { startProgressBar } from './progress-bar.js'
import { type Cell, colorsFor, type Heading, table } from './table.js'
import { plural } from './text.js'

export interface ValidateFlags {
  strict?: boolean
  all?: boolean
  json?: boolean
}

export interface ValidateSummary {
  /** SKILL.md files found. */
  found: number
  /** Skills that can be used. */
  skills: number
  /** Of those: with a description of their own, and a name of their own or their folder's. */
  own: number
  /** Of those: with a name or description that was inferred. */
  inferred: number
  leftOut: number
  errors: number
  warnings: number
  infos: number
}

const MOST_ROWS = 200

/** `skillshelf validate DIR`: all that is wrong with the skills, and where. */
export async function validateCommand(io: Io, dir: string | undefined, flags: ValidateFlags): Promise<number> {
  const path = await findFolder(io, dir)
  const tree = await read(io, path, flags.strict ?? false)
  const diagnostics = [...tree.diagnostics, ...tree.changed.flatMap(skill => skill.details.diagnostics)].sort(byPlace)
  if (tree.found === 0 && diagnostics.length === 0) {
    if ((await pathKind(join(path, CATALOG_FILE))) === 'file')
      throw commandError(
        `${displayPath(io, path)} is a packed library`,
        'validate the folder of skills that it was made from',
      )
    throw noSkillsError(displayPath(io, path))
  }
  const summary = summaryOf(tree, diagnostics)
  const code = summary.errors > 0 ? EXIT.failed : EXIT.ok
  if (flags.json) printJson(io, { summary, diagnostics })
  else tell(io, summary, diagnostics, flags.all ?? false)
  return code
}

async function read(io: Io, path: string, strict: boolean): Promise<Tree> {
  const source = (await isOneSkill(path)) ? asOneSkill(path) : openFolder(path)
  const progress = startProgressBar(io)
  try {
    return await readTree(source, {
      ...cancellable(io),
      ...(strict ? { strict } : {}),
      onProgress: (done, total) => progress.update('reading', done, total),
    })
  } finally {
    progress.stop()
  }
}

async function isOneSkill(path: string): Promise<boolean> {
  return (await readdir(path)).some(name => name.toLowerCase() === 'skill.md')
}

/** The folder of a single skill, seen from the folder above: a skill's name is compared with its folder's. */
function asOneSkill(path: string): Folder {
  const inner = openFolder(path)
  const name = basename(path)
  const prefix = `${name}/`
  return {
    name: basename(dirname(path)) || name,
    read: (at, options) => inner.read(at.startsWith(prefix) ? at.slice(prefix.length) : at, options),
    list: async options => (await inner.list(options)).map(entry => ({ ...entry, path: prefix + entry.path })),
  }
}

function summaryOf({ changed: read, found }: Tree, diagnostics: readonly Diagnostic[]): ValidateSummary {
  const number = (severity: Severity): number => diagnostics.filter(one => one.severity === severity).length
  const inferred = read.map(({ details }) => details.metadata.inferred ?? [])
  return {
    found,
    skills: read.length,
    own: read.filter(
      ({ entry }, at) =>
        !inferred[at]?.includes('description') && (!inferred[at]?.includes('name') || entry.path !== ''),
    ).length,
    inferred: inferred.filter(fields => fields.length > 0).length,
    leftOut: found - read.length,
    errors: number('error'),
    warnings: number('warning'),
    infos: number('info'),
  }
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  const [x = '', y = ''] = [a.path, b.path]
  return x < y ? -1 : x > y ? 1 : (a.line ?? 0) - (b.line ?? 0)
}

function tell(io: Io, summary: ValidateSummary, diagnostics: readonly Diagnostic[], all: boolean): void {
  const colors = colorsFor(io)
  const paints: Record<Severity, (text: string) => string> = {
    error: colors.red,
    warning: colors.yellow,
    info: colors.dim,
  }
  const wanted = diagnostics.filter(({ severity }) => all || severity !== 'info')
  const few = all ? wanted : wanted.slice(0, MOST_ROWS)
  const rows: (Cell[] | Heading)[] = []
  let file: string | undefined
  for (const { path = '', severity, line, message, hint } of few) {
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
          { head: 'what', flexible: true },
          { head: 'how to mend it', flexible: true },
        ],
        rows,
      ),
    )
    if (few.length < wanted.length)
      printLines(io, `… and ${wanted.length - few.length} more; show them with --all, or all as data with --json`)
    printLines(io, '')
  }
  const { skills, inferred, leftOut, errors, warnings, infos } = summary
  printLines(
    io,
    [
      plural(skills, 'skill'),
      ...(inferred > 0 ? [`${inferred} with a name or description that was inferred`] : []),
      ...(leftOut > 0 ? [colors.red(`${leftOut} left out`)] : []),
      (errors > 0 ? colors.red : colors.green)(plural(errors, 'error')),
      plural(warnings, 'warning'),
      ...(infos > 0 && !all ? [`${plural(infos, 'note')} (--all shows them)`] : []),
    ].join(', '),
  )
}
