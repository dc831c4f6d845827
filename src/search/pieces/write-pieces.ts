import { bytesOf, writeJsonSection, writeSections } from '../../core/byte-sections.js'
import { createByteWriter } from '../../core/bytes.js'
import { ANALYZER } from '../../core/text/analyze.js'
import { writeColumn } from '../index/column.js'
import { byCodePoint, createLexiconWriter } from '../index/lexicon.js'
import type { Segment } from '../index/open.js'
import { eachPosting } from '../index/postings.js'
import { quantizeVector } from '../index/vectors.js'
import { SCORING } from '../index/weights.js'
import { centreOf, clusterOrder } from './clusters.js'
import { nameTerm } from './name-term.js'
import { type Piece, ROWS, TERM_BYTES, writePiece } from './piece-format.js'

/** What lists and lookups have of a skill. */
export interface PiecedSkill {
  /** Its entry, as one line of JSON. */
  line: string
  /** Folded names and ids that find it. */
  keys: readonly string[]
}

/** A library in pieces. */
export interface Pieces {
  /** The list of all others. */
  list: Piece
  others: readonly Piece[]
}

/** Postings of a term that are kept, at most: the heaviest. A word of more skills tells few of them apart. */
const MAX_POSTINGS = Number(globalThis.process?.env['MAXP'] ?? 4096)

/** One term of the pieces, its skills in ascending order. */
interface PiecedTerm {
  term: string
  /** Skills that have the term, also those whose postings are left out. */
  count: number
  skills: readonly number[]
  weights: readonly number[]
}

/** Cuts a segment without dead skills into pieces. @param skills In the order of the segment. */
export function writePieces(segment: Segment, skills: readonly PiecedSkill[]): Pieces {
  const order = segment.vectors
    ? clusterOrder(segment.vectors, ROWS)
    : skills.map((_, skill) => skill)
  const numbers = new Uint32Array(order.length)
  for (const [number, skill] of order.entries()) numbers[skill] = number

  const terms = [...nameTerms(skills, numbers), ...termsOf(segment, numbers)].sort((a, b) =>
    byCodePoint(a.term, b.term),
  )
  const termPieces: { first: string; piece: Piece }[] = []
  const rowPieces: Piece[] = []
  for (const run of termRuns(terms)) {
    termPieces.push({ first: run[0]?.term ?? '', piece: writeTerms(run) })
  }
  for (let from = 0; from < order.length; from += ROWS) {
    rowPieces.push(writeRows(segment, skills, order.slice(from, from + ROWS)))
  }
  const list = writeSections({
    head: writeJsonSection({
      analyzer: ANALYZER,
      scoring: SCORING,
      skills: skills.length,
      rows: ROWS,
      space: segment.vectors?.space,
      dimensions: segment.vectors?.dimensions ?? 0,
    }),
    firs: new TextEncoder().encode(termPieces.map(({ first }) => first).join('\n')),
    tdig: digestBytes(termPieces.map(({ piece }) => piece)),
    rdig: digestBytes(rowPieces),
    ...centreSections(segment, order),
  })
  return { list: writePiece(list), others: [...termPieces.map(({ piece }) => piece), ...rowPieces] }
}

function* nameTerms(skills: readonly PiecedSkill[], numbers: Uint32Array): Generator<PiecedTerm> {
  const byKey = new Map<string, number[]>()
  for (const [skill, { keys }] of skills.entries()) {
    for (const key of keys) {
      const named = byKey.get(key) ?? []
      named.push(numbers[skill] as number)
      byKey.set(key, named)
    }
  }
  for (const [key, named] of byKey) {
    const sorted = named.sort((a, b) => a - b)
    yield { term: nameTerm(key), count: named.length, skills: sorted, weights: sorted.map(() => 1) }
  }
}

function* termsOf(segment: Segment, numbers: Uint32Array): Generator<PiecedTerm> {
  for (const entry of segment.lexicon.entries()) {
    const postings: { skill: number; weight: number }[] = []
    eachPosting(segment, entry, (skill, weight) => {
      postings.push({ skill: numbers[skill] as number, weight })
    })
    const heaviest =
      postings.length > MAX_POSTINGS
        ? postings.sort((a, b) => b.weight - a.weight || a.skill - b.skill).slice(0, MAX_POSTINGS)
        : postings
    const kept = heaviest.sort((a, b) => a.skill - b.skill)
    yield {
      term: entry.term,
      count: entry.count,
      skills: kept.map(({ skill }) => skill),
      weights: kept.map(({ weight }) => weight),
    }
  }
}

/** Divides terms into runs of some `TERM_BYTES`. */
function* termRuns(terms: readonly PiecedTerm[]): Generator<readonly PiecedTerm[]> {
  let run: PiecedTerm[] = []
  let size = 0
  for (const term of terms) {
    // A posting has two bytes, about, and a term is half in common with the one before.
    const bytes = term.skills.length * 2 + term.term.length / 2 + 3
    if (size + bytes > TERM_BYTES && run.length > 0) {
      yield run
      run = []
      size = 0
    }
    run.push(term)
    size += bytes
  }
  if (run.length > 0) yield run
}

function writeTerms(terms: readonly PiecedTerm[]): Piece {
  const lexicon = createLexiconWriter()
  const postings = createByteWriter(TERM_BYTES)
  for (const { term, count, skills, weights } of terms) {
    const before = postings.length
    let previous = -1
    for (const [index, skill] of skills.entries()) {
      postings.varint(skill - previous)
      postings.byte(weights[index] as number)
      previous = skill
    }
    lexicon.add(term, postings.length - before, count)
  }
  const { lexi, lexb } = lexicon.finish()
  return writePiece(
    writeSections({
      head: writeJsonSection({ terms: terms.length }),
      lexi,
      lexb: bytesOf(lexb),
      post: postings.finish(),
    }),
  )
}

function writeRows(
  segment: Segment,
  skills: readonly PiecedSkill[],
  numbers: readonly number[],
): Piece {
  const sequences = numbers.map(skill => segment.sequenceOf(skill))
  const starts = new Uint32Array(numbers.length + 1)
  for (const [index, { length }] of sequences.entries()) {
    starts[index + 1] = (starts[index] as number) + length
  }
  const codes = new Uint16Array(starts.at(-1) as number)
  for (const [index, sequence] of sequences.entries()) codes.set(sequence, starts[index])
  return writePiece(
    writeSections({
      line: writeColumn(numbers.map(skill => skills[skill]?.line ?? '')),
      name: writeColumn(numbers.map(skill => segment.names.get(skill))),
      mess: writeColumn(numbers.map(skill => segment.messagesOf(skill).join('\n'))),
      seqo: bytesOf(starts),
      seqs: bytesOf(codes),
      seqb: bytesOf(Uint16Array.from(numbers, skill => segment.headOf(skill))),
      ...vectorSections(segment, numbers),
    }),
  )
}

function vectorSections(
  { vectors }: Segment,
  numbers: readonly number[],
): Record<string, Uint8Array> {
  if (!vectors) return {}
  const { bytes, scales, dimensions } = vectors
  const vecs = new Int8Array(numbers.length * dimensions)
  for (const [index, skill] of numbers.entries()) {
    vecs.set(bytes.subarray(skill * dimensions, (skill + 1) * dimensions), index * dimensions)
  }
  return {
    vecs: bytesOf(vecs),
    vsca: bytesOf(Float32Array.from(numbers, skill => scales[skill] as number)),
  }
}

/** The centre of each file of rows, quantized as a vector. */
function centreSections(
  { vectors }: Segment,
  order: readonly number[],
): Record<string, Uint8Array> {
  if (!vectors) return {}
  const { bytes, scales, dimensions } = vectors
  const files = Math.ceil(order.length / ROWS)
  const vecs = new Int8Array(files * dimensions)
  const vsca = new Float32Array(files)
  const all = new Float32Array(ROWS * dimensions)
  for (let file = 0; file < files; file++) {
    const members = order.slice(file * ROWS, (file + 1) * ROWS)
    for (const [index, skill] of members.entries()) {
      for (let at = 0; at < dimensions; at++) {
        all[index * dimensions + at] =
          (bytes[skill * dimensions + at] as number) * (scales[skill] as number)
      }
    }
    const centre = centreOf(all, dimensions, [...members.keys()])
    vsca[file] = quantizeVector(centre, vecs.subarray(file * dimensions, (file + 1) * dimensions))
  }
  return { vecs: bytesOf(vecs), vsca: bytesOf(vsca) }
}

function digestBytes(pieces: readonly Piece[]): Uint8Array {
  return Uint8Array.from(
    pieces.flatMap(({ file }) => file.slice(0, 16).match(/../g) ?? []),
    hex => Number.parseInt(hex, 16),
  )
}
