import { readJsonSection, readSections, u32 } from '../../core/byte-sections.js'
import { blockCount } from '../../core/front-coding.js'
import { isCount, isRecord } from '../../core/plain-data.js'
import { byCodePoint, type Lexicon, openLexicon, type TermEntry } from '../index/lexicon.js'
import type { PieceList } from './piece-list.js'

/** The terms of a library in pieces, as far as they are read. */
export interface TermPieces {
  /** Terms that are not read look as if they did not exist; `lookUp` says what is missing. */
  readonly lexicon: Lexicon
  /** Those that were read, one file after the other. */
  readonly postings: Uint8Array
  /** Looks terms up, and returns the files that it would have needed and that are not read. */
  lookUp<Found>(find: () => Found): { found: Found; missing: readonly string[] }
  has(file: string): boolean
  /** Adds a file. `false` if it is damaged. */
  add(file: string, content: Uint8Array): boolean
}

/** A file of terms that was read. */
interface TermRun {
  lexicon: Lexicon
  /** Where its postings are among those that were read. */
  start: number
}

/** Files of terms that are read for the start of a word, at most. Of more, the common terms alone are looked through. */
const MAX_RUNS = 2

export function createTermPieces(list: PieceList): TermPieces {
  const { firstTerms, termFiles, common, commonStarts, commonFiles } = list
  const runNumbers = new Map(termFiles.map((file, number) => [file, number]))
  /** Words that the same skills have have the same postings, in one file. */
  const commonNumbers = groupNumbers(commonFiles)
  const runs = new Map<number, TermRun>()
  /** Where the postings of a file of common terms are among those that were read. */
  const commonAt = new Map<number, number>()
  let missing = new Set<string>()
  let postings = new Uint8Array(65_536)
  let used = 0

  const append = (bytes: Uint8Array): number => {
    if (used + bytes.length > postings.length) {
      const grown = new Uint8Array(Math.max(postings.length * 2, used + bytes.length))
      grown.set(postings)
      postings = grown
    }
    postings.set(bytes, used)
    used += bytes.length
    return used - bytes.length
  }
  const runOf = (number: number): TermRun | undefined => {
    const run = runs.get(number)
    if (!run) missing.add(termFiles[number] as string)
    return run
  }
  const placed = (start: number, { length, count }: TermEntry): TermEntry => ({
    start,
    length,
    count,
    isSparse: true,
  })
  /** An entry that says how many skills have a common term. Its postings are read when it is found by `find`. */
  const counted = (entry: TermEntry): TermEntry => placed(0, { ...entry, length: 0 })
  const findCommon = (entry: TermEntry): TermEntry => {
    const number = lastNotAbove(commonStarts, entry.start)
    const at = commonAt.get(number)
    if (at !== undefined) return placed(at + entry.start - (commonStarts[number] as number), entry)
    const file = commonFiles[number]
    if (file !== undefined) missing.add(file)
    return counted(entry)
  }
  const findInRun = (term: string): TermEntry | undefined => {
    const number = lastNotAfter(firstTerms, term)
    const run = number < 0 ? undefined : runOf(number)
    const entry = run?.lexicon.find(term)
    return run && entry && placed(run.start + entry.start, entry)
  }
  const lexicon: Lexicon = {
    find(term) {
      const known = common.find(term)
      return known ? findCommon(known) : findInRun(term)
    },
    findPrefix(prefix, maxExtra, each, wanted) {
      if (wanted) {
        for (const term of wanted) {
          const known = common.find(term)
          const entry = known ? counted(known) : findInRun(term)
          if (entry) each(term, entry)
        }
        return
      }
      common.findPrefix(prefix, maxExtra, (term, entry) => each(term, counted(entry)))
      const numbers = runsOf(firstTerms, prefix)
      // The start of a word would read a tenth of the alphabet.
      if (numbers.length > MAX_RUNS) return
      for (const number of numbers) {
        const run = runOf(number)
        run?.lexicon.findPrefix(prefix, maxExtra, (term, entry) =>
          each(term, placed(run.start + entry.start, entry)),
        )
      }
    },
    *entries() {
      for (const { lexicon, start } of runs.values()) {
        for (const { term, ...entry } of lexicon.entries()) {
          yield { term, ...placed(start + entry.start, entry) }
        }
      }
    },
  }
  return {
    lexicon,
    get postings() {
      return postings
    },
    lookUp(find) {
      missing = new Set()
      const found = find()
      return { found, missing: [...missing] }
    },
    has: file => runNumbers.has(file) || commonNumbers.has(file),
    add(file, content) {
      const numbers = commonNumbers.get(file)
      if (numbers) {
        const start = append(content)
        for (const number of numbers) commonAt.set(number, start)
        return true
      }
      const run = openRun(content, list.skills)
      if (!run) return false
      const { lexicon, post } = run
      runs.set(runNumbers.get(file) as number, { lexicon, start: append(post) })
      return true
    },
  }
}

/** The numbers of each file. */
function groupNumbers(files: readonly string[]): Map<string, number[]> {
  const numbers = new Map<string, number[]>()
  for (const [number, file] of files.entries()) {
    const known = numbers.get(file)
    if (known) known.push(number)
    else numbers.set(file, [number])
  }
  return numbers
}

function openRun(content: Uint8Array, skills: number) {
  const sections = readSections(content)
  const head = readJsonSection(sections?.get('head'))
  const [lexi, lexb, post] = ['lexi', 'lexb', 'post'].map(tag => sections?.get(tag))
  if (!isRecord(head) || !isCount(head['terms']) || !lexi || !lexb || !post) return undefined
  const blocks = u32(lexb)
  if (blocks.length !== blockCount(head['terms']) * 2) return undefined
  const limit = Math.max(skills, post.length)
  return { lexicon: openLexicon(lexi, blocks, head['terms'], limit), post }
}

/** The runs that may have terms with a prefix. */
function runsOf(firstTerms: readonly string[], prefix: string): number[] {
  const numbers: number[] = []
  for (let number = Math.max(0, lastNotAfter(firstTerms, prefix)); ; number++) {
    const first = firstTerms[number]
    if (first === undefined) return numbers
    if (byCodePoint(first, prefix) > 0 && !first.startsWith(prefix)) return numbers
    numbers.push(number)
  }
}

/** The last of some terms in order that is not after another one, or -1. */
function lastNotAfter(terms: readonly string[], term: string): number {
  return lastWhere(terms.length, at => byCodePoint(terms[at] as string, term) <= 0)
}

/** The last of some ascending numbers that is not above another one, or -1. */
export function lastNotAbove(numbers: Uint32Array, number: number): number {
  return lastWhere(numbers.length, at => (numbers[at] as number) <= number)
}

/** The last index of those that hold, which come first; -1 if none does. */
function lastWhere(length: number, holds: (at: number) => boolean): number {
  let low = 0
  let high = length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (holds(middle)) low = middle + 1
    else high = middle - 1
  }
  return high
}
