import { GAP } from '../index/fingerprint.js'
import type { Segment } from '../index/open.js'
import type { Scores } from './score.js'
import type { SearchedSegment, Segments, SkillRef } from './searched-segment.js'

/**
 * Near copies are skills of one name that share this part of their pairs of words, such as an edited copy in another folder, or one of which
 * has this part of the other. Most skills of one name by two authors share less than a fifth.
 */
const SHARED = 0.5
const CONTAINED = 0.8
/** Fewer common pairs may be those of a template: then name, tags and description must be near too. */
const MIN_COMMON = 16

/** The pairs of neighbors in the forward list of a skill, as far as they are compared. */
interface Pairs {
  all: ReadonlySet<number>
  /** Those in name, tags and description. */
  head: ReadonlySet<number>
}

/** Ranked skills, and which of them are near copies of better ones. */
export interface Originals {
  /** Relevances of the skills that are no near copy of a better one, best first. */
  relevances: readonly number[]
  /** For each ranked skill, the rank of its original in `relevances`: its own, if it is no near copy. */
  ranks: readonly number[]
}

/** @param skills Best first. */
export function findOriginals(
  skills: readonly (SkillRef & { relevance: number })[],
  segments: Segments,
): Originals {
  const relevances: number[] = []
  const byName = new Map<string, { pairs: Pairs; rank: number }[]>()
  const named = skills.map(skill => nameOf(skill, segments))
  const isRepeated = new Set(named.filter((name, index) => named.indexOf(name) < index))
  const ranks = skills.map((skill, index) => {
    const name = named[index] as string
    if (isRepeated.has(name)) {
      const pairs = pairsOf(segmentOf(skill, segments), skill.skill)
      const better = byName.get(name) ?? []
      const original = better.find(other => isNear(pairs, other.pairs))
      if (original) return original.rank
      byName.set(name, [...better, { pairs, rank: relevances.length }])
    }
    return relevances.push(skill.relevance) - 1
  })
  return { relevances, ranks }
}

/**
 * The scores of all ranked skills, from those of the originals. A near copy is as right as its original, as far as it is as relevant: it
 * does not take its score from it.
 */
export function withNearCopies(
  { served, scores }: Scores,
  skills: readonly { relevance: number }[],
  { relevances, ranks }: Originals,
): Scores {
  let last = Number.POSITIVE_INFINITY
  const all = skills.map(({ relevance }, index) => {
    const rank = ranks[index] as number
    const score = ((scores[rank] as number) * relevance) / (relevances[rank] as number)
    // No score is above that of a skill that ranks better.
    last = Math.min(last, score)
    return last
  })
  return { served, scores: all }
}

/** Whether two skills of one name are near copies. */
export function areNearCopies(segment: Segment, a: number, b: number): boolean {
  return isNear(pairsOf(segment, a), pairsOf(segment, b))
}

function segmentOf({ segmentIndex }: SkillRef, segments: Segments): Segment {
  return (segments[segmentIndex] as SearchedSegment).segment
}

function nameOf(ref: SkillRef, segments: Segments): string {
  const [name = ''] = segmentOf(ref, segments).names.get(ref.skill).split('\n', 1)
  return name
}

function pairsOf(segment: Segment, skill: number): Pairs {
  const sequence = segment.sequenceOf(skill)
  return {
    all: pairsIn(sequence),
    head: pairsIn(sequence.subarray(0, segment.headOf(skill))),
  }
}

function pairsIn(sequence: Uint16Array): ReadonlySet<number> {
  const pairs = new Set<number>()
  let before = GAP
  for (const code of sequence) {
    if (before !== GAP && code !== GAP) pairs.add(before * 0x10000 + code)
    before = code
  }
  return pairs
}

function isNear(a: Pairs, b: Pairs): boolean {
  const common = countCommon(a.all, b.all)
  if (!isMost(common, a.all, b.all)) return false
  return common >= MIN_COMMON || isMost(countCommon(a.head, b.head), a.head, b.head)
}

function isMost(common: number, a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  const [less, more] = [Math.min(a.size, b.size), Math.max(a.size, b.size)]
  return common > 0 && (common >= SHARED * more || common >= CONTAINED * less)
}

function countCommon(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let common = 0
  for (const pair of a) {
    if (b.has(pair)) common++
  }
  return common
}
