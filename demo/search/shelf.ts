import type { SkillId, SkillSummary } from 'skillshelf'
import { byId, make } from '../dom.js'
import { nameOf } from '../names.js'
import { goToSkill } from '../url.js'

/** Colors of spines. */
export const COLORS = 5
/** Skills that are drawn. A spine stands for several skills of a larger library. */
export const SPINES = 120
/** Names of one spine that its tooltip lists. */
const NAMED = 8

/** The library as books: as wide as the tokens of their instructions. Skills that an agent opens are pulled out. */
export interface Shelf {
  show(skills: readonly SkillSummary[]): void
  pull(ids: readonly SkillId[]): void
}

export function createShelf(): Shelf {
  const element = byId('shelf', HTMLElement)
  let spineOf: ReadonlyMap<SkillId, HTMLElement> = new Map()
  // For the mouse: the list of skills is for everyone.
  element.addEventListener('click', ({ target }) => {
    const id = target instanceof Element && target.closest<HTMLElement>('.spine')?.dataset['skill']
    if (id) goToSkill(id)
  })
  return {
    show(skills) {
      const amount = Math.min(skills.length, SPINES)
      const widest = Math.max(...skills.map(({ tokens }) => tokens.metadata), 1)
      const groups = Array.from({ length: amount }, (): SkillSummary[] => [])
      for (const [index, skill] of skills.entries()) {
        groups[Math.floor((index * amount) / skills.length)]?.push(skill)
      }
      const spines = groups.map((group, index) => spine(group, index % COLORS, widest))
      spineOf = new Map(
        groups.flatMap((group, index) =>
          group.map(({ id }) => [id, spines[index] as HTMLElement] as const),
        ),
      )
      element.replaceChildren(...spines)
    },
    pull(ids) {
      const pulled = new Set(ids.map(id => spineOf.get(id)))
      for (const spine of spineOf.values()) spine.classList.toggle('pulled', pulled.has(spine))
      element.classList.toggle('has-pulled', pulled.size > 0)
    },
  }
}

/** A book with its title, which stands for one skill or for several. */
function spine(group: readonly SkillSummary[], color: number, widest: number): HTMLElement {
  const names = group.map(nameOf)
  const [first, last] = [group[0], group.at(-1)]
  const element = make(
    'span',
    {
      class: `spine color-${color}`,
      title: names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ' …' : ''),
      'data-skill': group.length === 1 ? first?.id : undefined,
    },
    make('span', {}, group.length === 1 && names[0]),
  )
  element.style.setProperty('--tokens', String(last?.tokens.instructions ?? 1))
  element.style.setProperty('--height', String((last?.tokens.metadata ?? 0) / widest))
  return element
}
