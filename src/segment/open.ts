import { ANALYZER } from '../text/analyze.js'
import { type Column, readColumn } from './column.js'
import { readSections, type SegmentHead, u16, u32 } from './format.js'
import { blocksOf, type Lexicon, openLexicon } from './lexicon.js'
import { readVectors, type Vectors } from './vectors.js'
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
  /** Where it was built with a model. */
  readonly vectors: Vectors | undefined
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
    vectors: readVectors(sections, head.skills),
    bytes: own,
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
