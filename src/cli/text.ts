import { stripHidden } from '../core/sanitize.js'

const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Extended_Pictographic}\p{Regional_Indicator}\u2e80-\u303e\u3040-\ua4cf\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]$/u
const NARROW = /^[\u0020-\u02ff]*$/

/** Untrusted text on one line, without control characters. */
export function singleLine(text: string): string {
  return stripHidden(text).replace(/\s+/g, ' ').trim()
}

/** Columns that a text takes in a terminal, never too few: East Asian characters and pictures take two. */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}

function widthOf(character: string): number {
  if (/^[\u0300-\u036f]$/.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

/** The text, with an ellipsis where it is cut to `width` columns. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  return `${take(text, width - 1).trimEnd()}…`
}

/** The text in lines of at most `width` columns, broken at blanks and between ideographs. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap(line => {
    const lines: string[] = []
    let current = ''
    for (const piece of pieces(line)) {
      if (displayWidth(current + piece.trimEnd()) <= width) {
        current += piece
        continue
      }
      if (current.trim() !== '') lines.push(current.trimEnd())
      current = piece
      while (displayWidth(current.trimEnd()) > width) {
        const part = take(current, width) || current.slice(0, 1)
        lines.push(part)
        current = current.slice(part.length)
      }
    }
    return [...lines, current.trimEnd()]
  })
}

/** Words with the blanks after them; each ideograph by itself. */
function pieces(line: string): string[] {
  return (
    line.match(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]\s*|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]+\s*|\s+/gu,
    ) ?? []
  )
}

/** As much of the start of a text as fits into `width` columns. */
function take(text: string, width: number): string {
  let used = 0
  let end = 0
  for (const character of text) {
    used += widthOf(character)
    if (used > width) break
    end += character.length
  }
  return text.slice(0, end)
}

/** `1 skill`, `2 skills`, `1,234 skills`. */
export function plural(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}

/** Bytes for people. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return plural(bytes, 'byte')
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
