import { namedTerms, reasonOf, type SkillMatch, type SkillSummary } from 'skillshelf'
import { make } from './dom.js'
import { percent } from './format.js'
import { excerpt, lit } from './marks.js'
import { skillHash } from './route.js'
import { language, texts } from './texts.js'

/** What `match` asks of a skill by default. */
export const THRESHOLD = 0.7

/** A match, as a line of the results. */
export function matchItem(match: SkillMatch, summary: SkillSummary | undefined): HTMLLIElement {
  const likely = match.score > THRESHOLD
  const terms = namedTerms(match.signals).map(({ term }) => term)
  return item(match.id, likely ? 'match' : 'match unlikely', [
    title(summary ?? match, terms),
    make('span', { class: 'score' }, make('span', { class: 'unseen' }, `${texts.score} `), percent(match.score)),
    bar('bar', match.score),
    make('span', { class: 'description', dir: 'auto' }, ...lit(excerpt(summary?.description ?? '', terms), terms)),
    make('span', { class: 'reason' }, reasonOf(match.signals, language)),
    make(
      'span',
      { class: 'facts' },
      make('span', { class: 'confidence' }, texts.confidence(percent(match.confidence))),
      bar('meter', match.confidence),
      !likely && make('span', { class: 'mark' }, texts.unlikely),
    ),
  ])
}

/** A skill, as a line of the whole shelf. */
export function skillItem(skill: SkillSummary): HTMLLIElement {
  return item(skill.id, 'listed', [
    title(skill, []),
    make('span', { class: 'description', dir: 'auto' }, skill.description),
    make('span', { class: 'facts' }, texts.whenOpened(skill.tokens.instructions)),
  ])
}

function item(id: string, kind: string, children: readonly Node[]): HTMLLIElement {
  return make('li', {}, make('a', { href: skillHash(id), class: `item ${kind}` }, ...children))
}

function bar(kind: string, share: number): HTMLElement {
  const bar = make('span', { class: kind, 'aria-hidden': 'true' })
  bar.style.setProperty('--score', String(share))
  return bar
}

function title({ name, displayName }: { name: string; displayName?: string }, terms: readonly string[]): HTMLElement {
  const shown = displayName ?? name
  return make(
    'span',
    { class: 'title' },
    make('span', { class: 'name', dir: 'auto' }, ...lit(shown, terms)),
    shown !== name && ' ',
    shown !== name && make('code', { class: 'alias' }, ...lit(name, terms)),
  )
}
