import type { Diagnostic } from '../skill/diagnostics.js'
import { singleLine } from './text.js'

/** A diagnostic on a line: where, and what is wrong. */
export function formatDiagnostic({ path = '', line, message }: Diagnostic): string {
  const where = path === '' || message.startsWith(path) ? '' : `${path}${line === undefined ? '' : `:${line}`}: `
  return singleLine(where + message)
}
