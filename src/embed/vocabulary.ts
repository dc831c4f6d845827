import { type ByteWriter, createByteReader, createByteWriter } from '../core/bytes.js'

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
/** Terms of a block: the first is written whole, so that a search can begin there. */
const BLOCK = 16
/** From so many questions on, unpacking it all pays. */
const MANY = 2_000

/** A vocabulary as bytes, and where each block of them begins. */
export interface PackedVocabulary {
  terms: Uint8Array<ArrayBuffer>
  blocks: Uint32Array
}

/** Blocks that so many terms fill. */
export function blocksOf(terms: number): number {
  return Math.ceil(terms / BLOCK)
}

/**
 * Terms front-coded in blocks of 16: how many UTF-16 units each shares with the term before (none with that of another block), how many
 * follow, then those, all as LEB128 numbers. They must come sorted by unit (the order of `Array.sort`), 65,535 at most.
 */
export function writeVocabulary(terms: readonly string[]): PackedVocabulary {
  if (terms.length >= NONE) throw new RangeError(`A vocabulary has at most ${NONE - 1} terms`)
  const out: ByteWriter = createByteWriter(65_536)
  const blocks: number[] = []
  let before = ''
  for (const [row, term] of terms.entries()) {
    if (before !== '' && term <= before) throw new RangeError('The terms of a vocabulary must be sorted')
    let shared = 0
    if (row % BLOCK === 0) blocks.push(out.length)
    else while (shared < before.length && before.charCodeAt(shared) === term.charCodeAt(shared)) shared++
    out.varint(shared)
    out.varint(term.length - shared)
    for (let at = shared; at < term.length; at++) out.varint(term.charCodeAt(at))
    before = term
  }
  return { terms: out.finish(), blocks: Uint32Array.from(blocks) }
}

/** Opens a vocabulary at once: its bytes are searched, and unpacked for those who ask for thousands of terms. */
export function openVocabulary(bytes: Uint8Array, blocks: Uint32Array, length: number): Vocabulary {
  let asked = 0
  let find = searchIn(bytes, blocks, length)
  return {
    length,
    find(term) {
      if (++asked === MANY) find = unpack(bytes, length)
      return find(term)
    },
  }
}

/** Finds the block by its first term, then goes through it. */
function searchIn(bytes: Uint8Array, blocks: Uint32Array, length: number): Vocabulary['find'] {
  /** The sign of (first term of the block) - (term). */
  const compareFirst = (block: number, term: string): number => {
    const reader = createByteReader(bytes, blocks[block] as number)
    reader.varint()
    const size = reader.varint()
    const end = Math.min(size, term.length)
    for (let at = 0; at < end; at++) {
      const difference = reader.varint() - term.charCodeAt(at)
      if (difference !== 0) return difference
    }
    return size - term.length
  }
  return term => {
    let low = 0
    let high = blocks.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      if (compareFirst(middle, term) <= 0) low = middle + 1
      else high = middle - 1
    }
    if (high < 0) return -1
    const reader = createByteReader(bytes, blocks[high] as number)
    const end = Math.min(length, (high + 1) * BLOCK)
    // Units that agree with the term before: one that shares fewer stands behind what is looked for.
    let matched = 0
    for (let row = high * BLOCK; row < end; row++) {
      const shared = reader.varint()
      const rest = reader.varint()
      if (shared < matched) return -1
      let same = 0
      for (let at = 0; at < rest; at++) {
        const unit = reader.varint()
        if (shared === matched && same === at && unit === term.charCodeAt(matched + at)) same++
      }
      if (shared > matched) continue
      matched += same
      if (matched === term.length && same === rest) return row
    }
    return -1
  }
}

/** Units and a hash table of row numbers: no string is made. 40,000 terms take some 10 ms and 700 KB. */
function unpack(bytes: Uint8Array, length: number): Vocabulary['find'] {
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
  return term => {
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
  }
}

/** FNV-1a leaves its low bits alike for short terms. */
function spread(hash: number): number {
  return hash ^ (hash >>> 15)
}
