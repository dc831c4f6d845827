import { createByteWriter } from '../../core/bytes.js'
import { bytesOf, writeJsonSection, writeSections } from '../../core/sections.js'
import { ANALYZER } from '../../core/text/analyze.js'
import { writeColumn } from './column.js'
import type { SegmentHead } from './format.js'
import { createLexiconWriter } from './lexicon.js'
import { writePostings } from './postings.js'
import { type Vectors, vectorSections } from './vectors.js'
import { SCORING } from './weights.js'

/** The content of a segment, in skill order. */
export interface SegmentParts {
  /** Name, display name and tags of each skill, one a line. */
  names: readonly string[]
  /** Offset of each skill's sequence in `sequences`, and the end of the last. */
  starts: readonly number[]
  sequences: Uint16Array
  /** Number of codes in each sequence from name, tags and description. */
  heads: readonly number[]
  /** The messages of each skill, one a line. */
  messages: readonly string[]
  /** In code point order, `skills` ascending. The arrays may be reused between terms. */
  terms: Iterable<{ term: string; skills: ArrayLike<number>; weights: ArrayLike<number>; from: number; to: number }>
  vectors?: Vectors | undefined
}

/** Encodes a segment. */
export function writeSegment({
  names,
  starts,
  sequences,
  heads,
  messages,
  terms,
  vectors,
}: SegmentParts): Uint8Array<ArrayBuffer> {
  const lexicon = createLexiconWriter()
  const post = createByteWriter(65_536)
  let termCount = 0
  let postings = 0
  for (const { term, skills, weights, from, to } of terms) {
    const before = post.length
    writePostings(post, skills, weights, from, to, names.length)
    lexicon.add(term, post.length - before, to - from)
    termCount++
    postings += to - from
  }
  const { lexi, lexb } = lexicon.finish()
  const head: SegmentHead = { analyzer: ANALYZER, scoring: SCORING, skills: names.length, terms: termCount, postings }
  return writeSections({
    head: writeJsonSection(head),
    name: writeColumn(names),
    lexi,
    lexb: bytesOf(lexb),
    post: post.finish(),
    seqo: bytesOf(Uint32Array.from(starts)),
    seqs: bytesOf(sequences),
    seqb: bytesOf(Uint16Array.from(heads)),
    ...(messages.some(Boolean) ? { mess: writeColumn(messages) } : {}),
    ...(vectors ? vectorSections(vectors) : {}),
  })
}
