const MAX_HEADINGS = 40

/**
 * Cuts an excerpt out of a text. A cut text ends with a note on how to read the rest, and with the headings of the rest.
 * Surrogate pairs are never split.
 *
 * @param text The text.
 * @param offset First character of the excerpt.
 * @param length Maximum characters.
 * @param path Path of the file, for the note.
 * @param shift Offset of `text` in its file. Offsets in the note are those of the file. Default 0.
 */
export function excerpt(text: string, offset: number, length: number, path: string, shift = 0): string {
  if (offset > 0 && offset >= text.length) return `[${path} has ${text.length} characters: give a smaller offset]`
  const start = splitsPair(text, offset) ? offset - 1 : offset
  const cut = start + length
  const end = !splitsPair(text, cut) ? cut : cut - 1 > start ? cut - 1 : cut + 1
  const remaining = text.length - end
  const content = text.slice(start, end)
  if (remaining <= 0) return content
  const headings = headingsAfter(text, end, shift)
  return [
    content,
    `[${remaining} more characters: read_skill_file with path ${JSON.stringify(path)} and offset ${end + shift}]`,
    ...(headings.length === 0 ? [] : ['[Headings in the rest, with their offsets]', ...headings]),
  ].join('\n')
}

/** Whether a cut at this offset would split a surrogate pair. */
function splitsPair(text: string, offset: number): boolean {
  return /[\ud800-\udbff]/.test(text[offset - 1] ?? '') && /[\udc00-\udfff]/.test(text[offset] ?? '')
}

/** Lists the Markdown headings from an offset on, each with its offset plus `shift`. Skips fenced code. */
function headingsAfter(text: string, from: number, shift: number): string[] {
  const headings: string[] = []
  let fence: string | undefined
  let offset = 0
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark && (fence === undefined || mark.startsWith(fence))) fence = fence === undefined ? mark : undefined
    else if (fence === undefined && offset >= from && /^ {0,3}#{1,6}\s+\S/.test(line))
      headings.push(`${offset + shift} ${line.trim()}`)
    offset += line.length + 1
  }
  if (headings.length <= MAX_HEADINGS) return headings
  return [...headings.slice(0, MAX_HEADINGS), `… and ${headings.length - MAX_HEADINGS} more`]
}
