import type { ByteWriter } from '../../core/bytes.js'
import type { TermEntry } from './lexicon.js'

/** A term that one skill in four has is dense: a byte per skill, summed without decoding. Most time goes to common terms. */
const DENSE_RATIO = 4

// Checking every list when a segment is opened would take longer than opening it, so reading accepts any bytes: a distance of 0 is read as
// 1, a missing weight as 0, and a skill beyond the last ends the list. No skill occurs twice.

/** The part of a segment that has postings. */
interface Postings {
  /** Number of skills. */
  readonly length: number
  readonly postings: Uint8Array
}

function isDense(
  { count, isSparse }: Pick<TermEntry, 'count' | 'isSparse'>,
  skills: number,
): boolean {
  return !isSparse && count * DENSE_RATIO >= skills
}

/** Writes the postings of one term: ascending `skills`, of `total` in the segment. */
export function writePostings(
  out: ByteWriter,
  skills: ArrayLike<number>,
  weights: ArrayLike<number>,
  total: number,
): void {
  if (isDense({ count: skills.length }, total)) {
    const dense = new Uint8Array(total)
    for (let index = 0; index < skills.length; index++) {
      dense[skills[index] as number] = weights[index] as number
    }
    out.bytes(dense)
    return
  }
  let previous = -1
  for (let index = 0; index < skills.length; index++) {
    const skill = skills[index] as number
    out.varint(skill - previous)
    out.byte(weights[index] as number)
    previous = skill
  }
}

/** The last term that was read, reused: an array for each term, or a call for each posting, would cost half of a query's time. */
let skills = new Uint32Array(1_024)
let weights = new Uint8Array(1_024)

/**
 * Reads the sparse postings of a term into `skills` and `weights`, and returns their number.
 * @param before Skills from this number on are left out. Default: none is.
 */
function readSparse({ postings, length }: Postings, entry: TermEntry, before = length): number {
  let at = entry.start
  const end = Math.min(at + entry.length, postings.length)
  const most = Math.min(length, end - at)
  if (most > skills.length) {
    skills = new Uint32Array(most * 2)
    weights = new Uint8Array(most * 2)
  }
  let found = 0
  let skill = -1
  while (at < end) {
    let byte = postings[at++] as number
    let distance = byte & 127
    for (let shift = 7; byte > 127 && at < end; shift += 7) {
      byte = postings[at++] as number
      distance += (byte & 127) * 2 ** shift
    }
    skill += distance || 1
    if (skill >= before) break
    skills[found] = skill
    weights[found++] = postings[at++] ?? 0
  }
  return found
}

function readDense(
  { postings, length }: Postings,
  { start, length: bytes }: TermEntry,
): Uint8Array {
  return postings.subarray(start, start + Math.min(bytes, length))
}

/** Calls `each` for every posting of a term, with the skill's number and its weight byte. `each` must not read other postings. */
export function eachPosting(
  segment: Postings,
  entry: TermEntry,
  each: (skill: number, weight: number) => void,
): void {
  if (isDense(entry, segment.length)) {
    const dense = readDense(segment, entry)
    for (let skill = 0; skill < dense.length; skill++) {
      if (dense[skill] !== 0) each(skill, dense[skill] as number)
    }
  } else {
    const found = readSparse(segment, entry)
    for (let index = 0; index < found; index++) {
      each(skills[index] as number, weights[index] as number)
    }
  }
}

/** Adds `factor` times the weight byte of every posting to the score of its skill. The inner loop of a query. */
export function addPostings(
  segment: Postings,
  entry: TermEntry,
  factor: number,
  scores: Float32Array,
): void {
  if (isDense(entry, segment.length)) {
    const dense = readDense(segment, entry)
    for (let skill = 0; skill < dense.length; skill++) {
      scores[skill] = (scores[skill] as number) + factor * (dense[skill] as number)
    }
  } else {
    const found = readSparse(segment, entry)
    for (let index = 0; index < found; index++) {
      const skill = skills[index] as number
      scores[skill] = (scores[skill] as number) + factor * (weights[index] as number)
    }
  }
}

/** Calls `each` for those of `wanted` (ascending) that have a term, with the index in `wanted` and the weight byte. */
export function findPostings(
  segment: Postings,
  entry: TermEntry,
  wanted: ArrayLike<number>,
  each: (index: number, weight: number) => void,
): void {
  if (isDense(entry, segment.length)) {
    const dense = readDense(segment, entry)
    for (let index = 0; index < wanted.length; index++) {
      const weight = dense[wanted[index] as number] ?? 0
      if (weight > 0) each(index, weight)
    }
    return
  }
  const last = wanted[wanted.length - 1] ?? -1
  const found = readSparse(segment, entry, Math.min(last + 1, segment.length))
  let at = 0
  for (let index = 0; index < wanted.length; index++) {
    while (at < found && (skills[at] as number) < (wanted[index] as number)) at++
    if (at < found && skills[at] === wanted[index]) each(index, weights[at] as number)
  }
}
