import { join, relative, sep } from 'node:path'
import { VERSION } from '../../core/version.js'
import { mergeCopies } from '../../library/catalog/merge-copies.js'
import type { Tree } from '../../library/catalog/read-tree.js'
import type { Diagnostic, Severity } from '../../skill/diagnostics.js'
import { countLeftOut } from './diagnostics.js'
import { type Io, plural, printLines } from './io.js'
import { type Column, colorsFor, printTable, type Row } from './table.js'

/** A report with more rows shows one example of each warning and note. */
const MAX_ROWS = 20
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info']

/** The figures of a validation. */
export interface ValidationSummary {
  /** SKILL.md files found. */
  found: number
  /** Usable skills: of copies, one. */
  skills: number
  /** The other copies. */
  copies: number
  /** Usable skills with their own description, and their own name or their folder's. */
  own: number
  /** Usable skills with an inferred name or description. */
  inferred: number
  leftOut: number
  errors: number
  warnings: number
  infos: number
}

export function summarize(
  { changed, contents, found }: Tree,
  diagnostics: readonly Diagnostic[],
): ValidationSummary {
  const countOf = (severity: Severity): number =>
    diagnostics.filter(one => one.severity === severity).length
  const read = mergeCopies(changed, contents)
  const inferred = read.map(({ details }) => details.metadata.inferred ?? [])
  return {
    found,
    skills: read.length,
    copies: changed.length - read.length,
    own: read.filter(
      ({ entry }, index) =>
        !inferred[index]?.includes('description') &&
        (!inferred[index]?.includes('name') || entry.path !== ''),
    ).length,
    inferred: inferred.filter(fields => fields.length > 0).length,
    leftOut: countLeftOut(diagnostics),
    errors: countOf('error'),
    warnings: countOf('warning'),
    infos: countOf('info'),
  }
}

/** Sorts errors first, then by location. */
export function bySeverity(a: Diagnostic, b: Diagnostic): number {
  const [x = '', y = ''] = [a.path, b.path]
  const severity = SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
  return severity || (x < y ? -1 : x > y ? 1 : (a.line ?? 0) - (b.line ?? 0))
}

/** Prints diagnostics by code, errors first and all. `notes`: notes too. `every`: all warnings of a long report. */
export function printReport(
  io: Io,
  summary: ValidationSummary,
  diagnostics: readonly Diagnostic[],
  show: { notes: boolean; every: boolean },
): void {
  const colors = colorsFor(io)
  const paints = { error: colors.red, warning: colors.yellow, info: colors.dim }
  const relevant = diagnostics.filter(({ severity }) => show.notes || severity !== 'info')
  const isWhole = show.every || relevant.length <= MAX_ROWS
  const rows: Row[] = []
  for (const [first, ...others] of groupByCode(relevant)) {
    const all = [first, ...others]
    const shown = isWhole || first.severity === 'error' ? all : [first]
    const files = plural(new Set(all.map(({ path }) => path)).size, 'file')
    const more = shown.length < all.length ? ', the first:' : ''
    const label = first.severity === 'info' ? 'note' : first.severity
    const text = `${label} ${first.code}: ${all.length.toLocaleString('en')} in ${files}${more}`
    if (rows.length > 0) rows.push({ heading: '' })
    rows.push({ heading: { text, paint: paints[first.severity] } })
    for (const { path, line, message, hint } of shown) {
      rows.push([
        `${path || 'the source'}${line === undefined ? '' : `:${line}`}`,
        message,
        hint ?? '',
      ])
    }
  }
  if (rows.length > 0) {
    const columns = ['file', 'problem', 'fix'].map((head): Column => [head, 'flexible'])
    printTable(io, columns, rows)
    if (!isWhole) printLines(io, '', 'Print every row with --all or --json.')
    printLines(io, '')
  }
  const { skills, copies, inferred, leftOut, errors, warnings, infos } = summary
  const counts = [
    plural(skills, 'skill'),
    ...(copies > 0 ? [`${copies} ${copies === 1 ? 'copy' : 'copies'}`] : []),
    ...(inferred > 0 ? [`${inferred} with an inferred name or description`] : []),
    ...(leftOut > 0 ? [colors.red(`${leftOut} left out`)] : []),
    (errors > 0 ? colors.red : colors.green)(plural(errors, 'error')),
    plural(warnings, 'warning'),
    ...(infos > 0 && !show.notes ? [`${plural(infos, 'note')} (print with --all)`] : []),
  ]
  printLines(io, counts.join(', '))
}

/** Groups of one code and severity: errors first, then the largest. */
function groupByCode(diagnostics: readonly Diagnostic[]): [Diagnostic, ...Diagnostic[]][] {
  const groups = new Map<string, [Diagnostic, ...Diagnostic[]]>()
  for (const one of diagnostics) {
    const key = `${one.severity} ${one.code}`
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  const rank = ([{ severity }]: readonly [Diagnostic, ...Diagnostic[]]): number =>
    SEVERITIES.indexOf(severity)
  return [...groups.values()].sort((a, b) => rank(a) - rank(b) || b.length - a.length)
}

const SARIF_LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const

/** SARIF 2.1.0, which code hosts show beside lines. Paths are relative to `root`, addresses in the result to `cwd`. */
export function sarif(
  diagnostics: readonly Diagnostic[],
  { root, cwd }: { root: string; cwd: string },
): object {
  const rules = [...new Set(diagnostics.map(({ code }) => code))].sort()
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'skillshelf',
            semanticVersion: VERSION,
            rules: rules.map(id => ({ id })),
          },
        },
        results: diagnostics.map(({ code, severity, message, path = '', line, hint }) => ({
          ruleId: code,
          level: SARIF_LEVELS[severity],
          message: { text: hint === undefined ? message : `${message}. Fix: ${hint}` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: addressOf(relative(cwd, join(root, path))) },
                region: { startLine: line ?? 1 },
              },
            },
          ],
        })),
      },
    ],
  }
}

function addressOf(path: string): string {
  return path.split(sep).map(encodeURIComponent).join('/') || '.'
}
