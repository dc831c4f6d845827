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

/** Scripts that few texts are in, and the rows that are kept for each of them. */
const FEW: readonly { script: RegExp; part: Part; rows: number }[] = [
  { script: /[\p{Script=Hiragana}\p{Script=Katakana}]/u, part: 'han', rows: 400 },
  { script: /\p{Script=Hangul}/u, part: 'han', rows: 400 },
  { script: /\p{Script=Cyrillic}/u, part: 'latin', rows: 200 },
]
/** Terms of those scripts in fewer documents get no row. */
const LEAST_OF_FEW = 2

/** The terms that most documents have, `most` of each part; some rows are kept for scripts that few texts are in. */
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
