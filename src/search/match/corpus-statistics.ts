import { onDemand } from '../../core/load-module.js'
import { isSpaced } from '../../core/text/character-classes.js'
import { idfOf } from '../index/weights.js'
import type {
  askedIn,
  corpusCounts,
  inflect,
  isFollowUp,
  isFunctional,
  languagesOf,
  removeRuledOut,
  withoutGreetings,
  withoutQuotes,
} from './message-language.js'

export const loadMessageLanguage = onDemand(() => import('./message-language.js'))

/** Knowledge of words beyond the library. */
export interface CorpusStatistics {
  /** The idf of a term in skills at large. Without it, a library of two skills could not tell that "skill" is common. */
  idf(term: string): number
  isFunctional: typeof isFunctional
  languagesOf: typeof languagesOf
  inflect: typeof inflect
  isFollowUp: typeof isFollowUp
  removeRuledOut: typeof removeRuledOut
  askedIn: typeof askedIn
  withoutQuotes: typeof withoutQuotes
  withoutGreetings: typeof withoutGreetings
}

/** Document count of a term missing from the table, as a share of the lowest count in it. */
const UNSEEN_SHARE = 0.25

/** The idf of n-grams without counts, such as kana and Hangul, as a share of that of an unseen word: most are common. */
const UNCOUNTED_SHARE = 0.5

/** Lookups before the counts are unpacked into a map. */
const UNPACK_AFTER = 500

let table: Promise<CorpusStatistics> | undefined

/** Loads the counts and word lists that ship with the package, in a module of their own. */
export function loadCorpusStatistics(): Promise<CorpusStatistics> {
  table ??= loadMessageLanguage().then(
    module => ({ ...module, idf: openCounts(module.corpusCounts) }),
    error => {
      // A failure is not cached, so the next call retries.
      table = undefined
      throw error
    },
  )
  return table
}

type Counts = typeof corpusCounts

/** The first lookups search the text, which keeps a cold start cheap; later ones use a map. */
function openCounts(counts: Counts): CorpusStatistics['idf'] {
  const { steps } = counts
  const parts = [counts.words, counts.ideographs].map(({ documents, terms }) => {
    const lines = terms.map(line => {
      const count = Math.min(documents, 2 ** (Number.parseInt(line, 10) / steps))
      // Each term is surrounded by spaces; the step at the start is not.
      return { text: `${line} `, count, idf: idfOf(documents, count) }
    })
    const lowest = Math.min(documents, ...lines.map(({ count }) => count))
    return { lines, unseen: idfOf(documents, lowest * UNSEEN_SHARE) }
  })
  const allLines = parts.flatMap(({ lines }) => lines)
  const search = (term: string): number | undefined => {
    const wanted = ` ${term} `
    for (const { text, idf } of allLines) {
      if (text.includes(wanted)) return idf
    }
    return undefined
  }
  const unpack = (): Map<string, number> => {
    const idfs = new Map<string, number>()
    for (const { text, idf } of allLines) {
      // The first is the step.
      const [, ...terms] = text.trim().split(' ')
      for (const term of terms) idfs.set(term, idf)
    }
    return idfs
  }
  const [words, ideographs] = parts.map(part => part.unseen) as [number, number]
  const unseen = (term: string): number => {
    if (isSpaced(term)) return words
    return isIdeographs(term) ? ideographs : words * UNCOUNTED_SHARE
  }
  let lookups = 0
  let idfs: Map<string, number> | undefined
  return term => {
    lookups++
    if (lookups > UNPACK_AFTER) idfs ??= unpack()
    return (idfs ? idfs.get(term) : search(term)) ?? unseen(term)
  }
}

function isIdeographs(term: string): boolean {
  const unit = term.charCodeAt(0)
  return unit >= 0x3400 && unit <= 0x9fff
}
