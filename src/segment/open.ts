import { ANALYZER } from '../text/analyze.js'
import { type Column, readColumn } from './column.js'
import { readSections, type SegmentHead, u16, u32 } from './format.js'
import { blocksOf, type Lexicon, openLexicon, type TermEntry } from './lexicon.js'
import { SCORING } from './weights.js'

/** A segment, open: views on its bytes. Nothing is decoded before it is asked for. */
export interface Segment {
  readonly head: SegmentHead
  /** Number of skills, dead ones too. */
  readonly length: number
  /** Bytes it occupies. */
  readonly size: number
  readonly lexicon: Lexicon
  readonly names: Column
  readonly postings: Uint8Array
  /** The forward list of a skill; its first `headOf` codes are name, tags and description. */
  sequenceOf(skill: number): Uint16Array
  headOf(skill: number): number
  bytes: Uint8Array
}

/** Opens a segment; `undefined` where the bytes are cut off, or of another format, analyzer or scoring: rebuild it from text. */
export function openSegment(bytes: Uint8Array): Segment | undefined {
  // Views need aligned memory; a part of a larger buffer may not be. (The `slice` of a Node Buffer does not copy.)
  const own = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes)
  const sections = readSections(own)
  if (!sections) return undefined
  const head = readHead(sections.get('head'))
  if (!head || head.analyzer !== ANALYZER || head.scoring !== SCORING) return undefined
  const need = (tag: string): Uint8Array => sections.get(tag) ?? new Uint8Array(0)
  if (!['name', 'lexi', 'lexb', 'post', 'seqo', 'seqs', 'seqb'].every(tag => sections.has(tag))) return undefined
  const starts = u32(need('seqo'))
  const sequences = u16(need('seqs'))
  const heads = u16(need('seqb'))
  const names = readColumn(need('name'))
  const blocks = u32(need('lexb'))
  if (starts.length !== head.skills + 1 || heads.length !== head.skills || names.length !== head.skills)
    return undefined
  if (blocks.length !== blocksOf(head.terms) * 2) return undefined
  return {
    head,
    length: head.skills,
    size: own.byteLength,
    lexicon: openLexicon(need('lexi'), blocks, head.terms),
    names,
    postings: need('post'),
    sequenceOf: skill => sequences.subarray(starts[skill], starts[skill + 1]),
    headOf: skill => heads[skill] ?? 0,
    bytes: own,
  }
}

/** Calls `each` with every posting of a term: the skill's number and its weight byte. */
export function eachPosting(segment: Segment, entry: TermEntry, each: (skill: number, weight: number) => void): void {
  const { postings } = segment
  let at = entry.start
  const end = Math.min(at + entry.length, postings.length)
  let skill = -1
  while (at < end) {
    let byte = postings[at++] as number
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++] as number
      distance += (byte & 127) * 2 ** shift
    }
    skill += distance
    each(skill, postings[at++] as number)
  }
}

/** Adds `factor` times the weight byte of every posting to the skill's score. The inner loop of a query: no call per posting. */
export function addPostings({ postings }: Segment, entry: TermEntry, factor: number, scores: Float32Array): void {
  let at = entry.start
  const end = Math.min(at + entry.length, postings.length)
  let skill = -1
  while (at < end) {
    let byte = postings[at++] as number
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++] as number
      distance += (byte & 127) * 2 ** shift
    }
    skill += distance
    scores[skill] = (scores[skill] as number) + factor * (postings[at++] as number)
  }
}

/** Calls `each` for those of `skills` (ascending) that have a term: the index among them, and the weight byte. Stops after the last. */
export function findPostings(
  { postings }: Segment,
  entry: TermEntry,
  skills: ArrayLike<number>,
  each: (index: number, weight: number) => void,
): void {
  let at = entry.start
  const end = Math.min(at + entry.length, postings.length)
  let skill = -1
  let index = 0
  let wanted = skills[0] ?? -1
  while (at < end && index < skills.length) {
    let byte = postings[at++] as number
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++] as number
      distance += (byte & 127) * 2 ** shift
    }
    skill += distance
    const weight = postings[at++] as number
    while (wanted < skill && index < skills.length) wanted = skills[++index] ?? -1
    if (wanted === skill) each(index, weight)
  }
}

function readHead(bytes: Uint8Array | undefined): SegmentHead | undefined {
  if (!bytes) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as SegmentHead
  } catch {
    return undefined
  }
}
