import type { SkillMatch, SkillSummary } from 'skillshelf'
import { make } from './dom.js'
import { count, percent } from './format.js'
import { skillHash } from './route.js'

/** What `match` asks of a skill by default. */
export const THRESHOLD = 0.7

/** A match, as a line of the results. */
export function matchItem(match: SkillMatch, summary: SkillSummary | undefined): HTMLLIElement {
  const likely = match.score > THRESHOLD
  const bar = make('span', { class: 'bar', 'aria-hidden': 'true' })
  bar.style.setProperty('--score', String(match.score))
  return item(match.id, likely ? 'match' : 'match unlikely', [
    title(summary ?? match),
    make('span', { class: 'score' }, make('span', { class: 'unseen' }, 'Score '), percent(match.score)),
    bar,
    make('span', { class: 'reason' }, match.reason),
    make(
      'span',
      { class: 'facts' },
      make('span', { class: 'confidence' }, `confidence ${percent(match.confidence)}`),
      !likely && make('span', { class: 'mark' }, 'not likely enough'),
    ),
  ])
}

/** A skill, as a line of the whole shelf. */
export function skillItem(skill: SkillSummary): HTMLLIElement {
  return item(skill.id, 'listed', [
    title(skill),
    make('span', { class: 'description' }, skill.description),
    make('span', { class: 'facts' }, `${count(skill.tokens.instructions, 'token')} when opened`),
  ])
}

function item(id: string, kind: string, children: readonly Node[]): HTMLLIElement {
  return make('li', {}, make('a', { href: skillHash(id), class: `item ${kind}` }, ...children))
}

function title({ name, displayName }: { name: string; displayName?: string }): HTMLElement {
  const shown = displayName ?? name
  return make(
    'span',
    { class: 'title' },
    make('span', { class: 'name', dir: 'auto' }, shown),
    shown !== name && ' ',
    shown !== name && make('code', { class: 'alias' }, name),
  )
}
