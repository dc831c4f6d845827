import type { SkillId } from 'skillshelf'
import type { Library } from '../context.js'
import { make } from '../dom.js'
import { nameOf } from '../names.js'
import { texts } from '../texts.js'

/** What one method took for the message, and what it found. */
export interface Measured {
  name: string
  /** Best first; `undefined`: the method ranks nothing, and the model reads all. */
  ranked: readonly SkillId[] | undefined
  milliseconds: number
  /** Bytes that the network carried. */
  bytes: number
  /** Tokens that its answer puts into the context. */
  tokens: number
}

/** A row of the board. `rank` is 0 if the method did not find the right skill. */
export interface Row extends Measured {
  rank: number | undefined
  place: 'first' | 'tied' | 'last' | undefined
}

/**
 * The rows, the best first: by the rank of the right skill, then whether it is opened, then by tokens. Rows that are equal so far tie, the
 * fastest first. A method that ranks nothing is last.
 */
export function rank(measured: readonly Measured[], right: SkillId): readonly Row[] {
  const rows = measured.map(one => ({ ...one, rank: one.ranked && one.ranked.indexOf(right) + 1 }))
  const order = (row: (typeof rows)[number]): number => row.rank || (row.rank === 0 ? 100 : 1_000)
  // A method that opens no skill costs no tokens, and gives the agent nothing.
  const closed = (row: (typeof rows)[number]): number => Number(row.tokens === 0)
  const compare = (a: (typeof rows)[number], b: (typeof rows)[number]): number =>
    order(a) - order(b) || closed(a) - closed(b) || a.tokens - b.tokens
  rows.sort((a, b) => compare(a, b) || a.milliseconds - b.milliseconds)
  const best = rows.filter(row => row.rank && row.tokens > 0 && compare(row, rows[0] ?? row) === 0)
  return rows.map((row, index) => ({
    ...row,
    place: best.includes(row)
      ? best.length > 1
        ? 'tied'
        : 'first'
      : index === rows.length - 1
        ? 'last'
        : undefined,
  }))
}

export const isBest = ({ place }: Row): boolean => place === 'first' || place === 'tied'

/** The bars of a row: each beside the largest of all rows. */
export const BARS = ['milliseconds', 'bytes', 'tokens'] as const

export function valueText(bar: (typeof BARS)[number], value: number): string {
  if (value === 0) return '–'
  if (bar === 'tokens') return texts.number(value)
  if (bar === 'bytes') return texts.size(value)
  return texts.compare.time(value < 0.1 ? '<0.1' : value.toFixed(1))
}

/** The methods as rows of bars, with a choice of the skill that is right. */
export function board(
  rows: readonly Row[],
  library: Library,
  right: SkillId,
  choose: (right: SkillId) => void,
): readonly Node[] {
  const labels = texts.compare
  const select = make(
    'select',
    { id: 'compare-right' },
    ...library.snapshot.skills.map(skill =>
      make(
        'option',
        { value: skill.id, selected: skill.id === right ? '' : undefined },
        nameOf(skill),
      ),
    ),
  )
  select.addEventListener('change', () => choose(select.value))
  const cell = (row: Row, bar: (typeof BARS)[number]): HTMLElement => {
    const most = Math.max(...rows.map(one => one[bar]), Number.MIN_VALUE)
    const part = make('span', { class: isBest(row) ? 'level-1' : 'whole' })
    part.style.setProperty('--share', String(row[bar] / most))
    return make(
      'td',
      {},
      make('span', { class: 'value' }, valueText(bar, row[bar])),
      make('span', { class: 'costs-bar', 'aria-hidden': 'true' }, part),
    )
  }
  return [
    make(
      'p',
      { class: 'compare-right' },
      make('label', { for: 'compare-right' }, labels.right),
      ' ',
      select,
    ),
    make(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': labels.board },
      make(
        'table',
        { class: 'board' },
        make(
          'thead',
          {},
          make(
            'tr',
            {},
            ...[labels.method, labels.rank, ...BARS.map(bar => labels.bars[bar])].map(name =>
              make('th', { scope: 'col' }, name),
            ),
          ),
        ),
        make(
          'tbody',
          {},
          ...rows.map(row =>
            make(
              'tr',
              { class: row.place },
              make(
                'th',
                { scope: 'row' },
                row.name,
                row.place &&
                  make('span', { class: `place ${row.place}` }, labels.places[row.place]),
              ),
              make('td', { class: 'rank' }, labels.rankOf(row.rank)),
              ...BARS.map(bar => cell(row, bar)),
            ),
          ),
        ),
      ),
    ),
  ]
}
