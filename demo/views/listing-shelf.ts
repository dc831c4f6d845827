import type { SkillSummary } from 'skillshelf'
import type { Shown } from '../../src/tools/listing/fit-list.js'
import { make } from '../dom.js'
import { COLORS, SPINES } from '../search/shelf.js'

/** A book of the shelf: one skill, or several of a large library. */
export interface Book {
  title: string
  /** Height as a share of the highest. */
  height: number
  /** Share of its description that the agent sees. */
  shown: number
}

/** The skills as books, as high as their descriptions. */
export function booksOf(
  skills: readonly Pick<SkillSummary, 'name' | 'description'>[],
  shown: readonly Shown[],
): Book[] {
  const amount = Math.min(skills.length, SPINES)
  const longest = Math.max(...skills.map(({ description }) => description.length), 1)
  return Array.from({ length: amount }, (_, index) => {
    const from = Math.floor((index * skills.length) / amount)
    const until = Math.floor(((index + 1) * skills.length) / amount)
    const some = skills.slice(from, until)
    const characters = some.reduce((sum, { description }) => sum + description.length, 0)
    const seen = shown.slice(from, until).reduce<number>((sum, one) => sum + (one ?? 0), 0)
    return {
      title: some.map(({ name }) => name).join(', '),
      height: characters / some.length / longest,
      shown: characters === 0 ? 1 : seen / characters,
    }
  })
}

/** Draws the shelf. The list below it says the same in words. */
export function drawShelf(books: readonly Book[]): HTMLElement[] {
  return books.map(({ title, height, shown }, index) => {
    const book = make('span', { class: `book color-${index % COLORS}`, title })
    book.style.setProperty('--height', String(height))
    book.style.setProperty('--shown', String(shown))
    return book
  })
}
