import { make } from '../dom.js'
import { percent } from '../format.js'
import { texts } from '../texts.js'
import { savedShare } from '../views/context-usage.js'
import type { Turn, Usage } from './agent.js'
import { loadPrices, type Prices, storePrices } from './settings.js'

/** Tokens and cost of a conversation, beside the same with every skill inlined. */
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
    const tokens = sum(turns.map(turn => turn.tokens))
    const inlined = sum(turns.map(turn => turn.inlined))
    const [cost, whole] = [tokens, inlined].map(
      one => (one.in * prices.in + one.out * prices.out) / 1e6,
    ) as [number, number]
    const most = Math.max(cost, whole, Number.MIN_VALUE)
    const row = (name: string, usage: Usage, dollars: number, kind: string): HTMLElement => {
      const bar = make('span', { class: kind })
      bar.style.setProperty('--share', String(dollars / most))
      return make(
        'div',
        {},
        make('dt', {}, name),
        make(
          'dd',
          {},
          make('strong', {}, labels.dollars(dollars)),
          ' ',
          labels.inOut(usage.in, usage.out),
        ),
        make('dd', { class: 'costs-bar', 'aria-hidden': 'true' }, bar),
      )
    }
    const saved = savedShare(cost, whole)
    figures.replaceChildren(
      make(
        'p',
        { class: 'saved' },
        saved > 0 ? labels.cheaper(percent(saved)) : texts.usage.notSaved,
      ),
      make(
        'dl',
        {},
        row(labels.withSkillshelf, tokens, cost, 'level-1'),
        row(labels.inlined, inlined, whole, 'whole'),
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
