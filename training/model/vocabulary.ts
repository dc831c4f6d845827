/** Which terms get a row, and how many documents have them. */
import { type Part, partOf } from '../../src/embed/format.js'
import { analyze, TERM } from '../../src/text/analyze.js'
import type { Document } from './pairs.js'

export interface PartVocabulary {
  /** Sorted by UTF-16 unit. */
  terms: string[]
  /** Skills that have each term: for background rarity. */
  counts: number[]
  documents: number
}

const han = /\p{Script=Han}/u
/** Terms in fewer documents cannot be learned. */
const LEAST = 4

/** The terms that most documents have, `most` of each part. */
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
    // Words are counted over skills in words, ideographs over skills in ideographs.
    const part: Part = han.test(text.slice(0, 500)) ? 'han' : 'latin'
    if (counted) totals[part]++
    for (const term of terms) {
      all.set(term, (all.get(term) ?? 0) + 1)
      if (counted && partOf(term) === part) skills.set(term, (skills.get(term) ?? 0) + 1)
    }
  }
  const choose = (part: Part): PartVocabulary => {
    const terms = [...all]
      .filter(([term, count]) => count >= LEAST && partOf(term) === part)
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      .slice(0, most[part])
      .map(([term]) => term)
      .sort()
    return { terms, counts: terms.map(term => skills.get(term) ?? 0), documents: totals[part] }
  }
  return { latin: choose('latin'), han: choose('han') }
}
