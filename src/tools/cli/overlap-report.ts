import type { Io } from './io.js'
import { printLines } from './io.js'
import type { Overlap, OverlapMessage } from './overlap.js'
import { type Cell, colorsFor, type Heading, table } from './table.js'
import { plural } from './text.js'

/** Texts printed for each pair, and pairs printed. */
const MAX_TEXTS = 3
const MAX_PAIRS = 50

/** Prints the pairs of skills that compete for messages. */
export function printOverlaps(io: Io, overlaps: readonly Overlap[], all: boolean): void {
  const colors = colorsFor(io)
  const shown = all ? overlaps : overlaps.slice(0, MAX_PAIRS)
  const rows: (Cell[] | Heading)[] = []
  for (const { skills, messages } of shown) {
    const [a, b] = skills
    const nameOf = (id: string): string => (a.name === b.name ? id : id === a.id ? a.name : b.name)
    rows.push({ heading: { text: `${nameOf(a.id)} and ${nameOf(b.id)}`, paint: colors.bold } })
    for (const message of all ? messages : messages.slice(0, MAX_TEXTS)) {
      const other = nameOf(message.skill === a.id ? b.id : a.id)
      const { text, taken, missing } = message
      const paint = taken ? colors.red : colors.yellow
      rows.push([
        nameOf(message.skill),
        `${message.from}: ${text}`,
        { text: taken ? `taken by ${other}` : `${percent(message)} for ${other}`, paint },
      ])
      if (missing.length > 0) rows.push([nameOf(message.skill), `missing here: ${missing.join(', ')}`, ''])
    }
    for (const { id, only } of skills)
      rows.push([nameOf(id), only.length > 0 ? `only here: ${only.join(', ')}` : 'no word of its own', ''])
  }
  if (rows.length > 0)
    io.stdout(
      table(
        io,
        [{ head: 'skill' }, { head: 'text or words', flexible: true }, { head: 'relevance', flexible: true }],
        rows,
      ),
    )
  if (shown.length < overlaps.length)
    printLines(io, `… and ${overlaps.length - shown.length} more; print them with --all or --json`)
  if (rows.length > 0) printLines(io, '')
  const taken = overlaps.flatMap(({ messages }) => messages).filter(message => message.taken).length
  printLines(
    io,
    [
      plural(overlaps.length, 'overlapping pair'),
      (taken > 0 ? colors.red : colors.green)(`${plural(taken, 'text')} taken by another skill`),
    ].join(', '),
  )
}

function percent({ share = 0 }: OverlapMessage): string {
  return `${Math.floor(share * 100)} %`
}
