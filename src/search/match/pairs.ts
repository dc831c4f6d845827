import { idfOf } from '../../core/text/idf.js'
import { indexOfPair } from '../index/fingerprint.js'
import type { Segment } from '../index/open.js'
import type { Candidate } from './candidates.js'
import type { AnalyzedQuery } from './query.js'
import type { SearchedSegment } from './searched-segment.js'

/** Weights of a pair in name, tags or description, and in the body. */
const HEAD_WEIGHT = 1
const BODY_WEIGHT = 0.4

/** Adds a bonus for each pair of neighboring words that are neighbors in the candidate too: the pair's idf among the candidates. */
export function addPairBonus(
  candidates: readonly Candidate[],
  { pairs }: AnalyzedQuery,
  segments: readonly SearchedSegment[],
): void {
  if (pairs.length === 0 || candidates.length === 0) return
  const found = candidates.map(({ segmentIndex, skill }) =>
    findPairs(pairs, (segments[segmentIndex] as SearchedSegment).segment, skill),
  )
  const counts = new Uint8Array(pairs.length)
  for (const inSkill of found) for (const index of inSkill.keys()) counts[index] = (counts[index] as number) + 1
  for (const [position, candidate] of candidates.entries()) {
    candidate.pairs = [...(found[position] as Map<number, boolean>)].map(([index, inHead]) => ({
      index,
      bonus: (inHead ? HEAD_WEIGHT : BODY_WEIGHT) * idfOf(candidates.length, counts[index] as number),
    }))
    candidate.bonus = candidate.pairs.reduce((sum, { bonus }) => sum + bonus, 0)
    candidate.relevance = candidate.lexical + candidate.bonus
  }
}

/** The pairs of a skill by index, with true for a pair in name, tags or description. */
function findPairs(pairs: AnalyzedQuery['pairs'], segment: Segment, skill: number): Map<number, boolean> {
  const found = new Map<number, boolean>()
  const sequence = segment.sequenceOf(skill)
  for (const [index, { first, second }] of pairs.entries()) {
    const position = indexOfPair(sequence, first, second)
    if (position >= 0) found.set(index, position < segment.headOf(skill))
  }
  return found
}
