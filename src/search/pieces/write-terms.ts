import { bytesOf, writeJsonSection, writeSections } from '../../core/byte-sections.js'
import { type ByteWriter, createByteWriter } from '../../core/bytes.js'
import { byCodePoint, createLexiconWriter } from '../index/lexicon.js'
import type { Segment } from '../index/open.js'
import { type SelectedTerm, termsOf } from '../index/select.js'
import { folderTerm, nameTerm, tagTerm } from './key-terms.js'
import { COMMON_BYTES, MAX_POSTINGS, type Piece, TERM_BYTES } from './piece-format.js'
import type { PiecedSkill } from './pieced-skill.js'
import { writePiece } from './write-piece.js'

/** The files of the terms of a library. */
export interface TermFiles {
  /** The first term of each file. */
  firstTerms: string[]
  terms: Piece[]
  common: CommonTerms
}

/** Terms whose postings are so long that the list has the terms, and other files the postings. */
interface CommonTerms {
  terms: number
  lexi: Uint8Array
  lexb: Uint32Array
  /** Where each file starts among all of the postings. */
  starts: Uint32Array
  files: Piece[]
}

/** A term in a run: the number of skills that have it, and its postings, never dense. */
interface PiecedTerm {
  term: string
  count: number
  postings: Uint8Array
}

/** @param order The skills, by their number in the pieces. */
export function writeTermFiles(order: readonly PiecedSkill[]): TermFiles {
  const runs = createRuns()
  const common = createCommon()
  for (const term of piecedTerms(order)) {
    if (term.postings.length >= COMMON_BYTES) common.add(term)
    else runs.add(term)
  }
  return { ...runs.finish(), common: common.finish() }
}

/** All terms in code point order: those of the segments, and those that stand for names, tags and folders. */
function* piecedTerms(order: readonly PiecedSkill[]): Generator<PiecedTerm> {
  const lower = (tags: readonly string[]) => new Set(tags.map(tag => tag.toLowerCase()))
  // In the order of their first characters.
  const keys = [
    ...keyTerms(order, nameTerm, ({ names }) => names),
    ...keyTerms(order, tagTerm, ({ tags }) => lower(tags)),
    ...keyTerms(order, folderTerm, ({ folders }) => folders),
  ]
  let written = 0
  const segments = [...new Set(order.map(({ segment }) => segment))]
  for (const term of termsOf(segments, numbersOf(segments, order))) {
    // Keys of messages are before them, words after.
    for (; isBefore(keys[written], term.term); written++) yield keys[written] as PiecedTerm
    yield encodeTerm(heaviest(term), term.skills.length)
  }
  yield* keys.slice(written)
}

function isBefore(key: PiecedTerm | undefined, term: string): boolean {
  return key !== undefined && byCodePoint(key.term, term) < 0
}

/** For each segment, the number in the pieces of each of its skills; -1 for one that is left out. */
function numbersOf(segments: readonly Segment[], order: readonly PiecedSkill[]): Int32Array[] {
  const numbers = new Map(
    segments.map(segment => [segment, new Int32Array(segment.length).fill(-1)]),
  )
  for (const [number, { segment, skill }] of order.entries()) {
    const ofSegment = numbers.get(segment)
    if (ofSegment) ofSegment[skill] = number
  }
  return segments.map(segment => numbers.get(segment) as Int32Array)
}

function keyTerms(
  order: readonly PiecedSkill[],
  toTerm: (key: string) => string,
  keysOf: (skill: PiecedSkill) => Iterable<string>,
): PiecedTerm[] {
  const byKey = new Map<string, SelectedTerm>()
  for (const [number, skill] of order.entries()) {
    for (const key of keysOf(skill)) {
      const known = byKey.get(key) ?? { term: toTerm(key), skills: [], weights: [] }
      byKey.set(key, known)
      known.skills.push(number)
      known.weights.push(1)
    }
  }
  return [...byKey.values()]
    .sort((a, b) => byCodePoint(a.term, b.term))
    .map(term => encodeTerm(term, term.skills.length))
}

/** The skills of a word with the heaviest weights, `MAX_POSTINGS` at most. */
function heaviest(selected: SelectedTerm): SelectedTerm {
  const { term, skills, weights } = selected
  if (skills.length <= MAX_POSTINGS) return selected
  const kept = [...skills.keys()]
    .sort((a, b) => (weights[b] as number) - (weights[a] as number) || a - b)
    .slice(0, MAX_POSTINGS)
  return {
    term,
    skills: kept.map(at => skills[at] as number),
    weights: kept.map(at => weights[at] as number),
  }
}

/** @param count Number of skills that have the term. */
function encodeTerm({ term, skills, weights }: SelectedTerm, count: number): PiecedTerm {
  const ascending = [...skills.keys()].sort((a, b) => (skills[a] as number) - (skills[b] as number))
  const out = createByteWriter(skills.length * 3)
  let previous = -1
  for (const at of ascending) {
    const skill = skills[at] as number
    out.varint(skill - previous)
    out.byte(weights[at] as number)
    previous = skill
  }
  return { term, count, postings: out.finish() }
}

/** Writes terms in runs of some `TERM_BYTES`. */
function createRuns() {
  const firstTerms: string[] = []
  const terms: Piece[] = []
  let run: PiecedTerm[] = []
  let size = 0
  const flush = (): void => {
    const [first] = run
    if (!first) return
    firstTerms.push(first.term)
    terms.push(writeRun(run))
    run = []
    size = 0
  }
  return {
    add(term: PiecedTerm): void {
      // A term is half in common with the one before.
      const bytes = term.postings.length + term.term.length / 2 + 3
      if (size + bytes > TERM_BYTES) flush()
      run.push(term)
      size += bytes
    },
    finish() {
      flush()
      return { firstTerms, terms }
    },
  }
}

function writeRun(run: readonly PiecedTerm[]): Piece {
  const { lexi, lexb, post } = writeLexicon(run)
  const head = writeJsonSection({ terms: run.length })
  return writePiece(writeSections({ head, lexi, lexb: bytesOf(lexb), post: post.finish() }))
}

function writeLexicon(terms: readonly PiecedTerm[]) {
  const lexicon = createLexiconWriter()
  const post: ByteWriter = createByteWriter(TERM_BYTES)
  for (const { term, count, postings } of terms) {
    post.bytes(postings)
    lexicon.add(term, postings.length, count)
  }
  return { ...lexicon.finish(), post }
}

/** Writes the postings of common terms, those of neighbors in one file. */
function createCommon() {
  const lexicon = createLexiconWriter()
  const starts: number[] = []
  const files: Piece[] = []
  let post = createByteWriter(TERM_BYTES)
  let terms = 0
  let written = 0
  const flush = (): void => {
    if (post.length === 0) return
    starts.push(written)
    files.push(writePiece(post.finish()))
    written += post.length
    post = createByteWriter(TERM_BYTES)
  }
  return {
    add({ term, count, postings }: PiecedTerm): void {
      if (post.length + postings.length > TERM_BYTES) flush()
      post.bytes(postings)
      lexicon.add(term, postings.length, count)
      terms++
    },
    finish(): CommonTerms {
      flush()
      return { terms, ...lexicon.finish(), starts: Uint32Array.from(starts), files }
    },
  }
}
