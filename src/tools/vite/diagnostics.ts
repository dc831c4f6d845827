import { join, relative } from 'node:path'
import type { Logger } from 'vite'
import { createDiagnosticPrinter } from '../../skill/diagnostics.js'
import type { PackedFolder } from './packed-folder.js'

/** Lines printed at a time. */
const MAX_LINES = 20

/** Logs warnings, each once for as long as it persists. */
export function createWarningLogger(logger: Pick<Logger, 'warn'>): (lines: readonly string[]) => void {
  return createDiagnosticPrinter(
    line => logger.warn(`[skillshelf] ${line}`, { timestamp: true }),
    MAX_LINES,
    'npx skillshelf validate DIR',
  )
}

/** Formats errors and warnings as `skills/pdf/SKILL.md:3 message (hint)`. */
export function formatDiagnostics({ diagnostics, held }: PackedFolder, root: string, dir: string): string[] {
  return diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map(({ path = '', line, message, hint }) => {
      const location = (relative(root, join(dir, path)) || '.') + (line === undefined ? '' : `:${line}`)
      const notes = [hint, held.has(path) && 'the page keeps the last valid version'].filter(Boolean)
      return `${location} ${message}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`
    })
}
