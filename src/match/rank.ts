import { indexOfPair, sequenceCode } from '../segment/fingerprint.js'
import type { TermEntry } from '../segment/lexicon.js'
import type { Segment } from '../segment/open.js'
import { addPostings, eachPosting, findPostings } from '../segment/postings.js'
import type { Vectors } from '../segment/vectors.js'
import { FROM_BYTE } from '../segment/weights.js'
import { analyze, PAIR, SEQUENCE, TERM } from '../text/analyze.js'
import { idfOf } from '../text/idf.js'
import type { Background } from './background.js'
import { surfacesOf } from './surface.js'

/** A message, analyzed once. */
export interface AnalyzedQuery {
  /** Distinct terms with what each counts: 1 for the message's own, less for the history's. */
  terms: ReadonlyMap<string, number>
  /** Words and single characters in order. */
  sequence: readonly string[]
  /** The same as codes, as forward lists have them. */
  codes: Uint16Array
  /** Distinct pairs of neighbouring words, with the codes they have in forward lists. */
  pairs: readonly { text: string; first: number; second: number }[]
  /** How the message itself writes a term. */
  written(term: string): string
}

/** What is searched. `dead` skills are passed over and counted out of every statistic. */
export interface Searched {
  segment: Segment
  /** The id of each skill, by its number. */
  ids: readonly string[]
  /** In ascending order. */
  dead: ReadonlySet<number>
  /** Vectors of a further model, beside the segment's own. */
  further?: Vectors | undefined
  /** One slot per skill, all 0 between queries. */
  scores: Float32Array
}

/** A skill that may be the right one. */
export interface Candidate {
  /** Index of its segment. */
  at: number
  /** Number of the skill in it. */
  skill: number
  /** BM25F alone. */
  lexical: number
  /** What pairs and rules added. */
  bonus: number
  /** What it is ranked by: all that is known of it so far. */
  worth: number
  /** Pairs that stand side by side in the skill, by index, and whether in its head (name, tags, description). */
  pairs: readonly { pair: number; head: boolean; worth: number }[]
}

/** A term with its rarity. */
export interface Weighted {
  term: string
  idf: number
  weight: number
  /** Where its postings are in each segment. */
  entries: readonly (TermEntry | undefined)[]
}

/** Skills that the second look sees. */
export const SECOND_LOOK = 50
/** A pair in the head of a skill is worth this times its rarity among the candidates, in the body less. */
const PAIR_HEAD = 1
const PAIR_BODY = 0.4
/** Skills at which the library's own statistics weigh as much as the background's. */
const PRIOR = 20

/** Earlier messages that are read, and what their terms count beside the message's own. */
const HISTORY = 3
const HISTORY_WEIGHT = 0.25
/**
 * All terms of the history together have at most this rarity, some five rare words: enough for "yes, do that", while long talk
 * cannot drown a message that says something. Picked on dev: after a change of topic R@1 gains 1.5 points (en) and 5 (zh),
 * follow-ups lose .4 and 4.
 */
const HISTORY_MOST = 24

export function analyzeQuery(message: string, history: readonly string[] = []): AnalyzedQuery {
  const terms = new Map<string, number>()
  const sequence: string[] = []
  const pairs = new Map<string, { text: string; first: number; second: number }>()
  let before: string | undefined
  analyze(message, (term, kind) => {
    if (kind & TERM) terms.set(term, 1)
    if (kind & SEQUENCE) sequence.push(term)
    if (kind & PAIR) {
      const text = `${before} ${term}`
      if (before !== undefined && !pairs.has(text))
        pairs.set(text, { text, first: sequenceCode(before), second: sequenceCode(term) })
      before = term
    } else before = undefined
  })
  for (const said of history.slice(-HISTORY)) {
    analyze(said, (term, kind) => {
      if (kind & TERM && !terms.has(term)) terms.set(term, HISTORY_WEIGHT)
    })
  }
  return {
    terms,
    sequence,
    codes: Uint16Array.from(sequence, sequenceCode),
    pairs: [...pairs.values()],
    written: surfacesOf(message),
  }
}

/** How rare each term is: the library's own count of live skills, leaning on the background while the library is small. */
export function weigh(query: AnalyzedQuery, searched: readonly Searched[], background: Background): Weighted[] {
  let live = 0
  for (const { segment, dead } of searched) live += segment.length - dead.size
  const own = live / (live + PRIOR)
  const gone = searched.map(({ dead }) => Uint32Array.from(dead))
  const weighted = [...query.terms].map(([term, weight]) => {
    const entries = searched.map(({ segment }) => segment.lexicon.find(term))
    let df = 0
    for (const [at, entry] of entries.entries()) {
      if (!entry) continue
      df += entry.count
      findPostings((searched[at] as Searched).segment, entry, gone[at] as Uint32Array, () => df--)
    }
    const idf = own * idfOf(live, df) + (1 - own) * background.idf(term)
    return { term, idf, weight, entries }
  })
  return restrainHistory(weighted)
}

/** Lowers the weights of the history's terms where together they say too much. */
function restrainHistory(weighted: Weighted[]): Weighted[] {
  let past = 0
  for (const { idf, weight } of weighted) if (weight < 1) past += idf * weight
  if (past <= HISTORY_MOST) return weighted
  const scale = HISTORY_MOST / past
  return weighted.map(one => (one.weight === 1 ? one : { ...one, weight: one.weight * scale }))
}

/** Best first; of equals the lower id. How a library is cut into segments never shows. */
export function sortCandidates<T extends Candidate>(candidates: T[], searched: readonly Searched[]): T[] {
  return candidates.sort((a, b) => compare(a, b, searched))
}

function compare(a: Candidate, b: Candidate, searched: readonly Searched[]): number {
  const difference = b.worth - a.worth
  if (difference !== 0) return difference
  const x = idOf(a, searched)
  const y = idOf(b, searched)
  return x < y ? -1 : x > y ? 1 : a.at - b.at || a.skill - b.skill
}

function idOf({ at, skill }: Candidate, searched: readonly Searched[]): string {
  return searched[at]?.ids[skill] ?? ''
}

/** The best skills by BM25F, as many as the second look sees, best first. */
export function best(
  weighted: readonly Weighted[],
  searched: readonly Searched[],
  only?: (at: number, skill: number) => boolean,
): Candidate[] {
  const kept: Candidate[] = []
  // The score of the last of them, once they are enough: until then any word will do.
  let least = Number.MIN_VALUE
  for (const [at, { segment, ids, dead, scores }] of searched.entries()) {
    let touched = false
    for (const { idf, weight, entries } of weighted) {
      const entry = entries[at]
      if (!entry) continue
      touched = true
      addPostings(segment, entry, idf * weight * FROM_BYTE, scores)
    }
    if (!touched) continue
    const alive = (skill: number): boolean => !dead.has(skill) && (!only || only(at, skill))
    const rarest = rarestOf(weighted, at)
    if (rarest) least = Math.max(least, leastOfBest(segment, rarest, scores, alive))
    for (const skill of skillsAbove(scores, least)) {
      const lexical = scores[skill] as number
      if (lexical < least || !alive(skill)) continue
      // Common words give thousands of equals: most end here.
      if (
        lexical === least &&
        kept.length === SECOND_LOOK &&
        (ids[skill] ?? '') > idOf(kept.at(-1) as Candidate, searched)
      )
        continue
      keep(kept, { at, skill, lexical, bonus: 0, worth: lexical, pairs: [] }, searched)
      if (kept.length === SECOND_LOOK) least = Math.max(least, (kept.at(-1) as Candidate).lexical)
    }
    scores.fill(0)
  }
  return kept
}

/** A loop of its own, over every skill: the compiler makes it three times faster than inside another. */
function skillsAbove(scores: Float32Array, least: number): number[] {
  const skills: number[] = []
  for (let skill = 0; skill < scores.length; skill++) if ((scores[skill] as number) >= least) skills.push(skill)
  return skills
}

/** The word that the fewest skills of a segment have, of those that enough have to fill the second look. */
function rarestOf(weighted: readonly Weighted[], at: number): TermEntry | undefined {
  let rarest: TermEntry | undefined
  for (const { entries } of weighted) {
    const entry = entries[at]
    if (entry && entry.count >= SECOND_LOOK && !(rarest && rarest.count <= entry.count)) rarest = entry
  }
  return rarest
}

/**
 * The score that the last of the second look has at least: that of the skills with one rare word, which are few and mostly
 * the best. With it nearly every other skill is passed over at the first comparison. 0 where they are not enough.
 */
function leastOfBest(
  segment: Segment,
  entry: TermEntry,
  scores: Float32Array,
  alive: (skill: number) => boolean,
): number {
  const best = new Float32Array(SECOND_LOOK)
  eachPosting(segment, entry, skill => {
    const score = scores[skill] as number
    if (score <= (best[0] as number) || !alive(skill)) return
    let at = 1
    for (; at < best.length && (best[at] as number) < score; at++) best[at - 1] = best[at] as number
    best[at - 1] = score
  })
  return best[0] as number
}

/** Inserts in order, best first, and drops what falls off the end. */
function keep(kept: Candidate[], candidate: Candidate, searched: readonly Searched[]): void {
  let low = 0
  let high = kept.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(kept[middle] as Candidate, candidate, searched) < 0) low = middle + 1
    else high = middle
  }
  kept.splice(low, 0, candidate)
  if (kept.length > SECOND_LOOK) kept.pop()
}

/** Adds, for each pair of neighbouring words that stand side by side in a candidate too, its rarity among the candidates. */
export function secondLook(
  query: AnalyzedQuery,
  candidates: readonly Candidate[],
  searched: readonly Searched[],
): void {
  if (query.pairs.length === 0 || candidates.length === 0) return
  const found = candidates.map(({ at, skill }) => findPairs(query.pairs, (searched[at] as Searched).segment, skill))
  const counts = new Uint8Array(query.pairs.length)
  for (const pairs of found) for (const pair of pairs.keys()) counts[pair] = (counts[pair] as number) + 1
  for (const [index, candidate] of candidates.entries()) {
    const pairs = [...(found[index] as Map<number, boolean>)].map(([pair, head]) => ({
      pair,
      head,
      worth: (head ? PAIR_HEAD : PAIR_BODY) * idfOf(candidates.length, counts[pair] as number),
    }))
    candidate.pairs = pairs
    candidate.bonus = pairs.reduce((sum, { worth }) => sum + worth, 0)
    candidate.worth = candidate.lexical + candidate.bonus
  }
}

/** The pairs a skill has, by index: true where one stands in its head. */
function findPairs(pairs: AnalyzedQuery['pairs'], segment: Segment, skill: number): Map<number, boolean> {
  const found = new Map<number, boolean>()
  const sequence = segment.sequenceOf(skill)
  for (const [pair, { first, second }] of pairs.entries()) {
    const at = indexOfPair(sequence, first, second)
    if (at >= 0) found.set(pair, at < segment.headOf(skill))
  }
  return found
}
