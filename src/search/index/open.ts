import { readJsonSection, readSections, u16, u32 } from '../../core/byte-sections.js'
import { blockCount } from '../../core/front-coding.js'
import { isCount } from '../../core/plain-data.js'
import { ANALYZER } from '../../core/text/analyze.js'
import { ascends, type Column, readColumn } from './column.js'
import { type Lexicon, openLexicon } from './lexicon.js'
import { type RuledOut, readRuledOut, rowFinder } from './ruled-out.js'
import { readVectors, type Vectors } from './vectors.js'
import { SCORING } from './weights.js'
import type { SegmentHead } from './write.js'

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
  /** Messages of users who need a skill. */
  messagesOf(skill: number): readonly string[]
  /** What the author of a skill rules out; `undefined` for most skills. */
  ruledOutOf(skill: number): RuledOut | undefined
  /** Present if the segment was built with an embedder. */
  readonly vectors: Vectors | undefined
  bytes: Uint8Array
}

/** Opens a segment. `undefined` if it is truncated, of another format or inconsistent. Readers of terms and postings accept any bytes. */
export function openSegment(bytes: Uint8Array): Segment | undefined {
  // Typed arrays need an aligned start. (`slice` of a Node Buffer does not copy.)
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes)
  const sections = readSections(aligned)
  if (!sections) return undefined
  const head = readJsonSection(sections.get('head')) as SegmentHead | null | undefined
  if (!head || head.analyzer !== ANALYZER || head.scoring !== SCORING) return undefined
  const { skills, terms } = head
  if (![skills, terms, head.postings].every(isCount)) return undefined
  const need = (tag: string): Uint8Array => sections.get(tag) ?? new Uint8Array(0)
  if (!['name', 'lexi', 'lexb', 'post', 'seqo', 'seqs', 'seqb'].every(tag => sections.has(tag))) {
    return undefined
  }
  const names = readColumn(need('name'))
  const blocks = u32(need('lexb'))
  if (blocks.length !== blockCount(terms) * 2) return undefined
  const sequences = readSequences(need('seqo'), need('seqs'), need('seqb'), skills)
  const messages = sections.has('mess') ? readColumn(need('mess')) : undefined
  if (sections.has('mess') && messages?.length !== skills) return undefined
  const ruledOut = readRuledOut(sections, skills)
  if (names?.length !== skills || !sequences || !ruledOut) return undefined
  const vectors = readVectors(sections, skills)
  const ruledOutVector = ruledOutVectors(vectors)
  return {
    head,
    length: skills,
    size: aligned.byteLength,
    lexicon: openLexicon(need('lexi'), blocks, terms, skills),
    names,
    postings: need('post'),
    ...sequences,
    messagesOf: skill => messages?.get(skill).split('\n').filter(Boolean) ?? [],
    ruledOutOf(skill) {
      const text = ruledOut(skill)
      return text === undefined ? undefined : { text, vector: ruledOutVector(skill) }
    },
    vectors,
    bytes: aligned,
  }
}

function ruledOutVectors(vectors: Vectors | undefined): (skill: number) => RuledOut['vector'] {
  if (!vectors?.ruledOut) return () => undefined
  const { dimensions, ruledOut } = vectors
  const find = rowFinder(ruledOut.skills)
  return skill => {
    const row = find(skill)
    const scale = row === undefined ? 0 : (ruledOut.scales[row] as number)
    if (row === undefined || scale === 0) return undefined
    return { bytes: ruledOut.bytes.subarray(row * dimensions, (row + 1) * dimensions), scale }
  }
}

function readSequences(
  seqo: Uint8Array,
  seqs: Uint8Array,
  seqb: Uint8Array,
  skills: number,
): Pick<Segment, 'sequenceOf' | 'headOf'> | undefined {
  const starts = u32(seqo)
  const sequences = u16(seqs)
  const heads = u16(seqb)
  if (
    starts.length !== skills + 1 ||
    heads.length !== skills ||
    !ascends(starts, sequences.length)
  ) {
    return undefined
  }
  for (let skill = 0; skill < skills; skill++) {
    const length = (starts[skill + 1] as number) - (starts[skill] as number)
    if ((heads[skill] as number) > length) return undefined
  }
  const sequenceOf = (skill: number): Uint16Array =>
    sequences.subarray(starts[skill], starts[skill + 1])
  return { sequenceOf, headOf: skill => heads[skill] ?? 0 }
}
