import { createByteWriter } from '../../core/bytes.js'
import {
  blockOf,
  createTermReader,
  createTermWriter,
  findTerm,
  scanPrefix,
  startsBlock,
  type TermReader,
} from '../../core/front-coding.js'

/** The location of a term's postings. */
export interface TermEntry {
  /** Offset in the postings section. */
  start: number
  /** Size in bytes. */
  length: number
  /** Number of skills that have the term. */
  count: number
  /** Never dense, whatever the count: see postings.ts. */
  isSparse?: true
}

/** The terms of a segment. A segment in memory reads them from bytes; an engine has them from its counts and the rows it fetched. */
export interface Lexicon {
  /** Finds a term exactly as it is written. `undefined` if no skill has it. */
  find(term: string): TermEntry | undefined
  /**
   * Calls `each` for the terms that start with `prefix` and have at most `maxExtra` more bytes in UTF-8.
   * @param wanted The only terms that count, if they are known. A lexicon may look them up instead, and may call `each` for others too.
   */
  findPrefix(
    prefix: string,
    maxExtra: number,
    each: (term: string, entry: TermEntry) => void,
    wanted?: Iterable<string>,
  ): void
  /** All terms. For `skillshelf show` and merging; a query uses `find`. */
  entries(): Iterable<TermEntry & { term: string }>
}

/** Writes the terms of a segment. */
export interface LexiconWriter {
  /**
   * Adds a term. Terms are added in code point order; their postings follow each other in the same order without gaps.
   * @param length Bytes of its postings.
   * @param skills Number of skills that have the term.
   */
  add(term: string, length: number, skills: number): void
  /** Returns the two sections of a lexicon: see `openLexicon`. */
  finish(): { lexi: Uint8Array<ArrayBuffer>; lexb: Uint32Array<ArrayBuffer> }
}

export function createLexiconWriter(): LexiconWriter {
  const out = createByteWriter(65_536)
  const terms = createTermWriter(out, 'byte')
  const blocks: number[] = []
  const encoder = new TextEncoder()
  let encoded = new Uint8Array(256)
  let count = 0
  let postings = 0
  return {
    add(term, length, skills) {
      if (encoded.length < term.length * 3) encoded = new Uint8Array(term.length * 3)
      if (startsBlock(count)) blocks.push(out.length, postings)
      terms.add(encoded, encoder.encodeInto(term, encoded).written)
      out.varint(length)
      out.varint(skills)
      count++
      postings += length
    },
    finish: () => ({ lexi: out.finish(), lexb: Uint32Array.from(blocks) }),
  }
}

/**
 * Opens a lexicon; it gives terms in code point order. `lexb`: offsets of each block of terms in `lexi` and of its postings. Corrupt bytes
 * give wrong entries only.
 */
export function openLexicon(
  lexi: Uint8Array,
  lexb: Uint32Array,
  terms: number,
  skills: number,
): Lexicon {
  const encoder = new TextEncoder()
  const readCount = (reader: TermReader): number => Math.min(reader.varint(), skills)
  const offsetOf = (block: number): number => lexb[block * 2] as number
  const postingsOf = (term: number): number => lexb[blockOf(term) * 2 + 1] as number
  const finder = createTermReader(lexi, 'byte')
  return {
    find(term) {
      const entry = { start: 0, length: 0, count: 0 }
      const index = findTerm(finder, terms, offsetOf, encoder.encode(term), at => {
        entry.start = startsBlock(at) ? postingsOf(at) : entry.start + entry.length
        entry.length = readCount(finder)
        entry.count = readCount(finder)
      })
      return index < 0 ? undefined : entry
    },
    findPrefix(prefix, maxExtra, each) {
      const wanted = encoder.encode(prefix)
      const longest = wanted.length + maxExtra
      let start = 0
      scanPrefix(finder, terms, offsetOf, wanted, longest, (at, matches) => {
        if (startsBlock(at)) start = postingsOf(at)
        const { size } = finder
        const length = readCount(finder)
        const count = readCount(finder)
        if (matches && size <= longest) {
          each(decodeTerm(finder.units, size), { start, length, count })
        }
        start += length
      })
    },
    *entries() {
      const reader = createTermReader(lexi, 'byte')
      let start = 0
      for (let index = 0; index < terms; index++) {
        if (startsBlock(index)) reader.seek()
        reader.next()
        const term = decodeTerm(reader.units, reader.size)
        const length = readCount(reader)
        yield { term, start, length, count: readCount(reader) }
        start += length
      }
    },
  }
}

function decodeTerm(units: readonly number[], size: number): string {
  let text = ''
  for (let index = 0; index < size; index++) {
    const unit = units[index] as number
    if (unit >= 0x80) return new TextDecoder().decode(Uint8Array.from(units.slice(0, size)))
    text += String.fromCharCode(unit)
  }
  return text
}

/** Sorts terms in the order of a lexicon: by code point. */
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
    // UTF-16 sorts surrogates below U+E000; code points do not.
    const weight = (unit: number): number =>
      unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
    return weight(x) - weight(y)
  }
  return a.length - b.length
}
