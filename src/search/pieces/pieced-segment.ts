import { readJsonSection, readSections, u16, u32 } from '../../core/byte-sections.js'
import { blockCount } from '../../core/front-coding.js'
import { isCount, isRecord } from '../../core/plain-data.js'
import { ANALYZER } from '../../core/text/analyze.js'
import { ascends, type Column, readColumn } from '../index/column.js'
import { byCodePoint, type Lexicon, openLexicon, type TermEntry } from '../index/lexicon.js'
import type { Segment } from '../index/open.js'
import { haveUnitLength, type Vectors } from '../index/vectors.js'
import { SCORING } from '../index/weights.js'
import { pieceFile, readPiece } from './piece-format.js'

/** Which pieces a library has. */
interface PieceList {
  skills: number
  /** Skills of a file of rows. */
  rows: number
  space: string | undefined
  dimensions: number
  /** The first term of each file of terms. */
  firstTerms: readonly string[]
  termFiles: readonly string[]
  rowFiles: readonly string[]
  /** The centre of each file of rows. */
  centres: Vectors | undefined
}

interface TermPiece {
  lexicon: Lexicon
  /** Where its postings are among those of all pieces that were added. */
  start: number
}

interface RowPiece {
  lines: Column
  names: Column
  messages: Column
  starts: Uint32Array
  codes: Uint16Array
  heads: Uint16Array
}

/** A segment of which some pieces are there. Ranking reads it as a whole one. */
export interface PiecedSegment {
  /** Terms and skills that are not there look as if they did not exist. */
  readonly segment: Segment
  /** The centre of each file of rows; `undefined` without vectors. */
  readonly centres: Vectors | undefined
  /** The files of terms that were looked for since the last call and are not there. */
  takeMissing(): string[]
  /** The files of rows that are not there, of these skills. */
  missingRows(skills: Iterable<number>): string[]
  /** The file of rows, by its number, if it is not there. */
  rowFile(number: number): string | undefined
  hasRow(skill: number): boolean
  /** The entry of a skill that is there, as JSON. */
  lineOf(skill: number): string
  /** Adds a piece by its name. `false` if its bytes are damaged. */
  add(file: string, bytes: Uint8Array): boolean
}

const EMPTY = new Uint16Array(0)

/** Opens the list of pieces; `undefined` if it is damaged, or of another version. */
export function openPieces(bytes: Uint8Array): PiecedSegment | undefined {
  const list = readList(bytes)
  return list && createSegment(list)
}

function createSegment(list: PieceList): PiecedSegment {
  const { skills, rows, space, dimensions, firstTerms, termFiles, rowFiles, centres } = list
  const termNumbers = new Map(termFiles.map((file, number) => [file, number]))
  const rowNumbers = new Map(rowFiles.map((file, number) => [file, number]))
  const terms = new Map<number, TermPiece>()
  const rowPieces = new Map<number, RowPiece>()
  let missing = new Set<number>()
  let postings = new Uint8Array(65_536)
  let used = 0
  const vectors =
    space === undefined
      ? undefined
      : {
          space,
          dimensions,
          bytes: new Int8Array(skills * dimensions),
          scales: new Float32Array(skills),
        }

  const pieceOf = (number: number): TermPiece | undefined => {
    const piece = terms.get(number)
    if (!piece) missing.add(number)
    return piece
  }
  const located = ({ lexicon: _, start }: TermPiece, entry: TermEntry): TermEntry => ({
    ...entry,
    start: start + entry.start,
    isSparse: true,
  })
  const lexicon: Lexicon = {
    find(term) {
      const number = lastNotAfter(firstTerms, term)
      const piece = number < 0 ? undefined : pieceOf(number)
      const entry = piece?.lexicon.find(term)
      return piece && entry && located(piece, entry)
    },
    findPrefix(prefix, maxExtra, each) {
      for (
        let number = Math.max(0, lastNotAfter(firstTerms, prefix));
        number < firstTerms.length;
        number++
      ) {
        const first = firstTerms[number] as string
        if (byCodePoint(first, prefix) > 0 && !first.startsWith(prefix)) return
        const piece = pieceOf(number)
        piece?.lexicon.findPrefix(prefix, maxExtra, (term, entry) =>
          each(term, located(piece, entry)),
        )
      }
    },
    *entries() {
      for (const piece of terms.values()) {
        for (const { term, ...entry } of piece.lexicon.entries()) {
          yield { term, ...located(piece, entry) }
        }
      }
    },
  }
  const rowOf = (skill: number): { piece: RowPiece; at: number } | undefined => {
    const piece = rowPieces.get(Math.floor(skill / rows))
    return piece && { piece, at: skill % rows }
  }
  const segment: Segment = {
    head: { analyzer: ANALYZER, scoring: SCORING, skills, terms: 0, postings: 0 },
    length: skills,
    size: 0,
    lexicon,
    names: {
      length: skills,
      get(skill) {
        const row = rowOf(skill)
        return row?.piece.names.get(row.at) ?? ''
      },
      startsWith: () => false,
    },
    get postings() {
      return postings
    },
    sequenceOf(skill) {
      const row = rowOf(skill)
      if (!row) return EMPTY
      const { starts, codes } = row.piece
      return codes.subarray(starts[row.at], starts[row.at + 1])
    },
    headOf(skill) {
      const row = rowOf(skill)
      return row?.piece.heads[row.at] ?? 0
    },
    messagesOf(skill) {
      const row = rowOf(skill)
      return row?.piece.messages.get(row.at).split('\n').filter(Boolean) ?? []
    },
    vectors,
    bytes: new Uint8Array(0),
  }

  const addTerms = (number: number, content: Uint8Array): boolean => {
    const sections = readSections(content)
    const head = readJsonSection(sections?.get('head'))
    const [lexi, lexb, post] = ['lexi', 'lexb', 'post'].map(tag => sections?.get(tag))
    if (!isRecord(head) || !isCount(head['terms']) || !lexi || !lexb || !post) return false
    const blocks = u32(lexb)
    if (blocks.length !== blockCount(head['terms']) * 2) return false
    if (used + post.length > postings.length) {
      const grown = new Uint8Array(Math.max(postings.length * 2, used + post.length))
      grown.set(postings)
      postings = grown
    }
    postings.set(post, used)
    terms.set(number, {
      lexicon: openLexicon(lexi, blocks, head['terms'], Math.max(skills, post.length)),
      start: used,
    })
    used += post.length
    return true
  }
  const addRows = (number: number, content: Uint8Array): boolean => {
    const length = Math.min(rows, skills - number * rows)
    const piece = readRows(content, length)
    if (!piece) return false
    if (vectors) {
      const { vecs, vsca } = piece
      if (vecs.length !== length * dimensions || vsca.length !== length) return false
      if (!haveUnitLength(vecs, vsca, dimensions)) return false
      vectors.bytes.set(vecs, number * rows * dimensions)
      vectors.scales.set(vsca, number * rows)
    }
    rowPieces.set(number, piece)
    return true
  }

  const rowFile = (number: number): string | undefined =>
    rowPieces.has(number) ? undefined : rowFiles[number]
  return {
    segment,
    centres,
    takeMissing() {
      const files = [...missing].map(number => termFiles[number] as string)
      missing = new Set()
      return files
    },
    missingRows(wanted) {
      const numbers = new Set(Array.from(wanted, skill => Math.floor(skill / rows)))
      return [...numbers].flatMap(number => rowFile(number) ?? [])
    },
    rowFile,
    hasRow: skill => rowPieces.has(Math.floor(skill / rows)),
    lineOf(skill) {
      const row = rowOf(skill)
      return row?.piece.lines.get(row.at) ?? ''
    },
    add(file, bytes) {
      const content = readPiece(bytes)
      if (!content) return false
      const term = termNumbers.get(file)
      if (term !== undefined) return addTerms(term, content)
      const row = rowNumbers.get(file)
      return row !== undefined && addRows(row, content)
    },
  }
}

function readList(bytes: Uint8Array): PieceList | undefined {
  const content = readPiece(bytes)
  const sections = content && readSections(content)
  const head = readJsonSection(sections?.get('head'))
  if (!sections || !isRecord(head)) return undefined
  const { analyzer, scoring, skills, rows, space, dimensions } = head
  if (analyzer !== ANALYZER || scoring !== SCORING || !isCount(skills) || !isCount(rows)) {
    return undefined
  }
  const firstTerms = new TextDecoder('utf-8', { ignoreBOM: true })
    .decode(sections.get('firs'))
    .split('\n')
    .filter(Boolean)
  const termFiles = readFiles(sections.get('tdig'))
  const rowFiles = readFiles(sections.get('rdig'))
  if (termFiles.length !== firstTerms.length || rowFiles.length !== Math.ceil(skills / rows)) {
    return undefined
  }
  const list = { skills, rows, firstTerms, termFiles, rowFiles }
  if (typeof space !== 'string' || !isCount(dimensions) || dimensions === 0) {
    return { ...list, space: undefined, dimensions: 0, centres: undefined }
  }
  const vecs = int8(sections.get('vecs'))
  const scales = float32(sections.get('vsca'))
  if (vecs.length !== rowFiles.length * dimensions || scales.length !== rowFiles.length) {
    return undefined
  }
  return { ...list, space, dimensions, centres: { space, dimensions, bytes: vecs, scales } }
}

function readRows(
  content: Uint8Array,
  length: number,
): (RowPiece & { vecs: Int8Array; vsca: Float32Array }) | undefined {
  const sections = readSections(content)
  const column = (tag: string): Column | undefined => {
    const bytes = sections?.get(tag)
    return bytes && readColumn(bytes)
  }
  const [lines, names, messages] = [column('line'), column('name'), column('mess')]
  const [seqo, seqs, seqb] = ['seqo', 'seqs', 'seqb'].map(tag => sections?.get(tag))
  if (!sections || !lines || !names || !messages || !seqo || !seqs || !seqb) return undefined
  if ([lines, names, messages].some(texts => texts.length !== length)) return undefined
  const starts = u32(seqo)
  const codes = u16(seqs)
  const heads = u16(seqb)
  if (starts.length !== length + 1 || heads.length !== length) return undefined
  if (!ascends(starts, codes.length)) return undefined
  const vecs = int8(sections.get('vecs'))
  const vsca = float32(sections.get('vsca'))
  return { lines, names, messages, starts, codes, heads, vecs, vsca }
}

function readFiles(digests: Uint8Array = new Uint8Array(0)): string[] {
  return Array.from({ length: digests.length >> 3 }, (_, number) =>
    pieceFile(
      Array.from(digests.subarray(number * 8, number * 8 + 8), byte =>
        byte.toString(16).padStart(2, '0'),
      ).join(''),
    ),
  )
}

function int8(bytes: Uint8Array = new Uint8Array(0)): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

function float32(bytes: Uint8Array = new Uint8Array(0)): Float32Array {
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
}

/** The last of some terms in order that is not after another one, or -1. */
function lastNotAfter(terms: readonly string[], term: string): number {
  let low = 0
  let high = terms.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (byCodePoint(terms[middle] as string, term) <= 0) low = middle + 1
    else high = middle - 1
  }
  return high
}
