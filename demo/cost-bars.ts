import { make } from './dom.js'

/** Three ways to give skills to a model, and what each one costs. */
export interface Costs {
  /** Names and descriptions of all skills, as agents list them, and what is opened. */
  listed: number
  /** The skill that fits, and what is opened. */
  skillshelf: number
  /** Every SKILL.md. */
  inlined: number
}

export const WAYS = ['listed', 'skillshelf', 'inlined'] as const
export type Way = (typeof WAYS)[number]

/**
 * The three costs as bars, each beside the largest.
 * @param format Writes a cost, such as `1,234`.
 * @param title What is counted.
 */
export function costBars(
  costs: Costs,
  labels: Readonly<Record<Way, string>>,
  format: (cost: number, way: Way) => string | readonly (Node | string)[],
  title: string,
): HTMLElement {
  const most = Math.max(...WAYS.map(way => costs[way]), Number.MIN_VALUE)
  const bars = make(
    'dl',
    {},
    ...WAYS.map(way => {
      const bar = make('span', { class: way === 'skillshelf' ? 'level-1' : 'whole' })
      bar.style.setProperty('--share', String(costs[way] / most))
      const value = format(costs[way], way)
      return make(
        'div',
        { class: way },
        make('dt', {}, labels[way]),
        make('dd', {}, ...(typeof value === 'string' ? [value] : value)),
        make('dd', { class: 'costs-bar', 'aria-hidden': 'true' }, bar),
      )
    }),
  )
  return make('div', { class: 'cost-bars' }, make('p', { class: 'facts' }, title), bars)
}
