import { hash32 } from '../../core/text/hash32.js'

/**
 * A Bloom filter: tells that a set has no such term, or may have it. One in a hundred others "may" be there.
 *
 * The bits of a term are at h1 + i * h2 for i from 0 to 6, modulo the number of bits (Kirsch and Mitzenmacher, Less Hashing, Same
 * Performance, 2006). h1 and h2 are the 32-bit hashes of the term, and of the term and U+0000.
 */
const BITS_PER_TERM = 10
const HASHES = 7

export function writeFilter(terms: readonly string[]): Uint8Array<ArrayBuffer> {
  const filter = new Uint8Array(Math.ceil((terms.length * BITS_PER_TERM) / 8))
  for (const term of terms) {
    for (const bit of bitsOf(term, filter)) {
      filter[bit >> 3] = (filter[bit >> 3] as number) | (1 << (bit & 7))
    }
  }
  return filter
}

/** `false` if the filter was written without the term. */
export function mayHave(filter: Uint8Array, term: string): boolean {
  return bitsOf(term, filter).every(bit => ((filter[bit >> 3] as number) >> (bit & 7)) & 1)
}

function bitsOf(term: string, filter: Uint8Array): number[] {
  const first = hash32(term)
  const step = hash32(`${term}\0`)
  return Array.from(
    { length: HASHES },
    (_, index) => ((first + Math.imul(index, step)) >>> 0) % (filter.length * 8),
  )
}
