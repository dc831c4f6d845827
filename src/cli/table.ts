import Table from 'cli-table3'
import pico from 'picocolors'
import type { Io } from './io.js'
import { displayWidth, singleLine, truncate, wrap } from './text.js'

export type Colors = ReturnType<typeof pico.createColors>

/** Colours for a terminal, plain text for everything else and where NO_COLOR is set. */
export function colorsFor(io: Io): Colors {
  return pico.createColors(io.isTTY && !io.env?.['NO_COLOR'] && io.env?.['TERM'] !== 'dumb')
}

/** Columns to fill. */
export function widthFor(io: Io): number {
  return Math.max(40, io.columns || (io.isTTY ? 80 : 120))
}

export interface Column {
  head: string
  right?: boolean
  /** Shares what room the other columns leave. */
  flexible?: boolean
  /** One line, cut where it is too long; otherwise wrapped. */
  cut?: boolean
}

/** A cell: text, or text with a colour. Colours must not count when widths are measured. */
export type Cell = string | { text: string; paint: (text: string) => string }

/** A line across all columns, above the rows it heads. */
export interface Heading {
  heading: Cell
}

/** Laying out takes time with the square of the rows. */
const ROWS_AT_ONCE = 20
const GAP = 2
const SMALLEST = 12

/** A table without borders, as wide as the terminal at most. */
export function table(io: Io, columns: readonly Column[], rows: readonly (readonly Cell[] | Heading)[]): string {
  const colors = colorsFor(io)
  const widths = layOut(widthFor(io), columns, rows)
  const render = (some: readonly (readonly Cell[] | Heading)[]): string => {
    const drawn = new Table({
      chars: NO_BORDER,
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
      colWidths: widths.map((width, at) => width + (at < widths.length - 1 ? GAP : 0)),
      colAligns: columns.map(column => (column.right ? 'right' : 'left')),
    })
    const whole = widths.reduce((sum, width) => sum + width + GAP, -GAP)
    for (const row of some) {
      if ('heading' in row)
        drawn.push([{ colSpan: columns.length, content: painted(row.heading, text => truncate(text, whole)) }])
      else
        drawn.push(
          columns.map((column, at) => {
            const width = widths[at] as number
            // A right-aligned cell stands against its own gap.
            const gap = column.right && at < columns.length - 1 ? ' '.repeat(GAP) : ''
            return painted(row[at] ?? '', text =>
              (column.cut ? [truncate(text, width)] : wrap(text, width)).map(line => line + gap).join('\n'),
            )
          }),
        )
    }
    return drawn.toString()
  }
  const parts = [render([columns.map(({ head }) => ({ text: head, paint: colors.dim }))])]
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) parts.push(render(rows.slice(at, at + ROWS_AT_ONCE)))
  return `${parts
    .join('\n')
    .split('\n')
    .map(line => line.trimEnd())
    .join('\n')}\n`
}

function painted(cell: Cell, shape: (text: string) => string): string {
  if (typeof cell === 'string') return shape(singleLine(cell))
  return shape(singleLine(cell.text)).split('\n').map(cell.paint).join('\n')
}

/** Every column as wide as its widest cell; the flexible ones share what is left. */
function layOut(total: number, columns: readonly Column[], rows: readonly (readonly Cell[] | Heading)[]): number[] {
  const widths = columns.map(({ head }) => displayWidth(head))
  for (const row of rows) {
    if ('heading' in row) continue
    for (const [at, cell] of row.entries()) {
      const width = displayWidth(singleLine(typeof cell === 'string' ? cell : cell.text))
      if (width > (widths[at] as number)) widths[at] = width
    }
  }
  const most = Math.floor(total / 3)
  const fixed = columns.map(({ flexible }, at) => (flexible ? 0 : Math.min(widths[at] as number, most)))
  let left = total - GAP * (columns.length - 1) - fixed.reduce((sum, width) => sum + width, 0)
  let waiting = columns.flatMap(({ flexible }, at) => (flexible ? [at] : []))
  // The narrowest first, so that what one does not need goes to the others.
  waiting = waiting.sort((a, b) => (widths[a] as number) - (widths[b] as number))
  while (waiting.length > 0) {
    const [at] = waiting.splice(0, 1) as [number]
    const share = Math.max(SMALLEST, Math.floor(left / (waiting.length + 1)))
    fixed[at] = Math.min(widths[at] as number, share)
    left -= fixed[at] as number
  }
  return fixed.map(width => Math.max(1, width))
}

const NO_BORDER = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
}
