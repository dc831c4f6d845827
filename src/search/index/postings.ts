import type { ByteWriter } from '../../core/bytes.js'
import type { TermEntry } from './lexicon.js'

/**
 * A term that at least one skill in four has is stored dense: one weight byte per skill, 0 for a skill without the term. Queries spend
 * most of their time on common terms, and a dense list is summed without decoding.
 */
const DENSE_RATIO = 4

// The loop that decodes a sparse list is repeated in three functions: a call per posting would cost half of a query's time. Checking every
// list when a segment is opened would take longer than opening it, so the loops accept any bytes: a distance of 0 is read as 1, a missing
// weight as 0, and a skill beyond the last ends the list. No skill occurs twice.

/** The part of a segment that has postings. */
interface Postings {
  /** Number of skills. */
  readonly length: number
  readonly postings: Uint8Array
}

function isDense(count: number, skills: number): boolean {
  return count * DENSE_RATIO >= skills
}

/**
 * Writes the postings of one term: entries `from` to `to` of `skills` (ascending) and `weights`.
 * @param total Number of skills in the segment.
 */
export function writePostings(
  out: ByteWriter,
  skills: ArrayLike<number>,
  weights: ArrayLike<number>,
  from: number,
  to: number,
  total: number,
): void {
  if (isDense(to - from, total)) {
    const dense = new Uint8Array(total)
    for (let index = from; index < to; index++) dense[skills[index] as number] = weights[index] as number
    out.bytes(dense)
    return
  }
  let previous = -1
  for (let index = from; index < to; index++) {
    const skill = skills[index] as number
    out.varint(skill - previous)
    out.byte(weights[index] as number)
    previous = skill
  }
}

/** Calls `each` for every posting of a term, with the skill's number and its weight byte. */
export function eachPosting(segment: Postings, entry: TermEntry, each: (skill: number, weight: number) => void): void {
  const { postings, length } = segment
  let at = entry.start
  const end = Math.min(at + entry.length, postings.length)
  if (isDense(entry.count, length)) {
    for (let skill = 0; at < end && skill < length; skill++, at++) {
      const weight = postings[at] as number
      if (weight > 0) each(skill, weight)
    }
    return
  }
  let skill = -1
  while (at < end) {
    let byte = postings[at++] as number
    let distance = byte & 127
    for (let shift = 7; byte > 127 && at < end; shift += 7) {
      byte = postings[at++] as number
      distance += (byte & 127) * 2 ** shift
    }
    skill += distance || 1
    if (skill >= length) return
    each(skill, postings[at++] ?? 0)
  }
}

/** Adds `factor` times the weight byte of every posting to the score of its skill. The inner loop of a query. */
export function addPostings(segment: Postings, entry: TermEntry, factor: number, scores: Float32Array): void {
  const { postings, length } = segment
  let at = entry.start
  const end = Math.min(at + entry.length, postings.length)
  if (isDense(entry.count, length)) {
    for (let skill = 0; at < end && skill < length; skill++, at++)
      scores[skill] = (scores[skill] as number) + factor * (postings[at] as number)
    return
  }
  let skill = -1
  while (at < end) {
    let byte = postings[at++] as number
    let distance = byte & 127
    for (let shift = 7; byte > 127 && at < end; shift += 7) {
      byte = postings[at++] as number
      distance += (byte & 127) * 2 ** shift
    }
    skill += distance || 1
    if (skill >= length) return
    scores[skill] = (scores[skill] as number) + factor * (postings[at++] ?? 0)
  }
}

/** Calls `each` for those of `skills` (ascending) that have a term, with the index in `skills` and the weight byte. */
export function findPostings(
  segment: Postings,
  entry: TermEntry,
  skills: ArrayLike<number>,
  each: (index: number, weight: number) => void,
): void {
  const { postings, length } = segment
  let at = entry.start
  const end = Math.min(at + entry.length, postings.length)
  if (isDense(entry.count, length)) {
    for (let index = 0; index < skills.length; index++) {
      const weight = postings[at + (skills[index] as number)] ?? 0
      if (weight > 0) each(index, weight)
    }
    return
  }
  let skill = -1
  let index = 0
  let wanted = skills[0] ?? -1
  while (at < end && index < skills.length) {
    let byte = postings[at++] as number
    let distance = byte & 127
    for (let shift = 7; byte > 127 && at < end; shift += 7) {
      byte = postings[at++] as number
      distance += (byte & 127) * 2 ** shift
    }
    skill += distance || 1
    const weight = postings[at++] ?? 0
    while (wanted < skill && index < skills.length) wanted = skills[++index] ?? -1
    if (wanted === skill) each(index, weight)
  }
}
