import { abortable } from '../../core/abort.js'
import { mapParallel } from '../../core/concurrency.js'
import { errorMessage, isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { MAX_LIST_BYTES, readPiece } from '../../search/pieces/piece-format.js'
import { openPieces, type PiecedSegment } from '../../search/pieces/pieced-segment.js'
import type { SkillSource } from '../../source/source.js'
import { digestIn, readPackedFile } from '../catalog/packed-files.js'
import { unreadablePiece } from '../catalog/unreadable-piece.js'

/** Reads at a time. Hosts with HTTP/2 answer them together. */
const PARALLEL_PIECES = 32
/** Bytes of pieces that are kept, inflated. An isolate has 128 MB. */
const MAX_KEPT = 32 * 1024 * 1024

/** The pieces of one revision, as far as they are read. */
export interface PiecesReader {
  readonly pieces: PiecedSegment
  /** Reads pieces that are not there yet. One that is being read for another message is waited for. */
  load(files: readonly string[], signal: AbortSignal | undefined): Promise<void>
  /** Whether so many pieces are kept that the next message begins without. */
  isFull(): boolean
}

/** @param list The content of the list of pieces. @throws SkillshelfError `format` if it cannot be read by this version */
export function createPiecesReader(
  source: SkillSource,
  file: string,
  list: Uint8Array,
): PiecesReader {
  const pieces = openPieces(list)
  if (!pieces) throw unreadablePiece(file, source)
  const read = new Set<string>()
  const loading = new Map<string, Promise<void>>()
  let kept = 0

  const readOne = async (file: string, signal: AbortSignal | undefined): Promise<void> => {
    const content = await readPieceFile(source, file, signal, file === pieces.encoder?.list)
    if (!pieces.add(file, content)) throw unreadablePiece(file, source)
    read.add(file)
    kept += content.length
  }
  const loadOne = async (file: string, signal: AbortSignal | undefined): Promise<void> => {
    for (let other = loading.get(file); other; other = loading.get(file)) {
      // If it fails or is aborted there, it is read again here.
      await abortable(
        other.catch(() => undefined),
        signal,
      )
    }
    if (read.has(file)) return
    const reading = readOne(file, signal)
    loading.set(file, reading)
    await reading.finally(() => loading.delete(file))
  }
  return {
    pieces,
    async load(files, signal) {
      const missing = [...new Set(files)].filter(file => !read.has(file))
      await mapParallel(missing, PARALLEL_PIECES, file => loadOne(file, signal))
    },
    isFull: () => kept > MAX_KEPT,
  }
}

/** Reads the content of a piece, or of a list of them. @throws SkillshelfError `source-failed`, `format`, about the piece */
export async function readPieceFile(
  source: SkillSource,
  file: string,
  signal: AbortSignal | undefined,
  isList = false,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readPackedFile(source, file, digestIn(file), signal).catch(error => {
    throw ofPiece(file, error)
  })
  const content = await readPiece(bytes, isList ? MAX_LIST_BYTES : undefined)
  if (!content) throw unreadablePiece(file, source)
  return content
}

/** The error of a piece that was not read: it names the piece, whatever the source says. */
function ofPiece(file: string, error: unknown): unknown {
  const isClear = isSkillshelfError(error) && error.details.subject === file
  if (isClear || isSkillshelfError(error, 'aborted')) return error
  return new SkillshelfError('source-failed', errorMessage(error), { subject: file }, error)
}
