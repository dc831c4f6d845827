/**
 * The vectors of an encoder for the skills of a library in pieces: a file of vectors beside each file of rows, and a list of them. The list of
 * all pieces names this list only, so a reader without the encoder fetches none of it.
 *
 * | file | content |
 * |------|---------|
 * | list | `head`, JSON: `{ dimensions }`; `vdig`, the digests of the files of vectors in the order of those of rows, 8 bytes each |
 * | vectors | of the skills of a file of rows: see packed-vectors.ts |
 */
import {
  readJsonSection,
  readSections,
  writeJsonSection,
  writeSections,
} from '../../core/byte-sections.js'
import { isCount, isRecord } from '../../core/plain-data.js'
import {
  bytesIn,
  MAX_DIMENSIONS,
  type PackedVectors,
  readPackedVectors,
  scaleOf,
  writePackedVectors,
} from '../index/packed-vectors.js'
import type { Vectors } from '../index/vectors.js'
import { type Piece, readDigests, writeDigests } from './piece-format.js'
import type { EncoderHead } from './piece-list.js'
import type { EncoderPieces, PiecedSegment } from './pieced-segment.js'
import { writePiece } from './write-piece.js'

/** What all vectors of an encoder have in common. */
export type EncoderTraits = Omit<PackedVectors, 'skills'>

/**
 * @param clusters The vectors of the skills of each file of rows.
 * @returns The list, and all files with it.
 */
export function writeEncoderPieces(
  traits: EncoderTraits,
  clusters: readonly PackedVectors['skills'][],
): { list: Piece; files: Piece[] } {
  const vectors = clusters.map(skills => writePiece(writePackedVectors({ ...traits, skills })))
  const head = writeJsonSection({ dimensions: traits.dimensions })
  const vdig = writeDigests(vectors.map(({ file }) => file))
  const list = writePiece(writeSections({ head, vdig }))
  const files = new Map([...vectors, list].map(piece => [piece.file, piece]))
  return { list, files: [...files.values()] }
}

/** A list that was read. */
interface EncoderList {
  /** In the order of the files of rows. */
  files: readonly string[]
  vectors: Vectors
}

/** Opens the vectors of the encoder of pieces, once; `undefined` if there are none. Their list is added then, as other pieces are. */
export function openEncoderPieces(pieces: PiecedSegment): EncoderPieces | undefined {
  const { encoderHead } = pieces
  if (encoderHead) pieces.encoder ??= createEncoderPieces(pieces, encoderHead)
  return pieces.encoder
}

function createEncoderPieces(
  { rows, rowFiles, segment }: PiecedSegment,
  { space, list }: EncoderHead,
): EncoderPieces {
  const numbers = new Map(rowFiles.map((file, number) => [file, number]))
  /** By the number of a skill, of those whose vectors are read. */
  const keys = new Map<number, string | undefined>()
  let opened: EncoderList | undefined

  const openList = (content: Uint8Array): boolean => {
    const sections = readSections(content)
    const head = readJsonSection(sections?.get('head'))
    const files = readDigests(sections?.get('vdig') ?? new Uint8Array(0))
    if (!isRecord(head) || files.length !== rowFiles.length) return false
    const { dimensions } = head
    if (!isCount(dimensions) || dimensions > MAX_DIMENSIONS) return false
    opened ??= { files, vectors: emptyVectors({ space, dimensions }, segment.length) }
    return true
  }
  const addVectors = ({ files, vectors }: EncoderList, file: string, content: Uint8Array) => {
    const packed = readPackedVectors(content)
    if (packed?.space !== space || packed.dimensions !== vectors.dimensions) return false
    // Skills of equal texts have equal vectors: one file may be beside several files of rows.
    for (const [number, name] of files.entries()) {
      if (name !== file) continue
      const numbers = rows.skillsOf(rowFiles[number] as string)
      if (numbers.length !== packed.skills.length) return false
      for (const [at, skill] of numbers.entries()) {
        const one = packed.skills[at]
        keys.set(skill, one?.key)
        if (!one) continue
        vectors.bytes.set(bytesIn(one.vector), skill * vectors.dimensions)
        vectors.scales[skill] = scaleOf(one.vector)
      }
    }
    return true
  }
  return {
    space,
    list,
    get files() {
      return [list, ...(opened?.files ?? [])]
    },
    get vectors() {
      return opened?.vectors
    },
    beside: files => files.flatMap(file => opened?.files[numbers.get(file) ?? -1] ?? []),
    hasVector: skill => keys.has(skill),
    keyOf: skill => keys.get(skill),
    has: file => file === list || (opened?.files.includes(file) ?? false),
    add(file, content) {
      if (file === list) return openList(content)
      return opened !== undefined && addVectors(opened, file, content)
    },
  }
}

/** Vectors of skills that are not read are zeros, which are near to no message. */
function emptyVectors(
  { space, dimensions }: Pick<Vectors, 'space' | 'dimensions'>,
  skills: number,
): Vectors {
  const bytes = new Int8Array(skills * dimensions)
  return { space, dimensions, bytes, scales: new Float32Array(skills) }
}
