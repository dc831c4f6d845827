import { join, relative } from 'node:path'
import type { Logger } from 'vite'
import { singleLine } from '../cli/text.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import type { PackedFolder } from './packed-folder.js'

/** Problems that are printed at a time. */
const SHOWN = 20

/** Prints problems as warnings, each once for as long as it stays. */
export function createReporter(logger: Pick<Logger, 'warn'>): (problems: readonly string[]) => void {
  let printed: ReadonlySet<string> = new Set()
  return problems => {
    const fresh = problems.filter(problem => !printed.has(problem))
    printed = new Set(problems)
    for (const problem of fresh.slice(0, SHOWN)) logger.warn(`[skillshelf] ${problem}`, { timestamp: true })
    if (fresh.length > SHOWN)
      logger.warn(`[skillshelf] … and ${fresh.length - SHOWN} more: npx skillshelf validate DIR`, { timestamp: true })
  }
}

/** Errors and warnings, as `skills/pdf/SKILL.md:3 what is wrong (how to mend it)`. */
export function problemLines({ diagnostics, held }: PackedFolder, root: string, dir: string): string[] {
  return diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map(({ path = '', line, message, hint }) => {
      const place = (relative(root, join(dir, path)) || '.') + (line === undefined ? '' : `:${line}`)
      const more = [...(hint ? [hint] : []), ...(held.has(path) ? ['the page keeps it as it last was'] : [])]
      return singleLine(`${place} ${message}${more.length > 0 ? ` (${more.join('; ')})` : ''}`)
    })
}

export function isError({ severity }: Diagnostic): boolean {
  return severity === 'error'
}
