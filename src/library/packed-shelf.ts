import { readCatalog } from '../catalog/packed-catalog.js'
import { packedFile, readPackedDetails, readPackedFile } from '../catalog/packed-files.js'
import type { CatalogEntry } from '../catalog/types.js'
import { sameBytes } from '../core/bytes.js'
import { lazy, mapParallel } from '../core/concurrency.js'
import { digestOfLarge } from '../core/digest.js'
import { SkillshelfError } from '../core/errors.js'
import { openSegment } from '../segment/open.js'
import { decodeText } from '../skill/decode.js'
import { splitFrontmatter } from '../skill/frontmatter.js'
import type { SkillDetails } from '../skill/types.js'
import { CATALOG_FILE } from '../source/catalog-file.js'
import type { SkillSource } from '../source/types.js'
import type { Piece, Shelf, ShelfOptions } from './shelf.js'

const PARALLEL_READS = 6

/** A packed library: its catalog says what there is, its segments are read as they are. */
export async function packedShelf(
  source: SkillSource,
  { bytes, version }: { bytes: Uint8Array<ArrayBuffer>; version?: string | undefined },
  before: readonly Piece[] | undefined,
  options: ShelfOptions,
): Promise<Shelf> {
  const { signal, onProgress } = options
  // Runs beside the parsing.
  const stamp = digestOfLarge(bytes)
  const catalog = readCatalog(bytes, `${CATALOG_FILE} of ${source.name}`)
  const diagnostics = [...catalog.diagnostics]
  let next = 0
  const slices = catalog.segments.map(({ skills, dead }) => {
    const gone = new Set(dead)
    return Array.from({ length: skills }, (_, number) => (gone.has(number) ? undefined : catalog.paths[next++]))
  })
  const byPath = lazy(() => new Map(catalog.skills.map(entry => [entry.path, entry])))
  let done = 0
  const pieces = await mapParallel(catalog.segments, PARALLEL_READS, async ({ file, dead }, index): Promise<Piece> => {
    const paths = slices[index] as (string | undefined)[]
    const key = file.replace('.seg', '')
    const held = before?.find(piece => piece.key === key || piece.key === `${key}*`)
    let piece: Piece = {
      key: held?.key ?? key,
      bytes: held?.bytes ?? (await readPackedFile(source, file, key, signal)),
      paths: paths.map(path => path ?? ''),
      dead: new Set(dead),
    }
    const opened = openSegment(piece.bytes)
    const rebuilt = held ? held.key !== key : opened?.length !== paths.length
    if (rebuilt)
      diagnostics.push({
        code: 'segment-rebuilt',
        severity: 'warning',
        message: `${file} of ${source.name} was written by another version and was built again`,
        path: file,
        hint: 'pack the skills again',
      })
    if (rebuilt && !held) {
      const { rebuildSegment } = await import('./rebuild-segment.js')
      const entries = paths.map(path => (path === undefined ? undefined : byPath().get(path)))
      piece = { ...piece, key: `${key}*`, bytes: await rebuildSegment(source, entries, options) }
    }
    const embedder = await options.embedder
    if (embedder && !rebuilt && opened?.vectors?.space !== embedder.space)
      diagnostics.push({
        code: 'vectors-missing',
        severity: 'warning',
        message: `${file} of ${source.name} has no vectors of this model; its skills are found by words alone`,
        path: file,
        hint: 'pack the skills again, with the model that is used to open them',
      })
    onProgress?.(++done, catalog.segments.length)
    return piece
  })

  const details = (entry: CatalogEntry, at: AbortSignal | undefined): Promise<SkillDetails> =>
    readPackedDetails(source, entry, at)
  const shelf: Shelf = {
    source,
    get entries() {
      return catalog.skills
    },
    catalogDigest: await stamp,
    allEnabled: catalog.allEnabled,
    get byPath() {
      return byPath()
    },
    pieces,
    diagnostics,
    async open(entry, at) {
      const [found, content] = await Promise.all([
        details(entry, at),
        readPackedFile(source, packedFile(entry.digest, '.md'), entry.digest, at),
      ])
      const { text } = decodeText(content)
      return { digest: entry.digest, current: true, text, body: splitFrontmatter(text).body, details: found }
    },
    files: details,
    locate: (_, file) => ({ path: packedFile(file.digest as string, file.path), digest: file.digest as string }),
    async refresh(again) {
      const latest = await source.read(CATALOG_FILE, {
        ...(version ? { ifVersion: version } : {}),
        ...(again.signal ? { signal: again.signal } : {}),
      })
      if (latest === 'unchanged') return shelf
      if (latest === undefined)
        throw new SkillshelfError('source-not-found', `${source.name} has no ${CATALOG_FILE} any more`, {
          subject: source.name,
        })
      if (sameBytes(latest.bytes, bytes)) return shelf
      return packedShelf(source, latest, pieces, again)
    },
  }
  return shelf
}
