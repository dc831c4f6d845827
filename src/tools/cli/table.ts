import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import { plainLine } from '../../core/sanitize.js'
import type { Io } from './io.js'
import { colorsFor } from './terminal.js'

export { colorsFor } from './terminal.js'

/** Columns available for output, at least 40. */
export function terminalWidth(io: Io): number {
  return Math.max(40, io.columns || (io.isTTY ? 80 : 120))
}

/** `flexible` columns share the width that the others leave. `cut`: flexible, and long text is cut instead of wrapped. */
export type Column = readonly [head: string, kind?: 'right' | 'flexible' | 'cut']

/** Text, or text with a color. Colors are applied after the width is measured. */
export type Cell = string | { text: string; paint: (text: string) => string }

/** Cells, or a line across all columns above a group of rows. */
export type Row = readonly Cell[] | { heading: Cell }

const GAP = 2
const MIN_FLEXIBLE_WIDTH = 12

/** Prints a table without borders, at most as wide as the terminal. Without heads, it has no first line. */
export function printTable(io: Io, columns: readonly Column[], rows: readonly Row[]): void {
  const widths = columnWidths(terminalWidth(io), columns, rows)
  const fullWidth = widths.reduce((sum, width) => sum + width + GAP, -GAP)
  const linesOf = (row: Row): string[] => {
    if ('heading' in row) {
      return layOut(row.heading, text => [truncate(text, fullWidth)]).map(({ painted }) => painted)
    }
    const cells = columns.map(([, kind], index) => {
      const width = widths[index] ?? 0
      const lines = layOut(row[index] ?? '', text =>
        kind === 'cut'
          ? [truncate(text, width)]
          : wrapAnsi(text, width, { hard: true }).split('\n'),
      )
      return { lines, pad: (line: LaidOut) => padTo(line, width, kind === 'right') }
    })
    const height = cells.reduce((most, { lines }) => Math.max(most, lines.length), 0)
    return Array.from({ length: height }, (_, at) =>
      cells.map(({ lines, pad }) => pad(lines[at] ?? BLANK)).join(' '.repeat(GAP)),
    )
  }
  const heads = columns.map(([text]) => ({ text, paint: colorsFor(io).dim }))
  const lines = [...(heads.some(({ text }) => text !== '') ? [heads] : []), ...rows].flatMap(
    linesOf,
  )
  io.stdout(lines.map(line => `${line.trimEnd()}\n`).join(''))
}

/** A line of a cell. Its width is that of the text, without colors. */
interface LaidOut {
  text: string
  painted: string
}
const BLANK: LaidOut = { text: '', painted: '' }

function layOut(cell: Cell, linesOf: (text: string) => string[]): LaidOut[] {
  return linesOf(plainLine(textOf(cell))).map(text => ({
    text,
    painted: typeof cell === 'string' ? text : cell.paint(text),
  }))
}

function padTo({ text, painted }: LaidOut, width: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, width - stringWidth(text)))
  return right ? space + painted : painted + space
}

/** Gives each column the width of its widest cell, at most a third of the total. Flexible columns share the rest. */
function columnWidths(total: number, columns: readonly Column[], rows: readonly Row[]): number[] {
  const max = Math.floor(total / 3)
  const sized = columns.map(([head, kind], index) => {
    const flexible = kind === 'flexible' || kind === 'cut'
    const widest = rows.reduce(
      (width, row) =>
        'heading' in row ? width : Math.max(width, stringWidth(plainLine(textOf(row[index])))),
      stringWidth(head),
    )
    return { flexible, widest, width: flexible ? 0 : Math.min(widest, max) }
  })
  let left = total - GAP * (columns.length - 1) - sized.reduce((sum, { width }) => sum + width, 0)
  // Narrow columns first, so that the wide ones get the width that they leave.
  const flexible = sized.filter(column => column.flexible).sort((a, b) => a.widest - b.widest)
  for (const [position, column] of flexible.entries()) {
    const share = Math.max(MIN_FLEXIBLE_WIDTH, Math.floor(left / (flexible.length - position)))
    column.width = Math.min(column.widest, share)
    left -= column.width
  }
  return sized.map(({ width }) => Math.max(1, width))
}

function textOf(cell: Cell = ''): string {
  return typeof cell === 'string' ? cell : cell.text
}

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
