import { bytesOf, writeJsonSection, writeSections } from '../../core/byte-sections.js'
import { ANALYZER } from '../../core/text/analyze.js'
import { SCORING } from '../index/weights.js'
import { type Piece, writeDigests } from './piece-format.js'
import type { ListHead, PieceList } from './piece-list.js'
import { writePiece } from './write-piece.js'

/** The content of a list, as it is written: see piece-list.ts. */
export interface ListParts extends Omit<PieceList, 'common' | 'space' | 'centres'> {
  common: { terms: number; lexi: Uint8Array; lexb: Uint32Array }
  /** Sections, as `writeCentres` makes them. */
  centres: Record<string, Uint8Array> | undefined
}

export function writeList(list: ListParts): Piece {
  const { skills, firstTerms, termFiles, common, commonStarts, commonFiles, centres } = list
  const versions = { analyzer: ANALYZER, scoring: SCORING }
  const head: ListHead = { ...versions, skills, common: common.terms, encoder: list.encoder }
  return writePiece(
    writeSections({
      head: writeJsonSection(head),
      firs: new TextEncoder().encode(firstTerms.join('\n')),
      tdig: writeDigests(termFiles),
      lexi: common.lexi,
      lexb: bytesOf(common.lexb),
      csta: bytesOf(commonStarts),
      cdig: writeDigests(commonFiles),
      rsta: bytesOf(list.rowStarts),
      rdig: writeDigests(list.rowFiles),
      ...centres,
    }),
  )
}
