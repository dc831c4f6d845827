import { createByteReader, createByteWriter } from '../core/bytes.js'

/** Terms a block holds: the first whole, the others without the bytes they share with the term before. */
const BLOCK = 16

/** Blocks that so many terms fill. */
export function blocksOf(terms: number): number {
  return Math.ceil(terms / BLOCK)
}

/** Where a term's postings are. */
export interface TermEntry {
  /** Offset in the postings section. */
  start: number
  /** Bytes. */
  length: number
  /** Skills that have the term. */
  count: number
}

export interface Lexicon {
  find(term: string): TermEntry | undefined
  /** All terms in order. For people (`skillshelf show`) and merging, not for queries. */
  entries(): Generator<TermEntry & { term: string }>
}

/** Terms must come in code point order, their postings in the same order without gaps. */
export function createLexiconWriter(): {
  add(term: string, length: number, count: number): void
  finish(): { lexi: Uint8Array<ArrayBuffer>; lexb: Uint32Array }
} {
  const out = createByteWriter(65_536)
  const blocks: number[] = []
  const encoder = new TextEncoder()
  // The term before and this one, in turn: an array for each term would be most of the work.
  let previous = new Uint8Array(256)
  let previousLength = 0
  let current = new Uint8Array(256)
  let terms = 0
  let postings = 0
  return {
    add(term, length, count) {
      if (current.length < term.length * 3) current = new Uint8Array(term.length * 3)
      const size = encoder.encodeInto(term, current).written
      let shared = 0
      if (terms % BLOCK === 0) blocks.push(out.length, postings)
      else while (shared < size && shared < previousLength && current[shared] === previous[shared]) shared++
      out.varint(shared)
      out.varint(size - shared)
      out.bytes(current.subarray(shared, size))
      out.varint(length)
      out.varint(count)
      previousLength = size
      const spare = previous
      previous = current
      current = spare
      terms++
      postings += length
    },
    finish: () => ({ lexi: out.finish(), lexb: Uint32Array.from(blocks) }),
  }
}

export function openLexicon(lexi: Uint8Array, lexb: Uint32Array, terms: number): Lexicon {
  const blocks = lexb.length >> 1
  const encoder = new TextEncoder()

  /** The sign of (first term of the block) - (wanted). */
  const compareFirst = (block: number, wanted: Uint8Array): number => {
    const reader = createByteReader(lexi, lexb[block * 2] as number)
    reader.varint()
    const length = reader.varint()
    const end = Math.min(length, wanted.length)
    for (let index = 0; index < end; index++) {
      const difference = (lexi[reader.at + index] as number) - (wanted[index] as number)
      if (difference !== 0) return difference
    }
    return length - wanted.length
  }

  return {
    find(term) {
      const wanted = encoder.encode(term)
      let low = 0
      let high = blocks - 1
      while (low <= high) {
        const middle = (low + high) >> 1
        if (compareFirst(middle, wanted) <= 0) low = middle + 1
        else high = middle - 1
      }
      if (high < 0) return undefined
      const reader = createByteReader(lexi, lexb[high * 2] as number)
      let start = lexb[high * 2 + 1] as number
      // `matched` bytes of `wanted` agree with the term before, so a term that shares more or fewer cannot be it.
      let matched = 0
      const last = Math.min(BLOCK, terms - high * BLOCK)
      for (let index = 0; index < last; index++) {
        const shared = reader.varint()
        const rest = reader.varint()
        const from = reader.at
        reader.at += rest
        const length = reader.varint()
        const count = reader.varint()
        if (shared < matched) return undefined
        if (shared === matched) {
          let same = 0
          while (same < rest && shared + same < wanted.length && lexi[from + same] === wanted[shared + same]) same++
          matched = shared + same
          if (matched === wanted.length && same === rest) return { start, length, count }
        }
        start += length
      }
      return undefined
    },
    *entries() {
      const decoder = new TextDecoder()
      let term = new Uint8Array(256)
      let size = 0
      const reader = createByteReader(lexi)
      let start = 0
      for (let index = 0; index < terms; index++) {
        const shared = Math.min(reader.varint(), size)
        const rest = reader.varint()
        const own = lexi.subarray(reader.at, reader.at + rest)
        reader.at += rest
        const length = reader.varint()
        const count = reader.varint()
        size = shared + own.length
        if (size > term.length) {
          const grown = new Uint8Array(size * 2)
          grown.set(term)
          term = grown
        }
        term.set(own, shared)
        yield { term: decoder.decode(term.subarray(0, size)), start, length, count }
        start += length
      }
    },
  }
}

/** Sorts terms the way the lexicon wants them. */
export function sortTerms(terms: string[]): string[] {
  const astral = terms.some(term => /[\uD800-\uDFFF]/.test(term))
  return astral ? terms.sort(byCodePoint) : terms.sort()
}

export function byCodePoint(a: string, b: string): number {
  const end = Math.min(a.length, b.length)
  for (let index = 0; index < end; index++) {
    const x = a.charCodeAt(index)
    const y = b.charCodeAt(index)
    if (x === y) continue
    const high = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)
    return high(x) - high(y)
  }
  return a.length - b.length
}
