import { createTermReader, findTerm } from '../../core/front-coding.js'

/** The terms of a model, by row. */
export interface Vocabulary {
  /** The front-coded terms. */
  readonly bytes: Uint8Array
  /** Returns the row of a term, or -1. */
  find(term: string): number
}

/** Lookups before the terms are unpacked into a map. */
const UNPACK_AFTER = 2_000

/**
 * Opens front-coded terms without decoding them. The first lookups search the bytes; after 2,000 lookups the terms are unpacked.
 * @param blocks Offset of each block of terms.
 */
export function openVocabulary(bytes: Uint8Array, blocks: Uint32Array, length: number): Vocabulary {
  const reader = createTermReader(bytes, 'varint')
  let lookups = 0
  let rows: Map<string, number> | undefined
  return {
    bytes,
    find(term) {
      if (++lookups > UNPACK_AFTER) {
        rows ??= new Map(readTerms(bytes, length).map((term, row) => [term, row]))
      }
      if (rows) return rows.get(term) ?? -1
      const units = Uint16Array.from({ length: term.length }, (_, index) => term.charCodeAt(index))
      return findTerm(reader, length, block => blocks[block] as number, units)
    },
  }
}

/** Decodes all terms, in the order of their rows. */
export function readTerms(bytes: Uint8Array, length: number): string[] {
  const reader = createTermReader(bytes, 'varint')
  const terms: string[] = []
  for (let row = 0; row < length; row++) {
    reader.next()
    let term = ''
    for (let index = 0; index < reader.size; index++) {
      term += String.fromCharCode(reader.units[index] as number)
    }
    terms.push(term)
  }
  return terms
}
