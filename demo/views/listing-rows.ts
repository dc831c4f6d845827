import type { SkillSummary } from 'skillshelf'
import { type Shown, type ShownAs, shownAs } from '../../src/tools/listing/fit-list.js'
import { make, makeButton } from '../dom.js'
import { texts } from '../texts.js'
import { skillHash } from '../url.js'

/** Skills that are drawn at once. */
const PAGE = 100
/** The worst first. */
const ORDER: readonly ShownAs[] = ['unlisted', 'named', 'cut', 'whole']

/** A skill, and what an agent lists of it. */
interface Row {
  skill: SkillSummary
  shown: Shown
  as: ShownAs
}

/** The skills with the part of each that an agent lists: those that are cut, then those that are whole. */
export function listingRows(
  skills: readonly SkillSummary[],
  shown: readonly Shown[],
): HTMLElement[] {
  const labels = texts.listing
  const rows = worstFirst(skills, shown)
  const unseen = rows.filter(({ as }) => as !== 'whole')
  const whole = rows.filter(({ as }) => as === 'whole')
  const wholeList = whole.length > 0 && list(whole, labels.wholeSkills(whole.length))
  const section =
    unseen.length > 0 &&
    make(
      'section',
      { 'aria-label': labels.unseen },
      make('h3', {}, labels.unseen),
      list(unseen, labels.unseen),
    )
  const details =
    wholeList &&
    make('details', {}, make('summary', {}, labels.wholeSkills(whole.length)), wholeList)
  return [section, details].filter(one => one !== false)
}

/** The skills by how little of them is listed. */
export function worstFirst(skills: readonly SkillSummary[], shown: readonly Shown[]): Row[] {
  return skills
    .map((skill, at): Row => ({ skill, shown: shown[at], as: shownAs(shown[at], skill) }))
    .sort((a, b) => ORDER.indexOf(a.as) - ORDER.indexOf(b.as) || seen(a) - seen(b))
}

/** Share of the description that is listed. */
function seen({ skill, shown = 0 }: Row): number {
  return shown / Math.max(skill.description.length, 1)
}

/** A list that grows when the reader asks for more. */
function list(rows: readonly Row[], label: string): HTMLElement {
  const items = make('ol', { class: 'agent-list', 'aria-label': label })
  const more = makeButton('', () => {
    const next = items.childElementCount
    grow()
    items.children[next]?.querySelector('a')?.focus()
  })
  const grow = (): void => {
    const from = items.childElementCount
    items.append(...rows.slice(from, from + PAGE).map(item))
    const left = rows.length - items.childElementCount
    more.hidden = left === 0
    more.textContent = texts.listing.more(Math.min(left, PAGE))
  }
  grow()
  return make('div', {}, items, more)
}

function item({ skill, shown = 0, as }: Row): HTMLElement {
  const { states } = texts.listing
  const { id, name, description } = skill
  const state = as === 'cut' ? states.cut(shown, description.length) : states[as]
  return make(
    'li',
    { class: as },
    make(
      'p',
      { class: 'agent-list-head' },
      make('a', { href: skillHash(id), translate: 'no' }, name),
      make('span', { class: 'agent-list-state' }, state),
    ),
    make(
      'p',
      { dir: 'auto' },
      description.slice(0, shown),
      shown < description.length && make('s', {}, description.slice(shown)),
    ),
  )
}
