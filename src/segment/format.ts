/**
 * The binary format of a segment, version 1. Little-endian.
 *
 *     0  "SHLF"
 *     4  u16 version, u16 number of sections
 *     8  per section: 4 ASCII bytes of tag, u32 offset, u32 length
 *     …  the sections, each at a multiple of 8
 *
 * | tag  | what |
 * |------|------|
 * | head | JSON: `SegmentHead` |
 * | name | a column (see column.ts): name, display name and tags of each skill, one a line |
 * | lexi | the terms in code point order, front-coded in blocks of 16 (see lexicon.ts) |
 * | lexb | u32 × 2 per block: where it starts in `lexi`, where its postings start in `post` |
 * | post | per term: (varint distance to the skill before, u8 weight) …, or u8 weight of every skill (see postings.ts) |
 * | seqo | u32 × (skills + 1): where each skill's sequence starts in `seqs` |
 * | seqs | u16 fingerprints of the words of each skill in order: the forward list |
 * | seqb | u16 per skill: how many of them stand in name, tags and description |
 * | v…   | the vectors, where it was built with a model (see vectors.ts) |
 *
 * A reader passes over tags it does not know.
 */
export const VERSION = 1
const MAGIC = 'SHLF'
const ALIGN = 8

/** Names what a weight byte means; see weights.ts. */
export interface SegmentHead {
  analyzer: string
  scoring: string
  skills: number
  terms: number
  postings: number
}

export function writeSections(sections: Readonly<Record<string, Uint8Array>>): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(sections)
  let size = align(8 + entries.length * 12)
  const offsets = entries.map(([, bytes]) => {
    const at = size
    size = align(size + bytes.length)
    return at
  })
  const out = new Uint8Array(size)
  const view = new DataView(out.buffer)
  writeAscii(out, 0, MAGIC)
  view.setUint16(4, VERSION, true)
  view.setUint16(6, entries.length, true)
  for (const [index, [tag, bytes]] of entries.entries()) {
    writeAscii(out, 8 + index * 12, tag)
    view.setUint32(12 + index * 12, offsets[index] as number, true)
    view.setUint32(16 + index * 12, bytes.length, true)
    out.set(bytes, offsets[index] as number)
  }
  return out
}

/** The sections of a segment as views on its bytes; `undefined` where this is not a segment of this version, or is cut off. */
export function readSections(bytes: Uint8Array): Map<string, Uint8Array> | undefined {
  if (bytes.length < 8 || readAscii(bytes, 0) !== MAGIC) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint16(4, true) !== VERSION) return undefined
  const count = view.getUint16(6, true)
  if (8 + count * 12 > bytes.length) return undefined
  const sections = new Map<string, Uint8Array>()
  for (let index = 0; index < count; index++) {
    const offset = view.getUint32(12 + index * 12, true)
    const length = view.getUint32(16 + index * 12, true)
    if (offset % ALIGN !== 0 || offset + length > bytes.length) return undefined
    sections.set(readAscii(bytes, 8 + index * 12), bytes.subarray(offset, offset + length))
  }
  return sections
}

export function u16(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1)
}

export function u32(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2)
}

/** The bytes of a typed array, for writing. */
export function raw(array: Uint16Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

function align(size: number): number {
  return Math.ceil(size / ALIGN) * ALIGN
}

function writeAscii(out: Uint8Array, at: number, text: string): void {
  for (let index = 0; index < 4; index++) out[at + index] = text.charCodeAt(index)
}

function readAscii(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}
