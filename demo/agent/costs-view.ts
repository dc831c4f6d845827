import { costBars } from '../cost-bars.js'
import { make } from '../dom.js'
import { texts } from '../texts.js'
import type { Turn, Usage } from './agent.js'
import { loadPrices, type Prices, storePrices } from './settings.js'

/** Tokens and cost of a conversation, by three ways. */
export interface CostsView {
  element: HTMLElement
  show(turns: readonly Turn[]): void
}

export function createCostsView(): CostsView {
  const labels = texts.agent
  const prices = loadPrices()
  const figures = make('div', { class: 'turn-costs', role: 'status' })
  let shown: readonly Turn[] = []
  const price = (kind: keyof Prices, label: string): HTMLElement => {
    const input = make('input', {
      type: 'number',
      min: '0',
      step: 'any',
      value: String(prices[kind]),
    })
    input.addEventListener('input', () => {
      if (!input.checkValidity() || input.value === '') return
      prices[kind] = input.valueAsNumber
      storePrices(prices)
      show(shown)
    })
    return make('label', {}, label, ' ', input)
  }
  const show = (turns: readonly Turn[]): void => {
    shown = turns
    const usages = {
      listed: sum(turns.map(turn => turn.listed)),
      skillshelf: sum(turns.map(turn => turn.tokens)),
      inlined: sum(turns.map(turn => turn.inlined)),
    }
    const priced = (usage: Usage): number => (usage.in * prices.in + usage.out * prices.out) / 1e6
    figures.replaceChildren(
      costBars(
        {
          listed: priced(usages.listed),
          skillshelf: priced(usages.skillshelf),
          inlined: priced(usages.inlined),
        },
        { ...texts.costs, skillshelf: labels.withSkillshelf },
        (dollars, way) => [
          make('strong', {}, labels.dollars(dollars)),
          ' ',
          labels.inOut(usages[way].in, usages[way].out),
        ],
        labels.costs,
      ),
    )
    element.hidden = turns.length === 0
  }
  const fieldset = make(
    'fieldset',
    { class: 'prices' },
    make('legend', {}, labels.prices),
    price('in', labels.priceIn),
    price('out', labels.priceOut),
  )
  const element = make(
    'section',
    { class: 'chat-costs', 'aria-label': labels.costs },
    figures,
    fieldset,
  )
  show([])
  return { element, show }
}

function sum(usages: readonly Usage[]): Usage {
  return usages.reduce((all, one) => ({ in: all.in + one.in, out: all.out + one.out }), {
    in: 0,
    out: 0,
  })
}
