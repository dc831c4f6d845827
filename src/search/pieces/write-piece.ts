import { deflate } from '../../core/deflate.js'
import { digestOf, shortDigest } from '../../core/digest.js'
import { type Piece, pieceFile } from './piece-format.js'

export function writePiece(content: Uint8Array): Piece {
  const bytes = deflate(content)
  return { file: pieceFile(shortDigest(digestOf(bytes))), bytes }
}
