import { basename } from '../../core/paths.js'
import { plainLine } from '../../core/sanitize.js'
import { createDiagnosticPrinter, type Diagnostic } from '../../skill/diagnostics.js'
import { type Io, printErrors } from './io.js'
import { shellQuote } from './paths.js'

/** Number of SKILL.md files that were left out or cannot be read. `list`, `pack` and `validate` print the same number. */
export function countLeftOut(diagnostics: readonly Diagnostic[]): number {
  const paths = diagnostics
    .filter(
      ({ code, path = '' }) =>
        code === 'skill-left-out' ||
        (code === 'skill-unreadable' && basename(path).toLowerCase() === 'skill.md'),
    )
    .map(({ path }) => path)
  return new Set(paths).size
}

/** Formats a diagnostic on one line: `path:line: message`. */
export function formatDiagnostic({ path = '', line, message }: Diagnostic): string {
  const location =
    path === '' || message.startsWith(path)
      ? ''
      : `${path}${line === undefined ? '' : `:${line}`}: `
  return plainLine(location + message)
}

/** Lines printed at a time. */
const MAX_LINES = 10

/** Prints errors and warnings to stderr, each once for as long as it persists. */
export function createDiagnosticReporter(
  io: Io,
  where: string,
): (diagnostics: readonly Diagnostic[]) => void {
  const command = `skillshelf validate ${shellQuote(where)}`
  const print = createDiagnosticPrinter(line => printErrors(io, line), MAX_LINES, command)
  return diagnostics =>
    print(diagnostics.filter(({ severity }) => severity !== 'info').map(formatDiagnostic))
}
