/** Headings of a text that are given at most. */
const MOST = 40

/**
 * The Markdown headings of a text from an offset on, a line each with where they stand; those in code are none.
 * @param shift Added to where they stand.
 */
export function headingsAfter(text: string, from: number, shift = 0): string[] {
  const found: string[] = []
  let fence: string | undefined
  let at = 0
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark && (fence === undefined || mark.startsWith(fence))) fence = fence === undefined ? mark : undefined
    else if (fence === undefined && at >= from && /^ {0,3}#{1,6}\s+\S/.test(line))
      found.push(`${at + shift} ${line.trim()}`)
    at += line.length + 1
  }
  return found.length <= MOST ? found : [...found.slice(0, MOST), `… and ${found.length - MOST} more`]
}
