import { bytesOf, writeJsonSection, writeSections } from '../../core/byte-sections.js'
import { concatBytes, createByteWriter } from '../../core/bytes.js'
import { ANALYZER } from '../../core/text/analyze.js'
import { writeColumn } from './column.js'
import { createLexiconWriter } from './lexicon.js'
import { writePostings } from './postings.js'
import { ruledOutSections } from './ruled-out.js'
import { type Vectors, vectorSections } from './vectors.js'
import { SCORING } from './weights.js'

/**
 * A segment: a container of sections (see core/byte-sections.ts).
 *
 * | tag  | content |
 * |------|---------|
 * | head | JSON: `SegmentHead` |
 * | name | column (see column.ts): name, display name and tags of each skill, one a line |
 * | lexi | the terms in code point order, front-coded (see lexicon.ts) |
 * | lexb | u32 × 2 per block of terms: its offset in `lexi`, the offset of its postings in `post` |
 * | post | per term: (varint distance to the previous skill, u8 weight) …, or u8 weight of every skill (see postings.ts) |
 * | seqo | u32 × (skills + 1): offset of each skill's sequence in `seqs` |
 * | seqs | u16 fingerprints of the words of each skill in order: the forward list |
 * | seqb | u16 per skill: number of fingerprints from name, tags and description |
 * | mess | column: the messages of each skill, one a line; absent if no skill has messages |
 * | notn | u32 per skill that rules something out: its number, ascending; absent if none does |
 * | nots | column: what these skills rule out (see ruled-out.ts) |
 * | v…   | the vectors, if the segment was built with an embedder (see vectors.ts) |
 */
export interface SegmentHead {
  analyzer: string
  /** The meaning of a weight byte; see weights.ts. */
  scoring: string
  skills: number
  terms: number
  postings: number
}

/** The content of a segment, in skill order. */
export interface SegmentParts {
  /** Name, display name and tags of each skill, one a line. */
  names: readonly string[]
  /** The forward list of each skill. */
  sequences: readonly Uint16Array[]
  /** Number of codes in each sequence from name, tags and description. */
  heads: readonly number[]
  /** The messages of each skill, one a line. */
  messages: readonly string[]
  /** What each skill rules out; `''` for most. */
  ruledOut: readonly string[]
  /** In code point order, `skills` ascending. */
  terms: Iterable<{ term: string; skills: ArrayLike<number>; weights: ArrayLike<number> }>
  vectors?: Vectors | undefined
}

export function writeSegment(parts: SegmentParts): Uint8Array<ArrayBuffer> {
  const { names, sequences, heads, messages, ruledOut, terms, vectors } = parts
  const lexicon = createLexiconWriter()
  const post = createByteWriter(65_536)
  let termCount = 0
  let postings = 0
  for (const { term, skills, weights } of terms) {
    const before = post.length
    writePostings(post, skills, weights, names.length)
    lexicon.add(term, post.length - before, skills.length)
    termCount++
    postings += skills.length
  }
  const { lexi, lexb } = lexicon.finish()
  const starts = new Uint32Array(names.length + 1)
  for (const [skill, { length }] of sequences.entries()) {
    starts[skill + 1] = (starts[skill] as number) + length
  }
  const head: SegmentHead = {
    analyzer: ANALYZER,
    scoring: SCORING,
    skills: names.length,
    terms: termCount,
    postings,
  }
  return writeSections({
    head: writeJsonSection(head),
    name: writeColumn(names),
    lexi,
    lexb: bytesOf(lexb),
    post: post.finish(),
    seqo: bytesOf(starts),
    seqs: concatBytes(sequences.map(bytesOf)),
    seqb: bytesOf(Uint16Array.from(heads)),
    ...(messages.some(Boolean) ? { mess: writeColumn(messages) } : {}),
    ...ruledOutSections(ruledOut),
    ...(vectors ? vectorSections(vectors) : {}),
  })
}
