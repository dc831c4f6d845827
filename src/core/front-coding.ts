import { type ByteWriter, createByteReader } from './bytes.js'

/**
 * Front coding of sorted terms: each term is stored as the number of units it shares with the term before it, the number of units that
 * follow, and those units. The first term of each block of 16 is stored whole, so a binary search can start there.
 *
 * Units are UTF-8 bytes (`byte`) or UTF-16 code units as LEB128 numbers (`varint`).
 */
type UnitCoding = 'byte' | 'varint'

const BLOCK_SIZE = 16

export function blockCount(terms: number): number {
  return Math.ceil(terms / BLOCK_SIZE)
}

export function startsBlock(index: number): boolean {
  return index % BLOCK_SIZE === 0
}

export function blockOf(index: number): number {
  return Math.floor(index / BLOCK_SIZE)
}

/** Writes terms one after the other. */
export interface TermWriter {
  /** Writes the first `size` of `units`. Call in sorted order. */
  add(units: ArrayLike<number>, size: number): void
}

export function createTermWriter(out: ByteWriter, coding: UnitCoding): TermWriter {
  // One array, reused: an array for each term would dominate the cost.
  const previous: number[] = []
  let previousSize = 0
  let index = 0
  return {
    add(units, size) {
      const limit = startsBlock(index++) ? 0 : Math.min(size, previousSize)
      let shared = 0
      while (shared < limit && units[shared] === previous[shared]) shared++
      out.varint(shared)
      out.varint(size - shared)
      for (let at = shared; at < size; at++) {
        previous[at] = units[at] as number
        out[coding](units[at] as number)
      }
      previousSize = size
    },
  }
}

/**
 * Reads terms one after the other. Values stored after a term are read with `varint()` before the next term. Truncated or corrupt bytes
 * give wrong terms, but never more units than there are bytes.
 */
export interface TermReader {
  /** The units of the current term. Only the first `size` belong to it, until the next call. */
  readonly units: readonly number[]
  /** Number of units of the current term; 0 before the first. */
  readonly size: number
  /** Continues at the first term of a block. @param offset Default: the current position. */
  seek(offset?: number): void
  /** Reads the next term. @param limit Number of units to decode. Use the same one for all terms of a block. Default: all. */
  next(limit?: number): void
  /** Reads a number that is stored after the current term. */
  varint(): number
}

export function createTermReader(bytes: Uint8Array, coding: UnitCoding): TermReader {
  const reader = createByteReader(bytes)
  const units: number[] = []
  let size = 0
  return {
    units,
    get size() {
      return size
    },
    seek(offset = reader.at) {
      reader.at = offset
      size = 0
    },
    next(limit = Number.POSITIVE_INFINITY) {
      const shared = Math.min(reader.varint(), size)
      size = shared + Math.min(reader.varint(), Math.max(0, bytes.length - reader.at))
      const end = Math.min(size, limit)
      const next = reader.at + size - shared
      for (let at = shared; at < end; at++) {
        units[at] = coding === 'byte' ? (bytes[reader.at++] as number) : reader.varint()
      }
      // The units beyond `limit` are skipped.
      if (coding === 'byte') {
        reader.at = next
      } else {
        for (let at = Math.max(shared, end); at < size; at++) reader.varint()
      }
    },
    varint: () => reader.varint(),
  }
}

/**
 * Finds a term among `count` terms by binary search over the blocks.
 * @param offsetOf Offset of a block in the bytes of `reader`.
 * @param onTerm Called for each term of the block up to the wanted one. It must read what follows the term.
 * @returns The index of the term, or -1.
 */
export function findTerm(
  reader: TermReader,
  count: number,
  offsetOf: (block: number) => number,
  wanted: ArrayLike<number>,
  onTerm?: (index: number) => void,
): number {
  // Corrupt terms can be as long as the file. Units after the first difference have no effect.
  const limit = wanted.length + 1
  const block = findBlock(reader, count, offsetOf, wanted)
  if (block < 0) return -1
  reader.seek(offsetOf(block))
  const end = Math.min(count, (block + 1) * BLOCK_SIZE)
  for (let index = block * BLOCK_SIZE; index < end; index++) {
    reader.next(limit)
    const order = compare(reader, wanted)
    if (order > 0) return -1
    onTerm?.(index)
    if (order === 0) return index
  }
  return -1
}

/**
 * Reads the terms that start with `prefix`, in order.
 * @param limit Number of units to decode of each term.
 * @param onTerm Called for each term from the start of a block to the last one with the prefix. It must read what follows the term.
 * `matches` is false for a term before the first one with the prefix.
 */
export function scanPrefix(
  reader: TermReader,
  count: number,
  offsetOf: (block: number) => number,
  prefix: ArrayLike<number>,
  limit: number,
  onTerm: (index: number, matches: boolean) => void,
): void {
  const block = Math.max(0, findBlock(reader, count, offsetOf, prefix))
  for (let index = block * BLOCK_SIZE; index < count; index++) {
    if (startsBlock(index)) reader.seek(offsetOf(blockOf(index)))
    reader.next(limit)
    let same = 0
    const end = Math.min(reader.size, prefix.length)
    while (same < end && reader.units[same] === prefix[same]) same++
    const matches = same === prefix.length
    if (
      !matches &&
      same < reader.size &&
      (reader.units[same] as number) > (prefix[same] as number)
    ) {
      return
    }
    onTerm(index, matches)
  }
}

/** The last block whose first term is not after `wanted`, or -1. */
function findBlock(
  reader: TermReader,
  count: number,
  offsetOf: (block: number) => number,
  wanted: ArrayLike<number>,
): number {
  let low = 0
  let high = blockCount(count) - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    reader.seek(offsetOf(middle))
    reader.next(wanted.length + 1)
    if (compare(reader, wanted) <= 0) low = middle + 1
    else high = middle - 1
  }
  return high
}

/** The sign of (current term) - (wanted). */
function compare({ units, size }: TermReader, wanted: ArrayLike<number>): number {
  const end = Math.min(size, wanted.length)
  for (let at = 0; at < end; at++) {
    const difference = (units[at] as number) - (wanted[at] as number)
    if (difference !== 0) return difference
  }
  return size - wanted.length
}
