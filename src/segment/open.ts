import { blockCount } from '../core/front-coding.js'
import { readJsonSection, readSections, u16, u32 } from '../core/sections.js'
import { ANALYZER } from '../text/analyze.js'
import { type Column, readColumn } from './column.js'
import type { SegmentHead } from './format.js'
import { type Lexicon, openLexicon } from './lexicon.js'
import { readVectors, type Vectors } from './vectors.js'
import { SCORING } from './weights.js'

/** An open segment: views on its bytes, decoded on access. */
export interface Segment {
  readonly head: SegmentHead
  /** Number of skills, including dead ones. */
  readonly length: number
  /** Size in bytes. */
  readonly size: number
  readonly lexicon: Lexicon
  readonly names: Column
  readonly postings: Uint8Array
  /** The forward list of a skill: fingerprints of its words in order. */
  sequenceOf(skill: number): Uint16Array
  /** Length of the part of the forward list from name, tags and description. */
  headOf(skill: number): number
  /** Present if the segment was built with an embedder. */
  readonly vectors: Vectors | undefined
  bytes: Uint8Array
}

/** Opens a segment. Returns `undefined` if the bytes are truncated or of another format, analyzer or scoring; rebuild it from text then. */
export function openSegment(bytes: Uint8Array): Segment | undefined {
  // Typed arrays need an aligned start. (`slice` of a Node Buffer does not copy.)
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes)
  const sections = readSections(aligned)
  if (!sections) return undefined
  const head = readJsonSection(sections.get('head')) as SegmentHead | null | undefined
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
  if (blocks.length !== blockCount(head.terms) * 2) return undefined
  return {
    head,
    length: head.skills,
    size: aligned.byteLength,
    lexicon: openLexicon(need('lexi'), blocks, head.terms),
    names,
    postings: need('post'),
    sequenceOf: skill => sequences.subarray(starts[skill], starts[skill + 1]),
    headOf: skill => heads[skill] ?? 0,
    vectors: readVectors(sections, head.skills),
    bytes: aligned,
  }
}
