import type { SkillMatch, SkillSummary } from 'skillshelf'
import { reasonOf } from 'skillshelf/match'
import { make } from '../dom.js'
import { percent } from '../format.js'
import { descriptionOf, nameOf } from '../names.js'
import { language, texts } from '../texts.js'
import { skillHash } from '../url.js'
import { excerpt, highlight } from './highlight.js'
import { saidTerms, whyOf } from './why.js'

/** A search result: what an agent opens, chooses from, or leaves alone. */
export function matchItem(
  match: SkillMatch,
  summary: SkillSummary | undefined,
  kind: 'match' | 'maybe' | 'unlikely',
): HTMLLIElement {
  const terms = saidTerms(match.signals).map(({ term }) => term)
  const description = summary ? descriptionOf(summary) : ''
  return item(match.id, kind, [
    title(summary ?? match, terms),
    make(
      'span',
      { class: 'score' },
      make('span', { class: 'visually-hidden' }, `${texts.score} `),
      percent(match.score),
    ),
    bar(match.score),
    make(
      'span',
      { class: 'description', dir: 'auto' },
      ...highlight(excerpt(description, terms), terms),
    ),
    make(
      'span',
      { class: 'reason' },
      (summary && whyOf(match.signals, summary)) ?? reasonOf(match.signals, language),
    ),
  ])
}

/** A skill in the list that is shown before a search. */
export function skillItem(skill: SkillSummary): HTMLLIElement {
  return item(skill.id, 'listed', [
    title(skill, []),
    make('span', { class: 'description', dir: 'auto' }, descriptionOf(skill)),
    make('span', { class: 'facts' }, texts.tokens(skill.tokens.instructions)),
  ])
}

function item(id: string, kind: string, children: readonly Node[]): HTMLLIElement {
  return make('li', {}, make('a', { href: skillHash(id), class: `item ${kind}` }, ...children))
}

function bar(share: number): HTMLElement {
  const element = make('span', { class: 'bar', 'aria-hidden': 'true' })
  element.style.setProperty('--score', String(share))
  return element
}

function title(
  skill: Pick<SkillSummary, 'name' | 'displayName'>,
  terms: readonly string[],
): HTMLElement {
  const shown = nameOf(skill)
  // A display name in another language tells the reader nothing.
  const alias = shown === skill.name ? undefined : skill.name
  return make(
    'span',
    { class: 'title' },
    make('span', { class: 'name', dir: 'auto' }, ...highlight(shown, terms)),
    alias !== undefined && alias !== shown && ' ',
    alias !== undefined &&
      alias !== shown &&
      make('span', { class: 'alias' }, ...highlight(alias, terms)),
  )
}
