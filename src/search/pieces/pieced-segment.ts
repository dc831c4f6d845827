import { ANALYZER } from '../../core/text/analyze.js'
import type { Segment } from '../index/open.js'
import type { Vectors } from '../index/vectors.js'
import { SCORING } from '../index/weights.js'
import { type EncoderHead, readList } from './piece-list.js'
import { createRowPieces, type RowPieces } from './row-pieces.js'
import { createTermPieces, type TermPieces } from './term-pieces.js'

/** A segment of which some pieces are read. Ranking reads it as a whole one. */
export interface PiecedSegment {
  readonly segment: Segment
  readonly terms: Pick<TermPieces, 'lookUp'>
  readonly rows: Pick<RowPieces, 'hasRow' | 'lineOf' | 'fileOf' | 'skillsOf' | 'isRead'>
  /** All files of rows, in their order. */
  readonly rowFiles: readonly string[]
  /** Every file that the list names. Those that the list of the encoder names are among them once it is read. */
  readonly files: readonly string[]
  /** The centre of each file of rows; `undefined` without vectors. */
  readonly centres: Vectors | undefined
  /** `undefined` without vectors of an encoder. */
  readonly encoderHead: EncoderHead | undefined
  /** Set by `openEncoderPieces`, for readers with the encoder. */
  encoder: EncoderPieces | undefined
  /** Adds the content of a piece that the list names, as `readPiece` returns it. `false` if it is damaged. */
  add(file: string, content: Uint8Array): boolean
}

/** The vectors of an encoder, as far as they are read: see encoder-pieces.ts. */
export interface EncoderPieces {
  /** The encoder: see `Embedder.id`. */
  readonly space: string
  /** The list. It is added before the files that it names. */
  readonly list: string
  /** The list and, once it is read, the files that it names. */
  readonly files: readonly string[]
  /** The vectors of all skills, once the list is read: zeros for those that are not read. */
  readonly vectors: Vectors | undefined
  /** The files of vectors beside some files of rows; none before the list is read. */
  beside(rowFiles: readonly string[]): string[]
  hasVector(skill: number): boolean
  /** The key of the texts of a skill whose vector is read: see `PackedVectors`. */
  keyOf(skill: number): string | undefined
  has(file: string): boolean
  /** Adds a file. `false` if it is damaged. */
  add(file: string, content: Uint8Array): boolean
}

/**
 * Opens the list of pieces; `undefined` if it is damaged, or of another version.
 * @param content As `readPiece` returns it.
 */
export function openPieces(content: Uint8Array | undefined): PiecedSegment | undefined {
  const list = content && readList(content)
  if (!list) return undefined
  const { skills, termFiles, commonFiles, rowFiles, centres } = list
  const terms = createTermPieces(list)
  const rows = createRowPieces(list)
  const segment: Segment = {
    head: { analyzer: ANALYZER, scoring: SCORING, skills, terms: 0, postings: 0 },
    length: skills,
    size: 0,
    lexicon: terms.lexicon,
    get postings() {
      return terms.postings
    },
    ...rows.skills,
    get vectors() {
      return rows.skills.vectors
    },
    bytes: new Uint8Array(0),
  }
  const pieces: PiecedSegment = {
    segment,
    terms,
    rows,
    rowFiles,
    get files() {
      return [...termFiles, ...commonFiles, ...rowFiles, ...(pieces.encoder?.files ?? [])]
    },
    centres,
    encoderHead: list.encoder,
    encoder: undefined,
    add(file, content) {
      if (terms.has(file)) return terms.add(file, content)
      if (rows.has(file)) return rows.add(file, content)
      const { encoder } = pieces
      return encoder?.has(file) === true && encoder.add(file, content)
    },
  }
  return pieces
}
