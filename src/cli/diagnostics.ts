import type { Diagnostic } from '../skill/diagnostics.js'
import type { Io } from './io.js'
import { shellQuote } from './open-library.js'
import { singleLine } from './text.js'

/** Formats a diagnostic on one line: `path:line: message`. */
export function formatDiagnostic({ path = '', line, message }: Diagnostic): string {
  const where = path === '' || message.startsWith(path) ? '' : `${path}${line === undefined ? '' : `:${line}`}: `
  return singleLine(where + message)
}

/** Problems that are printed at a time. */
const SHOWN = 10

/** Prints what is wrong with skills, each once for as long as it stays. */
export function createDiagnosticPrinter(io: Io, where: string): (diagnostics: readonly Diagnostic[]) => void {
  let told: ReadonlySet<string> = new Set()
  return diagnostics => {
    const lines = new Set(diagnostics.filter(({ severity }) => severity !== 'info').map(formatDiagnostic))
    const fresh = [...lines].filter(line => !told.has(line))
    told = lines
    for (const line of fresh.slice(0, SHOWN)) io.stderr(`${line}\n`)
    if (fresh.length > SHOWN)
      io.stderr(`… and ${fresh.length - SHOWN} more: skillshelf validate ${shellQuote(where)}\n`)
  }
}
