import { rarity } from './rarity.js'

/** How rare terms are in skills at large: what lets a library of two skills know that "the" says nothing. */
export interface Background {
  readonly id: string
  idf(term: string): number
}

/** A term that is not in the table counts as one that this share of the least common in it have. */
const UNSEEN = 0.25

let table: Promise<Background> | undefined

/** The counts that ship with the package: a module of their own, loaded and unpacked when first asked for. */
export function loadBackground(): Promise<Background> {
  table ??= import('./background-counts.js').then(({ backgroundCounts }) => unpack(backgroundCounts))
  return table
}

type Counts = typeof import('./background-counts.js')['backgroundCounts']

function unpack({ analyzer, steps, words, ideographs }: Counts): Background {
  const idfs = new Map<string, number>()
  const unseen = [words, ideographs].map(({ documents, terms }) => {
    let least = documents
    for (const line of terms) {
      const [step, ...those] = line.split(' ')
      const count = Math.min(documents, 2 ** (Number(step) / steps))
      least = Math.min(least, count)
      for (const term of those) idfs.set(term, rarity(documents, count))
    }
    return rarity(documents, least * UNSEEN)
  })
  return {
    id: `skills/${analyzer}`,
    idf: term => idfs.get(term) ?? (unseen[isIdeographs(term) ? 1 : 0] as number),
  }
}

function isIdeographs(term: string): boolean {
  const unit = term.charCodeAt(0)
  return unit >= 0x3400 && unit <= 0x9fff
}
