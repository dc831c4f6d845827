import { openEncoderPieces } from '../../search/pieces/encoder-pieces.js'
import { MAX_LIST_BYTES, readPiece } from '../../search/pieces/piece-format.js'
import { openPieces } from '../../search/pieces/pieced-segment.js'
import type { SkillSource } from '../../source/source.js'
import { digestIn, readPackedFile } from './packed-files.js'
import type { PiecedCatalog } from './pieced-catalog.js'
import { unreadablePiece } from './unreadable-piece.js'

/** The files that the catalog of a library in pieces names: the whole catalog, the lists, and every piece. @throws `format` */
export async function filesOfPieces(
  source: SkillSource,
  { list, whole }: PiecedCatalog,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const read = async (file: string) =>
    readPiece(await readPackedFile(source, file, digestIn(file), signal), MAX_LIST_BYTES)
  const pieces = openPieces(await read(list))
  if (!pieces) throw unreadablePiece(list, source)
  const encoder = openEncoderPieces(pieces)
  const vectors = encoder && (await read(encoder.list))
  if (encoder && !(vectors && pieces.add(encoder.list, vectors))) {
    throw unreadablePiece(encoder.list, source)
  }
  return [whole, list, ...pieces.files]
}
