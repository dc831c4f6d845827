import { type ByteWriter, createByteReader, createByteWriter } from '../segment/bytes.js'

/** Where a term's row is: a whole number from 0, or -1. */
export interface Vocabulary {
  readonly length: number
  find(term: string): number
}

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193
/** Slots of the hash table per term, at least. */
const SPARSE = 2
const NONE = 0xffff

/**
 * Terms front-coded: how many UTF-16 units each shares with the term before, how many follow, then those, all as LEB128
 * numbers. They must come sorted by unit (the order of `Array.sort`), 65,535 at most.
 */
export function writeVocabulary(terms: readonly string[]): Uint8Array<ArrayBuffer> {
  if (terms.length >= NONE) throw new RangeError(`A vocabulary has at most ${NONE - 1} terms`)
  const out: ByteWriter = createByteWriter(65_536)
  let before = ''
  for (const term of terms) {
    if (before !== '' && term <= before) throw new RangeError('The terms of a vocabulary must be sorted')
    let shared = 0
    while (shared < before.length && before.charCodeAt(shared) === term.charCodeAt(shared)) shared++
    out.varint(shared)
    out.varint(term.length - shared)
    for (let at = shared; at < term.length; at++) out.varint(term.charCodeAt(at))
    before = term
  }
  return out.finish()
}

/** Unpacks a vocabulary into units and a hash table of row numbers: no string is made. 40,000 terms take some 10 ms and 700 KB. */
export function openVocabulary(bytes: Uint8Array, length: number): Vocabulary {
  const starts = new Uint32Array(length + 1)
  let units = new Uint16Array(length * 8 + 64)
  let slots = 1
  while (slots < length * SPARSE) slots *= 2
  const table = new Uint16Array(slots).fill(NONE)
  const mask = slots - 1
  const reader = createByteReader(bytes)
  let end = 0
  for (let row = 0; row < length; row++) {
    const shared = reader.varint()
    const rest = reader.varint()
    const size = shared + rest
    if (end + size > units.length) {
      const grown = new Uint16Array(Math.max(units.length * 2, end + size))
      grown.set(units)
      units = grown
    }
    const before = starts[Math.max(0, row - 1)] as number
    units.copyWithin(end, before, before + shared)
    for (let at = shared; at < size; at++) units[end + at] = reader.varint()
    let hash = FNV_OFFSET
    for (let at = end; at < end + size; at++) hash = Math.imul(hash ^ (units[at] as number), FNV_PRIME)
    let slot = spread(hash) & mask
    while (table[slot] !== NONE) slot = (slot + 1) & mask
    table[slot] = row
    end += size
    starts[row + 1] = end
  }
  return {
    length,
    find(term) {
      let hash = FNV_OFFSET
      for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), FNV_PRIME)
      for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
        const row = table[slot] as number
        if (row === NONE) return -1
        const start = starts[row] as number
        if ((starts[row + 1] as number) - start !== term.length) continue
        let same = 0
        while (same < term.length && units[start + same] === term.charCodeAt(same)) same++
        if (same === term.length) return row
      }
    },
  }
}

/** FNV-1a leaves its low bits alike for short terms. */
function spread(hash: number): number {
  return hash ^ (hash >>> 15)
}
