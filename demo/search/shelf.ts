import type { SkillId, SkillSummary } from 'skillshelf'
import { byId, make } from '../dom.js'

/** Colors of spines. */
export const COLORS = 5
/** Skills that are drawn. A spine stands for several skills of a larger library. */
export const SPINES = 120

/** The library as books: as wide as the tokens of their instructions. Skills that an agent opens are pulled out. */
export interface Shelf {
  show(skills: readonly SkillSummary[]): void
  pull(ids: readonly SkillId[]): void
}

export function createShelf(): Shelf {
  const element = byId('shelf', HTMLElement)
  let spineOf: ReadonlyMap<SkillId, HTMLElement> = new Map()
  return {
    show(skills) {
      const amount = Math.min(skills.length, SPINES)
      const widest = Math.max(...skills.map(({ tokens }) => tokens.metadata), 1)
      const spines = Array.from({ length: amount }, (_, index) =>
        make('span', { class: `spine color-${index % COLORS}` }),
      )
      spineOf = new Map(
        skills.map(({ id, tokens }, index) => {
          const spine = spines[Math.floor((index * amount) / skills.length)] as HTMLElement
          spine.style.setProperty('--tokens', String(tokens.instructions))
          spine.style.setProperty('--height', String(tokens.metadata / widest))
          return [id, spine]
        }),
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
