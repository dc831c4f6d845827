import { GAP, sequenceCode } from '../index/fingerprint.js'
import { idfOf } from '../index/weights.js'
import { type Candidate, findWeights } from './candidates.js'
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

/** A candidate that is compared with the others. */
interface Rival {
  candidate: Candidate
  /** How much it says of what tells the best apart, 0 to 1: one far behind says little. */
  nearness: number
}

/** Raises the best candidates by the words that tell them apart. @param candidates Best first. */
export function addTellingWords(candidates: readonly Candidate[], match: QueryMatch): void {
  const best = candidates[0]?.relevance ?? 0
  const rivals = candidates.slice(0, COMPARED).map(candidate => ({
    candidate,
    nearness: rivalWeight(candidate.relevance, best),
  }))
  if (rivals.length < 2 || best <= 0) return
  const words = wordShares(rivals, match)
  const names = nameShares(rivals, match)
  for (const [index, { candidate }] of rivals.entries()) {
    const share = WORDS_WEIGHT * (words[index] as number) + NAME_WEIGHT * (names[index] as number)
    candidate.relevance += share * best
  }
}

/** For each rival, the part of the message that it has, by the rarity of the words in the library and among the rivals. */
function wordShares(rivals: readonly Rival[], match: QueryMatch): number[] {
  const candidates = rivals.map(({ candidate }) => candidate)
  findWeights(candidates, match)
  const has = candidates.map(({ weights = [] }) =>
    weights.map(forms => forms.some(weight => weight > 0)),
  )
  const values = match.terms.map(
    ({ idf, weight }, term) => weight * idf * rarity(rivals, index => has[index]?.[term] === true),
  )
  const all = sum(values)
  return has.map(ofRival => shareOf(sum(values.filter((_, term) => ofRival[term])), all))
}

/** For each rival, the part of its name that the message has, by the rarity of the words among the names. */
function nameShares(rivals: readonly Rival[], { terms, segments }: QueryMatch): number[] {
  const said = new Set(terms.flatMap(({ forms }) => forms.map(({ term }) => sequenceCode(term))))
  const names = rivals.map(({ candidate: { segmentIndex, skill } }) => {
    const sequence = (segments[segmentIndex] as SearchedSegment).segment.sequenceOf(skill)
    return new Set(sequence.subarray(0, sequence.indexOf(GAP)))
  })
  return names.map(name => {
    const codes = [...name]
    const values = codes.map(code => rarity(rivals, index => names[index]?.has(code) === true))
    return shareOf(sum(values.filter((_, index) => said.has(codes[index] as number))), sum(values))
  })
}

/** The idf among the rivals of what some of them have. */
function rarity(rivals: readonly Rival[], has: (index: number) => boolean): number {
  const nearness = rivals.map(rival => rival.nearness)
  return idfOf(sum(nearness), sum(nearness.filter((_, index) => has(index))))
}

function shareOf(part: number, all: number): number {
  return all > 0 ? part / all : 0
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
