import { openEncoderPieces } from '../../search/pieces/encoder-pieces.js'
import { openPieces } from '../../search/pieces/pieced-segment.js'
import type { SkillSource } from '../../source/source.js'
import { readPackedFile } from './packed-files.js'
import { digestIn, type PiecedCatalog } from './pieced-catalog.js'
import { unreadablePiece } from './unreadable-piece.js'

/** The files that the catalog of a library in pieces names: the whole catalog, the lists, and every piece. @throws `format` */
export async function filesOfPieces(
  source: SkillSource,
  { list, whole }: PiecedCatalog,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const read = (file: string) => readPackedFile(source, file, digestIn(file), signal)
  const pieces = openPieces(await read(list))
  if (!pieces) throw unreadablePiece(list, source)
  const encoder = openEncoderPieces(pieces)
  if (encoder && !pieces.add(encoder.list, await read(encoder.list))) {
    throw unreadablePiece(encoder.list, source)
  }
  return [whole, list, ...pieces.files]
}
