/**
 * A library in pieces: one segment, cut into files of which a message needs a few.
 *
 * The skills are in the order of their clusters (see clusters.ts), so that skills of one meaning are in one file, and the postings of a word
 * are near each other. Every file is deflated, because static hosts compress texts only, and named by the digest of the deflated bytes.
 *
 * | file | content |
 * |------|---------|
 * | list | what all others are: the first term of each file of terms, the centre of each file of rows, and their digests |
 * | terms | a run of the terms in code point order, with their postings |
 * | rows | a run of the skills: the entry of lists, and what ranking needs |
 *
 * A reader that has all of them has the segment.
 */
import { deflateSync, inflateSync } from 'fflate'
import { digestOf, shortDigest } from '../../core/digest.js'

/** Skills of a file of rows. */
export const ROWS = 32
/** Bytes of a file of terms before it is deflated, about. */
export const TERM_BYTES = 16_384
/** Bytes of any file before it is deflated, at most. */
const MAX_BYTES = 16_777_216
/** Bytes that precede the deflated ones: u32, the number of bytes inflated. */
const HEADER = 4

export interface Piece {
  /** `<16 hex>.piece` */
  file: string
  bytes: Uint8Array<ArrayBuffer>
}

export function pieceFile(digest: string): string {
  return `${digest}.piece`
}

export function writePiece(content: Uint8Array): Piece {
  const deflated = deflateSync(content, { level: 9 })
  const bytes = new Uint8Array(HEADER + deflated.length)
  new DataView(bytes.buffer).setUint32(0, content.length, true)
  bytes.set(deflated, HEADER)
  return { file: pieceFile(shortDigest(digestOf(bytes))), bytes }
}

/** Inflates a piece; `undefined` if it is damaged. It never takes more memory than a piece may. */
export function readPiece(bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  if (bytes.length < HEADER) return undefined
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  if (size > MAX_BYTES) return undefined
  try {
    const content = inflateSync(bytes.subarray(HEADER), { out: new Uint8Array(size) })
    // A view would not be aligned to what follows.
    return content.length === size ? new Uint8Array(content) : undefined
  } catch {
    return undefined
  }
}
