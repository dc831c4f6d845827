import type { SkillMatch } from '../../library/api/match-result.js'
import { THRESHOLD } from '../../search/match/score.js'
import type { SkillSummary } from '../../skill/skill.js'
import { make } from './dom.js'
import type { SkillSearchTexts } from './events.js'

/** Whether `match` would return a match. */
export const isLikely = ({ score }: SkillMatch): boolean => score > THRESHOLD

/** A skill to choose, with its match if a message was matched. */
export interface Choice {
  skill: SkillSummary
  match?: SkillMatch
}

interface ShowOptions {
  texts: SkillSearchTexts
  reset: boolean
  activateFirst: boolean
}

/** The listbox. The input keeps the focus; its `aria-activedescendant` follows the active choice. */
export function createList(input: HTMLInputElement, onChoose: (choice: Choice) => void) {
  const element = make('ul', { part: 'list', id: 'list', role: 'listbox' })
  let choices: readonly Choice[] = []
  let index = -1

  const activate = (next: number): void => {
    index = next
    for (const [at, option] of [...element.children].entries()) {
      option.setAttribute('aria-selected', String(at === index))
    }
    const option = element.children[index]
    if (option) input.setAttribute('aria-activedescendant', option.id)
    else input.removeAttribute('aria-activedescendant')
  }
  const indexOf = (event: Event): number => {
    const option = event.target instanceof Element ? event.target.closest('[role=option]') : null
    return option ? [...element.children].indexOf(option) : -1
  }
  // The input keeps the focus.
  element.addEventListener('mousedown', event => event.preventDefault())
  element.addEventListener('pointermove', event => {
    const at = indexOf(event)
    if (at >= 0 && at !== index) activate(at)
  })
  element.addEventListener('click', event => {
    const choice = choices[indexOf(event)]
    if (choice) onChoose(choice)
  })

  return {
    element,
    get choices(): readonly Choice[] {
      return choices
    },
    get active(): Choice | undefined {
      return choices[index]
    },
    /** Makes the next or previous choice active, around the ends. */
    move(step: 1 | -1): void {
      if (choices.length === 0) return
      activate(
        index < 0 && step < 0
          ? choices.length - 1
          : (index + step + choices.length) % choices.length,
      )
      element.children[index]?.scrollIntoView({ block: 'nearest' })
    },
    /** Replaces the choices. The active one stays active if it is still there, unless `reset` is set. */
    show(next: readonly Choice[], { texts, reset, activateFirst }: ShowOptions): void {
      const activeId = reset ? undefined : choices[index]?.skill.id
      choices = next
      element.replaceChildren(...choices.map((choice, at) => option(choice, `option-${at}`, texts)))
      if (reset) element.scrollTop = 0
      const kept = choices.findIndex(({ skill }) => skill.id === activeId)
      const first = activateFirst && choices.length > 0 ? 0 : -1
      activate(kept >= 0 ? kept : first)
    },
  }
}

function option({ skill, match }: Choice, id: string, texts: SkillSearchTexts): HTMLElement {
  const unlikely = match !== undefined && !isLikely(match)
  const { name, displayName = name, description } = skill
  return make(
    'li',
    { part: unlikely ? 'option unlikely' : 'option', id, role: 'option' },
    make(
      'span',
      { part: 'name' },
      make('bdi', {}, ...highlight(displayName, match)),
      displayName !== name && make('bdi', { part: 'alias' }, name),
    ),
    match && score(match, unlikely, texts),
    make('span', { part: 'description', dir: 'auto' }, ...highlight(description, match)),
    match && make('span', { part: 'reason', dir: 'auto' }, match.reason),
  )
}

function score({ score }: SkillMatch, unlikely: boolean, texts: SkillSearchTexts): HTMLElement {
  const bar = make('span', { part: 'bar', 'aria-hidden': 'true' })
  bar.style.setProperty('--score', String(score))
  return make(
    'span',
    { part: 'score' },
    make('span', { class: 'hidden' }, `${texts.score} `),
    `${Math.floor(score * 100 + 1e-9)}%`,
    unlikely && ` · ${texts.unlikely}`,
    bar,
  )
}

type Terms = typeof import('../state/on-demand.js')
let terms: Terms | undefined

/** Loads what highlighting needs. Without it, texts have no marks. */
export async function loadHighlight(): Promise<void> {
  terms ??= await import('../state/on-demand.js').catch(() => undefined)
}

/** A text with the words of a match in `<mark>` elements. */
export function highlight(text: string, match: SkillMatch | undefined): (Node | string)[] {
  if (!terms || !match) return [text]
  const parts: (Node | string)[] = []
  let offset = 0
  const words = terms.namedTerms(match.signals).map(({ term }) => term)
  for (const { start, end } of terms.findTerms(text, words)) {
    parts.push(text.slice(offset, start), make('mark', {}, text.slice(start, end)))
    offset = end
  }
  return [...parts, text.slice(offset)]
}
