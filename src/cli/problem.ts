import type { Diagnostic } from '../skill/diagnostics.js'
import { oneLine } from './text.js'

/** A diagnostic on a line: where, and what is wrong. */
export function problemLine({ path = '', line, message }: Diagnostic): string {
  const where = path === '' || message.startsWith(path) ? '' : `${path}${line === undefined ? '' : `:${line}`}: `
  return oneLine(where + message)
}
