import { sameBytes } from '../../core/bytes.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { ReadResult, SkillSource } from '../../source/source.js'
import { readCurrent } from '../catalog/packed-files.js'
import { readPiecedCatalog } from '../catalog/pieced-catalog.js'
import type { PagedIndex } from '../paged/paged-index.js'
import { createPiecesIndex, type PiecesIndex, type PiecesParts } from './pieces-index.js'
import { readPieceFile } from './pieces-reader.js'

export interface OpenParts extends PiecesParts {
  /** The catalog that was read last. */
  latest: ReadResult
  /** The revision that is open. */
  opened: PiecesIndex | undefined
}

/** Cause of the error of a refresh that finds a library that is not in pieces any more. */
const NOT_PIECED = Symbol('not in pieces')

export function isNotPieced(error: unknown): boolean {
  return error instanceof SkillshelfError && error.cause === NOT_PIECED
}

/** Reads the list of pieces. `undefined`: the library is not in pieces. */
export async function readIndex(
  parts: OpenParts,
  found: ReadResult,
  signal: AbortSignal | undefined,
): Promise<PiecesIndex | undefined> {
  const { source } = parts
  parts.latest = found
  const read = async (): Promise<PiecesIndex | undefined> => {
    const { bytes, version } = parts.latest
    const catalog = await readPiecedCatalog(bytes, `${CATALOG_FILE} of ${source.name}`)
    if (!catalog) return undefined
    const list = await readPieceFile(source, catalog.list, signal, true)
    return createPiecesIndex(parts, { catalog, version, list })
  }
  return readCurrent(read, async () => {
    const next = await source.read(CATALOG_FILE, { signal })
    if (typeof next !== 'object' || sameBytes(next.bytes, parts.latest.bytes)) return false
    parts.latest = next
    return true
  })
}

/** A source whose first answer is a catalog that was read before: that of an offline copy is read once. */
export function startingWith(catalog: ReadResult, source: SkillSource): SkillSource {
  let isFirst = true
  const read: SkillSource['read'] = async (path, options) => {
    if (path !== CATALOG_FILE || !isFirst) return source.read(path, options)
    isFirst = false
    return catalog
  }
  return { ...source, read }
}

/** Reads the catalog again. `undefined`: it is the same. */
export async function readNext(
  parts: OpenParts,
  { version, revision }: PagedIndex,
  signal: AbortSignal | undefined,
): Promise<PagedIndex | undefined> {
  const { source } = parts
  const found = await source.read(CATALOG_FILE, { ifVersion: version, signal })
  if (found === 'unchanged') return undefined
  if (!found) {
    throw new SkillshelfError(
      'source-not-found',
      `${source.name} no longer has a ${CATALOG_FILE}`,
      {
        subject: source.name,
      },
    )
  }
  const next = await readIndex(parts, found, signal)
  if (!next) {
    throw new SkillshelfError(
      'unsupported',
      `${source.name} is not in pieces any more`,
      { subject: source.name },
      NOT_PIECED,
    )
  }
  if (next.revision === revision) return undefined
  parts.opened = next
  return next
}

/** Whether an error is that of a piece, or of the list of them. */
export function isOfPiece(error: unknown): boolean {
  return (
    isSkillshelfError(error, 'format', 'source-failed') &&
    String(error.details.subject).endsWith('.piece')
  )
}
