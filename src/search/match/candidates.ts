import { addPostings, findPostings } from '../index/postings.js'
import { FROM_BYTE } from '../index/weights.js'
import type { QueryMatch } from './query-match.js'
import type { Segments, SkillRef } from './searched-segment.js'
import type { Rule } from './skill-match.js'

/** A name, display name or tag that the message contains whole. */
export interface NameHit {
  rule: Exclude<Rule, 'pair'>
  text: string
}

/** The message of a skill that is most like the user's message. */
export interface NearestOwn {
  text: string
  /** By words, 0 to 1. */
  likeness: number
  /** They differ at most in case, width, punctuation and spaces. */
  isEqual: boolean
}

/** What the author of a skill says against a message. */
export interface RuledOutMessage {
  /** Above 0. `Infinity` if the skill is not for just this message. */
  against: number
  /** The clause or message of the author that is nearest. */
  text: string
}

/** A skill that may be the right one. */
export interface Candidate extends SkillRef {
  /** BM25F score. */
  lexical: number
  /** Sum of the bonuses for pairs and names. */
  bonus: number
  /** Rank value, updated by each step. */
  relevance: number
  /** Pairs of words that are neighbors in the skill too, by index in the query. */
  pairs: readonly { index: number; bonus: number }[]
  /** Names and tags of the skill that the message contains. */
  names: readonly NameHit[]
  nameBonus: number
  /** Cosine of message and skill, -1 to 1. */
  similarity: number | undefined
  /** Its own message that is most like the user's, if its messages were compared. */
  own: NearestOwn | undefined
  ruledOut: RuledOutMessage | undefined
  /** It has the index term of the user's message. */
  mayBeEqual: boolean
  /** The weight of each form of each term of the message in it, if they were looked up: see `findWeights`. */
  weights: readonly (readonly number[])[] | undefined
}

/** Number of candidates that are examined beyond BM25F. */
export const MAX_CANDIDATES = 50

export function createCandidate(segmentIndex: number, skill: number, lexical: number): Candidate {
  return {
    segmentIndex,
    skill,
    lexical,
    bonus: 0,
    relevance: lexical,
    pairs: [],
    names: [],
    nameBonus: 0,
    similarity: undefined,
    own: undefined,
    ruledOut: undefined,
    mayBeEqual: false,
    weights: undefined,
  }
}

/** Finds the best skills by BM25F, best first, `MAX_CANDIDATES` at most. Leaves the scores of all skills in their segments. */
export function findByWords({ terms, pasted, segments, only }: QueryMatch): Candidate[] {
  const kept: Candidate[] = []
  // The lowest score that can still enter: any match until the list is full.
  let threshold = Number.MIN_VALUE
  const found = pasted.length === 0 ? terms : [...terms, ...pasted]
  for (const [segmentIndex, { segment, ids, dead, scores }] of segments.entries()) {
    scores.fill(0)
    for (const { idf, weight, forms } of found) {
      for (const { share, entries } of forms) {
        const entry = entries[segmentIndex]
        if (entry) addPostings(segment, entry, idf * weight * share * FROM_BYTE, scores)
      }
    }
    const isLive = (skill: number): boolean =>
      !dead.has(skill) && (!only || only(segmentIndex, skill))
    for (
      let skill = nextAbove(scores, 0, threshold);
      skill >= 0;
      skill = nextAbove(scores, skill + 1, threshold)
    ) {
      const lexical = scores[skill] as number
      const last = kept.length === MAX_CANDIDATES ? kept.at(-1) : undefined
      // Common words give thousands of ties, so the id is compared before a candidate is created.
      const isLast = lexical === last?.lexical && (ids[skill] ?? '') > idOf(last, segments)
      if (isLast || !isLive(skill)) continue
      insert(kept, createCandidate(segmentIndex, skill, lexical), segments)
      if (kept.length === MAX_CANDIDATES) threshold = (kept.at(-1) as Candidate).lexical
    }
  }
  return kept
}

/** Sets the weights of candidates that have none: the saturated frequency of each form of each term, times its share: `weights[term][form]`. */
export function findWeights(
  candidates: readonly Candidate[],
  { terms, segments }: QueryMatch,
): void {
  const skills = candidates.filter(({ weights }) => weights === undefined)
  if (skills.length === 0) return
  const weights = skills.map(() => terms.map(({ forms }) => forms.map(() => 0)))
  // Ascending, as postings.
  const sorted = [...skills.entries()].sort(([, a], [, b]) => a.skill - b.skill)
  for (const [segmentIndex, { segment }] of segments.entries()) {
    const wanted = sorted.filter(([, skill]) => skill.segmentIndex === segmentIndex)
    const numbers = wanted.map(([, { skill }]) => skill)
    for (const [term, { forms }] of terms.entries()) {
      for (const [form, { share, entries }] of forms.entries()) {
        const entry = entries[segmentIndex]
        if (!entry || numbers.length === 0) continue
        findPostings(segment, entry, numbers, (at, byte) => {
          const ofTerm = weights[wanted[at]?.[0] ?? -1]?.[term]
          if (ofTerm) ofTerm[form] = Math.fround(share * byte * FROM_BYTE)
        })
      }
    }
  }
  for (const [index, skill] of skills.entries()) skill.weights = weights[index]
}

/** Best first; ties by id, so that the division into segments has no effect. */
export function compareCandidates(a: Candidate, b: Candidate, segments: Segments): number {
  const difference = b.relevance - a.relevance
  if (difference !== 0) return difference
  const x = idOf(a, segments)
  const y = idOf(b, segments)
  if (x !== y) return x < y ? -1 : 1
  return a.segmentIndex - b.segmentIndex || a.skill - b.skill
}

function idOf({ segmentIndex, skill }: SkillRef, segments: Segments): string {
  return segments[segmentIndex]?.ids[skill] ?? ''
}

/** A separate function, because the loop over every skill compiles to faster code than inside another. -1: no more. */
function nextAbove(scores: Float32Array, from: number, threshold: number): number {
  for (let skill = from; skill < scores.length; skill++) {
    if ((scores[skill] as number) >= threshold) return skill
  }
  return -1
}

/** Inserts in order and drops the last candidate if there are too many. */
function insert(kept: Candidate[], candidate: Candidate, segments: Segments): void {
  let low = 0
  let high = kept.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareCandidates(kept[middle] as Candidate, candidate, segments) < 0) low = middle + 1
    else high = middle
  }
  kept.splice(low, 0, candidate)
  if (kept.length > MAX_CANDIDATES) kept.pop()
}
