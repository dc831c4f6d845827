import { plainLine } from '../core/sanitize.js'

/**
 * Prints diagnostics of skills that are checked again and again. A line is printed once for as long as it persists.
 * @param print Prints one line, without hidden characters.
 * @param limit Maximum number of lines per call.
 * @param command Command that prints all of them.
 */
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
