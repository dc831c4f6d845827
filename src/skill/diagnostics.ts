import { errorMessage } from '../core/errors.js'
import { isRecord } from '../core/plain-data.js'
import { plainLine } from '../core/sanitize.js'
import type { DiagnosticCode } from './diagnostic-codes.js'

export type { DiagnosticCode } from './diagnostic-codes.js'

/** `error`: data was lost, or a violation in strict mode. `warning`: the skill works but should be fixed. `info`: harmless. */
export type Severity = 'error' | 'warning' | 'info'

/** A problem of a file, skill or source, as plain data. */
export interface Diagnostic {
  code: DiagnosticCode
  severity: Severity
  /** The problem, in one sentence. */
  message: string
  /** Path of the file in its source, or id of the skill. */
  path?: string
  /** 1-based line in the file. */
  line?: number
  /** How to fix it, in one sentence. */
  hint?: string
}

/** Creates the diagnostics of a file whose texts do not vary: severity, message and hint by code. */
export function fixedDiagnostics<Code extends DiagnosticCode>(
  texts: Readonly<Record<Code, readonly [severity: Severity, message: string, hint: string]>>,
): (code: Code, line?: number) => Diagnostic {
  return (code, line) => {
    const [severity, message, hint] = texts[code]
    return { code, severity, message, ...(line === undefined ? {} : { line }), hint }
  }
}

/** Keeps the well-formed diagnostics of a file. */
export function readDiagnostics(value: unknown): Diagnostic[] {
  return Array.isArray(value)
    ? value.filter(
        one =>
          isRecord(one) &&
          typeof one['code'] === 'string' &&
          typeof one['message'] === 'string' &&
          ['error', 'warning', 'info'].includes(String(one['severity'])) &&
          ['undefined', 'string'].includes(typeof one['path']),
      )
    : []
}

/** Prints a line once for as long as it persists, at most `limit` per call. `command` prints all. */
export function createDiagnosticPrinter(
  print: (line: string) => void,
  limit: number,
  command: string,
): (lines: readonly string[]) => void {
  let printed: ReadonlySet<string> = new Set()
  return lines => {
    const current = new Set(lines)
    const added = [...current].filter(line => !printed.has(line))
    printed = current
    for (const line of added.slice(0, limit)) print(plainLine(line))
    if (added.length > limit) print(`… and ${added.length - limit} more: ${command}`)
  }
}

/** Reports a model that the library works without. @param model Starts the message: `The bundled model`. */
export function modelDiagnostic(error: unknown, model: string): Diagnostic {
  const message = `${model} is unavailable: ${errorMessage(error)}`
  return {
    code: 'model-unavailable',
    severity: 'warning',
    message,
    hint: 'matching works without it',
  }
}
