import { createByteWriter } from '../core/bytes.js'
import { ANALYZER } from '../text/analyze.js'
import { writeColumn } from './column.js'
import { raw, type SegmentHead, writeSections } from './format.js'
import { createLexiconWriter } from './lexicon.js'
import { writePostings } from './postings.js'
import { type Vectors, vectorSections } from './vectors.js'
import { SCORING } from './weights.js'

/** A segment's content, in order. */
export interface SegmentParts {
  /** Name, display name and tags of each skill, one a line. */
  names: readonly string[]
  /** Where each skill's sequence starts in `sequences`; one more than skills. */
  starts: readonly number[]
  sequences: Uint16Array
  /** How many codes of each sequence are name, tags and description. */
  heads: readonly number[]
  /** In code point order. `skills` ascending, `weights` beside them; the arrays may be reused between terms. */
  terms: Iterable<{ term: string; skills: ArrayLike<number>; weights: ArrayLike<number>; from: number; to: number }>
  vectors?: Vectors | undefined
}

/** The bytes of a segment. */
export function writeSegment({
  names,
  starts,
  sequences,
  heads,
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
    head: new TextEncoder().encode(JSON.stringify(head)),
    name: writeColumn(names),
    lexi,
    lexb: raw(lexb),
    post: post.finish(),
    seqo: raw(Uint32Array.from(starts)),
    seqs: raw(sequences),
    seqb: raw(Uint16Array.from(heads)),
    ...(vectors ? vectorSections(vectors) : {}),
  })
}
