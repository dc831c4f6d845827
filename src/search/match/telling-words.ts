import { sum } from '../../core/lists.js'
import { GAP, sequenceCode } from '../index/fingerprint.js'
import { idfOf } from '../index/weights.js'
import { type Candidate, compareCandidates, findWeights } from './candidates.js'
import type { QueryMatch } from './query-match.js'
import { rivalWeight } from './score.js'
import type { SearchedSegment } from './searched-segment.js'

// In a library of close relatives, all skills near a message have most of its words. A person tells them apart by what one of them says and the
// others do not. So the best candidates are compared once more. Words of the message that are rare in the library and among these candidates
// count for each that has them, however often and wherever: BM25F has counted that. The other way round, words of a name that are rare among
// their names count for a candidate if the message has them too.

/** Best candidates that are compared. */
const COMPARED = 10
/**
 * What a skill gets that has all words of the message, and one of whose name the message has all words: shares of the best relevance. Chosen
 * on the dev set, where a third more or less of the first and twice the second bring less.
 */
const WORDS_WEIGHT = 0.3
const NAME_WEIGHT = 0.05

/** The candidates that are compared, best first. */
interface Rivals {
  readonly candidates: readonly Candidate[]
  /** How much each says of what tells the best apart, 0 to 1: one far behind says little. */
  readonly nearness: readonly number[]
  /** Sum of `nearness`. */
  readonly all: number
}

/** Raises the best candidates by the words that tell them apart, and sorts them. @param candidates Best first. */
export function addTellingWords(candidates: Candidate[], match: QueryMatch): void {
  const best = candidates[0]?.relevance ?? 0
  const compared = candidates.slice(0, COMPARED)
  if (compared.length < 2 || best <= 0) return
  const nearness = compared.map(({ relevance }) => rivalWeight(relevance, best))
  const rivals = { candidates: compared, nearness, all: sum(nearness) }
  const words = wordShares(rivals, match)
  const names = nameShares(rivals, match)
  for (const [index, candidate] of compared.entries()) {
    const share = WORDS_WEIGHT * (words[index] as number) + NAME_WEIGHT * (names[index] as number)
    candidate.relevance += share * best
  }
  // The others stay behind: nothing becomes worse.
  compared.sort((a, b) => compareCandidates(a, b, match.segments))
  for (const [index, candidate] of compared.entries()) candidates[index] = candidate
}

/** For each rival, the part of the message that it has, by the rarity of the words in the library and among the rivals. */
function wordShares(rivals: Rivals, match: QueryMatch): number[] {
  const { candidates } = rivals
  findWeights(candidates, match)
  const shares = candidates.map(() => 0)
  let all = 0
  for (const [term, { idf, weight }] of match.terms.entries()) {
    const has = candidates.map(({ weights }) => weights?.[term]?.some(form => form > 0) === true)
    const value = weight * idf * rarity(rivals, has)
    all += value
    for (const [index, one] of has.entries())
      if (one) shares[index] = (shares[index] as number) + value
  }
  return shares.map(share => shareOf(share, all))
}

/** For each rival, the part of its name that the message has, by the rarity of the words among the names. */
function nameShares(rivals: Rivals, { terms, segments }: QueryMatch): number[] {
  const said = new Set(terms.flatMap(({ forms }) => forms.map(({ term }) => sequenceCode(term))))
  const names = rivals.candidates.map(({ segmentIndex, skill }) => {
    const sequence = (segments[segmentIndex] as SearchedSegment).segment.sequenceOf(skill)
    return [...new Set(sequence.subarray(0, sequence.indexOf(GAP)))]
  })
  const rarities = new Map<number, number>()
  for (const code of names.flat()) {
    if (rarities.has(code)) continue
    const has = names.map(name => name.includes(code))
    rarities.set(code, rarity(rivals, has))
  }
  const rarityOf = (codes: readonly number[]): number =>
    sum(codes.map(code => rarities.get(code) as number))
  return names.map(name => shareOf(rarityOf(name.filter(code => said.has(code))), rarityOf(name)))
}

/** The idf among the rivals of what some of them have. */
function rarity({ nearness, all }: Rivals, has: readonly boolean[]): number {
  let having = 0
  for (const [index, one] of nearness.entries()) if (has[index]) having += one
  return idfOf(all, having)
}

function shareOf(part: number, all: number): number {
  return all > 0 ? part / all : 0
}
