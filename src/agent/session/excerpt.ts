import { headingsOf } from './sections.js'

const MAX_HEADINGS = 40

/** Where an excerpt is cut. Offsets and lengths are in UTF-16 units. */
interface ExcerptOptions {
  offset: number
  length: number
  /** Path of the file, for the note on how to read the rest. */
  path: string
  /** Offset of the text in its file. Offsets in the note are those of the file. @default 0 */
  shift?: number
}

/**
 * Cuts an excerpt out of a text. A cut text ends with a note on how to read the rest, and with the headings of the rest.
 * Surrogate pairs are never split.
 */
export function excerpt(text: string, { offset, length, path, shift = 0 }: ExcerptOptions): string {
  if (offset > 0 && offset >= text.length) {
    return `[${path} has ${text.length} characters: give a smaller offset]`
  }
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
  return (
    /[\ud800-\udbff]/.test(text[offset - 1] ?? '') && /[\udc00-\udfff]/.test(text[offset] ?? '')
  )
}

/** Lists the Markdown headings from an offset on, each with its offset plus `shift`. */
function headingsAfter(text: string, from: number, shift: number): string[] {
  const headings = headingsOf(text)
    .filter(({ offset }) => offset >= from)
    .map(({ offset, line }) => `${offset + shift} ${line}`)
  if (headings.length <= MAX_HEADINGS) return headings
  return [...headings.slice(0, MAX_HEADINGS), `… and ${headings.length - MAX_HEADINGS} more`]
}
