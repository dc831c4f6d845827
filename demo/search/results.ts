import { namedTerms, reasonOf, type SkillMatch, type SkillSummary } from 'skillshelf'
import { make } from '../dom.js'
import { percent } from '../format.js'
import { language, texts } from '../texts.js'
import { skillHash } from '../url.js'
import { excerpt, highlight } from './highlight.js'

/** The default threshold of `match`. */
export const THRESHOLD = 0.7

/** A search result. */
export function matchItem(match: SkillMatch, summary: SkillSummary | undefined): HTMLLIElement {
  const likely = match.score > THRESHOLD
  const terms = namedTerms(match.signals).map(({ term }) => term)
  const description = summary?.description ?? ''
  return item(match.id, likely ? 'match' : 'match unlikely', [
    title(summary ?? match, terms),
    make(
      'span',
      { class: 'score' },
      make('span', { class: 'visually-hidden' }, `${texts.score} `),
      percent(match.score),
    ),
    bar('bar', match.score),
    make('span', { class: 'description', dir: 'auto' }, ...highlight(excerpt(description, terms), terms)),
    make('span', { class: 'reason' }, reasonOf(match.signals, language)),
    make(
      'span',
      { class: 'facts' },
      make('span', { class: 'confidence' }, texts.confidence(percent(match.confidence))),
      bar('meter', match.confidence),
      !likely && make('span', { class: 'below-threshold' }, texts.unlikely),
    ),
  ])
}

/** A skill in the list that is shown before a search. */
export function skillItem(skill: SkillSummary): HTMLLIElement {
  return item(skill.id, 'listed', [
    title(skill, []),
    make('span', { class: 'description', dir: 'auto' }, skill.description),
    make('span', { class: 'facts' }, texts.whenLoaded(skill.tokens.instructions)),
  ])
}

function item(id: string, kind: string, children: readonly Node[]): HTMLLIElement {
  return make('li', {}, make('a', { href: skillHash(id), class: `item ${kind}` }, ...children))
}

function bar(kind: string, share: number): HTMLElement {
  const element = make('span', { class: kind, 'aria-hidden': 'true' })
  element.style.setProperty('--score', String(share))
  return element
}

function title({ name, displayName }: { name: string; displayName?: string }, terms: readonly string[]): HTMLElement {
  const shown = displayName ?? name
  return make(
    'span',
    { class: 'title' },
    make('span', { class: 'name', dir: 'auto' }, ...highlight(shown, terms)),
    shown !== name && ' ',
    shown !== name && make('code', { class: 'alias' }, ...highlight(name, terms)),
  )
}
