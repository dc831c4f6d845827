import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'

const graphemes = new Intl.Segmenter()

/** Cuts a text to `width` terminal columns, with an ellipsis at the end. */
export function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  let used = 1
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment)
    if (used > width) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** Wraps a text into lines of at most `width` terminal columns. */
export function wrap(text: string, width: number): string[] {
  return wrapAnsi(text, width, { hard: true }).split('\n')
}

/** Formats a number with its noun: `1 skill`, `1,234 skills`. */
export function plural(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}

/** Formats a size in bytes: `12 bytes`, `3.4 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return plural(bytes, 'byte')
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
