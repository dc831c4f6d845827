import { idfOf } from '../text/idf.js'

/** How rare terms are in skills at large: what lets a library of two skills know that "the" says nothing. */
export interface Background {
  readonly id: string
  idf(term: string): number
}

/** A term that is not in the table counts as one that this share of the least common in it have. */
const UNSEEN = 0.25

/** From so many questions on, unpacking the counts pays. */
const MANY = 500

let table: Promise<Background> | undefined

/** The counts that ship with the package: a module of their own, loaded when first asked for. */
export function loadBackground(): Promise<Background> {
  table ??= import('./background-counts.js').then(({ backgroundCounts }) => open(backgroundCounts))
  return table
}

type Counts = typeof import('./background-counts.js')['backgroundCounts']

/** Answers the first questions out of the text, as a Worker that has just been started should; then unpacks it. */
function open(counts: Counts): Background {
  const { analyzer, steps } = counts
  const parts = [counts.words, counts.ideographs].map(({ documents, terms }) => {
    const lines = terms.map(line => {
      const count = Math.min(documents, 2 ** (Number.parseInt(line, 10) / steps))
      // Blanks around each term, and none before the step.
      return { text: `${line} `, count, idf: idfOf(documents, count) }
    })
    return { lines, unseen: idfOf(documents, Math.min(documents, ...lines.map(({ count }) => count)) * UNSEEN) }
  })
  const search = (term: string): number | undefined => {
    const wanted = ` ${term} `
    for (const { lines } of parts) for (const { text, idf } of lines) if (text.includes(wanted)) return idf
    return undefined
  }
  const unpack = (): Map<string, number> =>
    new Map(
      parts.flatMap(({ lines }) =>
        lines.flatMap(({ text, idf }) =>
          text
            .trim()
            .split(' ')
            .slice(1)
            .map(term => [term, idf] as const),
        ),
      ),
    )
  let asked = 0
  let idfs: Map<string, number> | undefined
  return {
    id: `skills/${analyzer}`,
    idf(term) {
      if (++asked > MANY) idfs ??= unpack()
      return (idfs ? idfs.get(term) : search(term)) ?? (parts[isIdeographs(term) ? 1 : 0]?.unseen as number)
    },
  }
}

function isIdeographs(term: string): boolean {
  const unit = term.charCodeAt(0)
  return unit >= 0x3400 && unit <= 0x9fff
}
