import { SkillshelfError } from '../../core/errors.js'
import { MAX_LIST_BYTES, readPiece } from '../../search/pieces/piece-format.js'
import { openPieces } from '../../search/pieces/pieced-segment.js'
import type { SkillSource } from '../../source/source.js'
import { readPackedFile } from './packed-files.js'
import { digestIn, type PiecedCatalog } from './pieced-catalog.js'

/** The files that the catalog of a library in pieces names: the whole catalog, the list, and every piece. @throws `format` */
export async function filesOfPieces(
  source: SkillSource,
  { list, whole }: PiecedCatalog,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const bytes = await readPackedFile(source, list, digestIn(list), signal)
  const pieces = openPieces(await readPiece(bytes, MAX_LIST_BYTES))
  if (!pieces) throw unreadablePiece(list, source)
  return [whole, list, ...pieces.files]
}

/** The error of a piece whose bytes are as they were published, and damaged or of another version. */
export function unreadablePiece(file: string, { name }: SkillSource): SkillshelfError {
  return new SkillshelfError('format', `${file} of ${name} cannot be read by this version`, {
    subject: file,
    hint: 'pack the skills again',
  })
}
