import type { ModelPart as Part } from '../../core/text/language/language.js'
import { type ModelFile, type ModelHead, type ModelStart, readModelPiece } from './format.js'
import { mayHave } from './term-filter.js'

/** The row of a term. */
export interface ModelRow {
  file: ModelFile
  row: number
}

/** Rows that are not loaded, so it is unknown whether the model has a term. */
export interface MissingRows {
  part: Part
  /** Number of the piece; `undefined` for the whole part. */
  piece: number | undefined
}

/** The rows of one part of a model, as far as they are loaded. */
export interface PartRows {
  readonly head: ModelHead
  /** The row of a term. `undefined`: the model does not have it. */
  find(term: string): ModelRow | MissingRows | undefined
}

/** A part of which a message loads the pieces that it needs. */
export interface PiecedRows extends PartRows {
  /** Name of a piece: its `shortDigest`. */
  digestOf(piece: number): string
  /** @throws SkillshelfError `format` for bytes that are not those of the piece */
  add(piece: number, bytes: Uint8Array): void
}

export function isMissing(found: ModelRow | MissingRows | undefined): found is MissingRows {
  return found !== undefined && 'part' in found
}

/** A part in one file. */
export function wholeRows(file: ModelFile): PartRows {
  return { head: file.head, find: term => findIn(file, term) }
}

/** A part in pieces, none of which is loaded. */
export function piecedRows(start: ModelStart): PiecedRows {
  const { head, firstTerms, filter } = start
  const pieces = new Map<number, ModelFile>()
  return {
    head,
    find(term) {
      const frequent = findIn(start, term)
      if (frequent) return frequent
      const piece = pieceOf(firstTerms, term)
      // -1: the term is before all pieces.
      if (piece < 0 || (filter && !mayHave(filter, term))) return undefined
      const file = pieces.get(piece)
      return file ? findIn(file, term) : { part: head.part, piece }
    },
    digestOf: piece => start.digests[piece] as string,
    add(piece, bytes) {
      pieces.set(piece, readModelPiece(bytes, head))
    },
  }
}

function findIn(file: ModelFile, term: string): ModelRow | undefined {
  const row = file.vocabulary.find(term)
  return row < 0 ? undefined : { file, row }
}

/** The last piece whose first term is not after a term, or -1. Terms are in UTF-16 order, as strings are compared. */
function pieceOf(firstTerms: readonly string[], term: string): number {
  let low = 0
  let high = firstTerms.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if ((firstTerms[middle] as string) <= term) low = middle + 1
    else high = middle - 1
  }
  return high
}
