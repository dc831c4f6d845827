/** Chooses the terms of the model, with their document counts. */
import { type Part, partOf } from '../../src/embed/format.js'
import { analyze, TERM } from '../../src/text/analyze.js'
import type { Document } from './pairs.js'

export interface PartVocabulary {
  /** Sorted by UTF-16 unit. */
  terms: string[]
  /** Number of skills with each term. */
  counts: number[]
  documents: number
}

const han = /\p{Script=Han}/u
/** Minimum documents of a term. */
const LEAST = 4

/** Rare scripts, and the rows reserved for each. */
const FEW: readonly { script: RegExp; part: Part; rows: number }[] = [
  { script: /[\p{Script=Hiragana}\p{Script=Katakana}]/u, part: 'han', rows: 400 },
  { script: /\p{Script=Hangul}/u, part: 'han', rows: 400 },
  { script: /\p{Script=Cyrillic}/u, part: 'latin', rows: 200 },
]
/** Minimum documents of a term in a rare script. */
const LEAST_OF_FEW = 2

/** Chooses the most frequent terms, `most` of each part, with rows reserved for rare scripts. */
export function chooseVocabulary(
  documents: readonly Document[],
  most: Readonly<Record<Part, number>>,
): Record<Part, PartVocabulary> {
  const all = new Map<string, number>()
  const skills = new Map<string, number>()
  const totals = { latin: 0, han: 0 }
  for (const { text, kind } of documents) {
    const terms = new Set<string>()
    analyze(text, (term, is) => {
      if (is & TERM) terms.add(term)
    })
    const counted = kind === 'skill'
    // Words are counted in skills written in words, ideographs in skills written in ideographs.
    const part: Part = han.test(text.slice(0, 500)) ? 'han' : 'latin'
    if (counted) totals[part]++
    for (const term of terms) {
      all.set(term, (all.get(term) ?? 0) + 1)
      if (counted && partOf(term) === part) skills.set(term, (skills.get(term) ?? 0) + 1)
    }
  }
  const choose = (part: Part): PartVocabulary => {
    const sorted = [...all]
      .filter(([term, count]) => count >= LEAST_OF_FEW && partOf(term) === part)
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    const kept = FEW.filter(few => few.part === part).flatMap(({ script, rows }) =>
      sorted.filter(([term]) => script.test(term)).slice(0, rows),
    )
    const common = sorted.filter(([, count]) => count >= LEAST)
    const terms = [...new Set([...kept, ...common].map(([term]) => term))].slice(0, most[part]).sort()
    return { terms, counts: terms.map(term => skills.get(term) ?? 0), documents: totals[part] }
  }
  return { latin: choose('latin'), han: choose('han') }
}
