/** Chooses the terms of the model, with their document counts. */

import { analyze, TERM } from '../../src/core/text/analyze.js'
import {
  EUROPEAN,
  PARTS,
  type Part,
  partsOf,
  partsOfTerm,
  stemsOf,
} from '../../src/search/model/script-parts.js'
import type { Document } from './pair.js'

export interface PartVocabulary {
  /** Words and stems, sorted by UTF-16 unit. */
  terms: string[]
  /** Number of skills with each term. */
  counts: number[]
  documents: number
}

export type Vocabulary = Record<Part, PartVocabulary>

/** Terms and stems of each part, and the fewest texts that a term is in. English comes to about a megabyte. */
export const SIZES: Readonly<Record<Part, { terms: number; stems: number; least: number }>> = {
  latin: { terms: 13_000, stems: 3_000, least: 4 },
  european: { terms: 20_000, stems: 4_500, least: 2 },
  cyrillic: { terms: 8_000, stems: 3_000, least: 2 },
  han: { terms: 25_000, stems: 0, least: 4 },
  kana: { terms: 7_000, stems: 0, least: 2 },
  hangul: { terms: 10_000, stems: 0, least: 2 },
}
/** Texts of one word that a stem counts at most, so that a frequent word does not choose a stem. */
const MAX_COUNT = 20

/** @param share Share of the sizes, for a quick test. Default 1. */
export function chooseVocabulary(documents: readonly Document[], share = 1): Vocabulary {
  const counts = new Map<Part, Map<string, number>>(PARTS.map(part => [part, new Map()]))
  const skills = new Map<string, number>()
  const totals = { words: 0, grams: 0 }
  for (const { text, kind, language, count = 1 } of documents) {
    const terms = new Set<string>()
    analyze(text, (term, is) => {
      if (is & TERM) terms.add(term)
    })
    const parts = new Set(partsOf(text))
    if (language && EUROPEAN.has(language)) parts.add('european')
    // Words are counted in skills written in words, ideographs in skills written in ideographs.
    if (kind === 'skill') totals[parts.has('han') ? 'grams' : 'words']++
    for (const term of terms) {
      const part = partsOfTerm(term, parts).at(-1) as Part
      const known = counts.get(part) as Map<string, number>
      known.set(term, (known.get(term) ?? 0) + count)
      if (kind === 'skill' && parts.has('han') === (part === 'han')) {
        skills.set(term, (skills.get(term) ?? 0) + 1)
      }
    }
  }
  const chosen = {} as Record<Part, Set<string>>
  for (const part of PARTS) {
    const { terms, stems, least } = SIZES[part]
    const known = counts.get(part) as Map<string, number>
    const words = best(
      [...known].filter(
        ([term, count]) => count >= least && !(part === 'european' && chosen.latin.has(term)),
      ),
      terms * share,
    )
    const stemCounts = new Map<string, number>()
    for (const [term, count] of known) {
      for (const stem of stemsOf(term)) {
        stemCounts.set(stem, (stemCounts.get(stem) ?? 0) + Math.min(count, MAX_COUNT))
      }
    }
    chosen[part] = new Set([...words, ...best([...stemCounts], stems * share)])
  }
  return Object.fromEntries(
    PARTS.map(part => {
      const terms = [...chosen[part]].sort()
      const documentsOfPart = part === 'han' ? totals.grams : totals.words
      return [
        part,
        { terms, counts: terms.map(term => skills.get(term) ?? 0), documents: documentsOfPart },
      ]
    }),
  ) as Vocabulary
}

/** The most frequent terms; ties by UTF-16 unit. */
function best(counted: [string, number][], most: number): string[] {
  return counted
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, Math.round(most))
    .map(([term]) => term)
}
