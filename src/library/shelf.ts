import { CATALOG_FILE, packedFile, readCatalog, readPackedDetails, readPackedFile } from '../catalog/packed.js'
import { type Known, readTree, type TreeOptions } from '../catalog/tree.js'
import type { CatalogEntry, TreeSkill } from '../catalog/types.js'
import { createSegmentBuilder, type SegmentDocument } from '../segment/build.js'
import { mergeSegments } from '../segment/merge.js'
import { openSegment, type Segment } from '../segment/open.js'
import { decodeText } from '../skill/decode.js'
import type { Diagnostic } from '../skill/diagnostic.js'
import { digestOf, shortDigest } from '../skill/digest.js'
import { isSkillshelfError, SkillshelfError } from '../skill/error.js'
import { splitFrontmatter } from '../skill/frontmatter.js'
import { parseSkill } from '../skill/parse.js'
import { joinPath } from '../skill/path.js'
import type { FileInfo, SkillDetails, SkillMetadata } from '../skill/types.js'
import { mapParallel } from '../source/parallel.js'
import type { SkillSource } from '../source/types.js'

/** A segment of a shelf. `paths` names its skills by number; a skill that was replaced or removed is dead. */
export interface Piece {
  key: string
  bytes: Uint8Array<ArrayBuffer>
  paths: readonly string[]
  dead: ReadonlySet<number>
}

/** What stands at one source: its skills and the segments that find them. Immutable; a refresh makes another. */
export interface Shelf {
  entries: readonly CatalogEntry[]
  byPath: ReadonlyMap<string, CatalogEntry>
  pieces: readonly Piece[]
  diagnostics: readonly Diagnostic[]
  /** The SKILL.md as text, and what else the skill consists of. */
  open(entry: CatalogEntry, signal?: AbortSignal): Promise<Opened>
  /** Files of a skill, without reading its SKILL.md where they are known. */
  files(entry: CatalogEntry, signal?: AbortSignal): Promise<{ file: string; files: readonly FileInfo[] }>
  /** Where the source keeps a file of a skill; `digest` where its bytes can be checked. */
  locate(entry: CatalogEntry, file: FileInfo): { path: string; digest?: string }
  /** Where the source itself has a folder or file; left out where its paths are not those of the skills, as in a packed library. */
  root?(path: string): string
  /** Looks again. The same shelf when nothing changed. */
  refresh(options: TreeOptions): Promise<Shelf>
}

/** A SKILL.md as it was read; `digest` is the catalog's unless the file changed since. */
export interface Opened {
  digest: string
  text: string
  body: string
  details: SkillDetails
}

/** Segments of a tree are merged when there are more than this, or when a quarter of its skills are dead. */
const MAX_PIECES = 8
const MAX_DEAD = 0.25
const PARALLEL_READS = 6

/** Finds out what stands at a source and reads it: a packed library where there is a catalog, else a tree of skill folders. */
export async function openShelf(source: SkillSource, options: TreeOptions): Promise<Shelf> {
  const catalog = await source.read(CATALOG_FILE, options.signal ? { signal: options.signal } : {})
  if (catalog !== undefined && catalog !== 'unchanged') return packedShelf(source, catalog, undefined, options)
  if (isListable(source)) return treeShelf(source, [], new Map(), options)
  throw new SkillshelfError('source-not-found', `${source.name} has no ${CATALOG_FILE}`, {
    subject: source.name,
    hint: 'run `npx skillshelf pack` on the folder of skills and serve what it writes',
  })
}

type Listable = SkillSource & Required<Pick<SkillSource, 'list'>>

function isListable(source: SkillSource): source is Listable {
  return source.list !== undefined
}

async function packedShelf(
  source: SkillSource,
  { bytes, version }: { bytes: Uint8Array<ArrayBuffer>; version?: string },
  before: readonly Piece[] | undefined,
  options: TreeOptions,
): Promise<Shelf> {
  const { signal, onProgress } = options
  const catalog = readCatalog(bytes, `${CATALOG_FILE} of ${source.name}`)
  const diagnostics = [...catalog.diagnostics]
  let next = 0
  const slices = catalog.segments.map(({ skills, dead }) => {
    const gone = new Set(dead)
    return Array.from({ length: skills }, (_, number) => (gone.has(number) ? undefined : catalog.skills[next++]))
  })
  let done = 0
  const pieces = await mapParallel(catalog.segments, PARALLEL_READS, async ({ file, dead }, index): Promise<Piece> => {
    const entries = slices[index] as (CatalogEntry | undefined)[]
    const key = file.replace('.seg', '')
    const held = before?.find(piece => piece.key === key || piece.key === `${key}*`)
    let piece: Piece = {
      key: held?.key ?? key,
      bytes: held?.bytes ?? (await readPackedFile(source, file, key, signal)),
      paths: entries.map(entry => entry?.path ?? ''),
      dead: new Set(dead),
    }
    const rebuilt = held ? held.key !== key : openSegment(piece.bytes)?.length !== entries.length
    if (rebuilt)
      diagnostics.push({
        code: 'segment-rebuilt',
        severity: 'warning',
        message: `${file} of ${source.name} was written by another version and was built again`,
        path: file,
        hint: 'pack the skills again',
      })
    if (rebuilt && !held) piece = { ...piece, key: `${key}*`, bytes: await rebuild(source, entries, signal) }
    onProgress?.(++done, catalog.segments.length)
    return piece
  })

  const details = (entry: CatalogEntry, at: AbortSignal | undefined): Promise<SkillDetails> =>
    readPackedDetails(source, entry, at)
  const shelf: Shelf = {
    entries: catalog.skills,
    byPath: new Map(catalog.skills.map(entry => [entry.path, entry])),
    pieces,
    diagnostics,
    async open(entry, at) {
      const [found, content] = await Promise.all([
        details(entry, at),
        readPackedFile(source, packedFile(entry.digest, '.md'), entry.digest, at),
      ])
      const { text } = decodeText(content)
      return { digest: entry.digest, text, body: splitFrontmatter(text).body, details: found }
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
      if (digestOf(latest.bytes) === digestOf(bytes)) return shelf
      return packedShelf(source, latest, pieces, again)
    },
  }
  return shelf
}

/** A segment made from the skills' own text, for one that this version cannot read. */
async function rebuild(
  source: SkillSource,
  entries: readonly (CatalogEntry | undefined)[],
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const parsed = await mapParallel(entries, PARALLEL_READS, async entry =>
    entry
      ? parseSkill(await readPackedFile(source, packedFile(entry.digest, '.md'), entry.digest, signal), {
          folder: entry.path,
        })
      : undefined,
  )
  const builder = createSegmentBuilder()
  for (const [index, entry] of entries.entries())
    builder.add(
      documentOf(entry ?? { name: '', description: '', tags: [] }, parsed[index]?.metadata, parsed[index]?.body),
    )
  return builder.finish()
}

/** What of a skill is searched. */
function documentOf(
  { name, displayName, description, tags }: Pick<CatalogEntry, 'name' | 'displayName' | 'description' | 'tags'>,
  metadata: Pick<SkillMetadata, 'whenToUse'> | undefined,
  body = '',
): SegmentDocument {
  return {
    name,
    ...(displayName === undefined ? {} : { displayName }),
    description,
    ...(metadata?.whenToUse === undefined ? {} : { whenToUse: metadata.whenToUse }),
    tags,
    body,
  }
}

interface Kept extends Known {
  files: readonly FileInfo[]
}

async function treeShelf(
  source: Listable,
  before: readonly Piece[],
  known: ReadonlyMap<string, Kept>,
  options: TreeOptions,
  previous?: Shelf,
): Promise<Shelf> {
  const tree = await readTree(source, options, known)
  if (
    previous &&
    tree.read.length === 0 &&
    tree.same.length === known.size &&
    JSON.stringify(tree.diagnostics) === JSON.stringify(previous.diagnostics)
  )
    return previous
  const now = new Map<string, Kept>()
  for (const path of tree.same) now.set(path, known.get(path) as Kept)
  for (const { entry, file, version, details } of tree.read)
    now.set(entry.path, {
      path: entry.path,
      file,
      ...(version === undefined ? {} : { version }),
      entry,
      files: details.files,
      diagnostics: details.diagnostics,
    })
  const same = new Set(tree.same)
  const pieces = settle(
    before.map(piece => ({
      ...piece,
      dead: new Set([...piece.dead, ...piece.paths.flatMap((path, number) => (same.has(path) ? [] : [number]))]),
    })),
    tree.read,
  )

  const entries = [...now.values()].map(({ entry }) => entry).sort((a, b) => (a.path < b.path ? -1 : 1))
  const shelf: Shelf = {
    entries,
    byPath: new Map(entries.map(entry => [entry.path, entry])),
    pieces,
    diagnostics: tree.diagnostics,
    async open(entry, signal) {
      const { file, files } = keptOf(now, entry)
      const result = await source.read(file, signal ? { signal } : {})
      if (result === undefined || result === 'unchanged')
        throw new SkillshelfError('source-failed', `${file} is gone from ${source.name}`, {
          subject: file,
          hint: 'refresh the library',
        })
      const parsed = await parseSkill(result.bytes, {
        folder: entry.path,
        ...(options.strict ? { strict: true } : {}),
        ...(options.countTokens ? { countTokens: options.countTokens } : {}),
      })
      const name = file.slice(entry.path === '' ? 0 : entry.path.length + 1)
      return {
        digest: digestOf(result.bytes),
        text: decodeText(result.bytes).text,
        body: parsed.body,
        details: {
          metadata: parsed.metadata,
          frontmatter: parsed.frontmatter,
          file: name,
          files,
          diagnostics: parsed.diagnostics.map(one => ({ ...one, path: file })),
        },
      }
    },
    async files(entry) {
      const { file, files } = keptOf(now, entry)
      return { file: file.slice(entry.path === '' ? 0 : entry.path.length + 1), files }
    },
    locate: (entry, { path }) => ({ path: joinPath(entry.path, path) }),
    ...(source.root ? { root: (path: string) => source.root?.(path) as string } : {}),
    refresh: again => treeShelf(source, pieces, now, { ...options, ...again }, shelf),
  }
  return shelf
}

function keptOf(known: ReadonlyMap<string, Kept>, entry: CatalogEntry): Kept {
  const kept = known.get(entry.path)
  if (!kept) throw new SkillshelfError('skill-not-found', `There is no skill at ${entry.path}`, { subject: entry.path })
  return kept
}

/** The segments of a tree after a change: a small new one for what is new, all merged into one where they have become many or hollow. */
function settle(pieces: readonly Piece[], added: readonly TreeSkill[]): Piece[] {
  const kept = pieces.filter(piece => piece.dead.size < piece.paths.length)
  if (added.length > 0) {
    const builder = createSegmentBuilder()
    for (const { entry, details, body } of added) builder.add(documentOf(entry, details.metadata, body))
    kept.push(
      pieceOf(
        builder.finish(),
        added.map(({ entry }) => entry.path),
      ),
    )
  }
  const total = kept.reduce((sum, { paths }) => sum + paths.length, 0)
  const dead = kept.reduce((sum, piece) => sum + piece.dead.size, 0)
  if (kept.length <= MAX_PIECES && dead <= total * MAX_DEAD) return kept
  const parts = kept.map(piece => ({ segment: openSegment(piece.bytes) as Segment, dead: piece.dead }))
  return [
    pieceOf(
      mergeSegments(parts),
      kept.flatMap(piece => piece.paths.filter((_, number) => !piece.dead.has(number))),
    ),
  ]
}

function pieceOf(bytes: Uint8Array<ArrayBuffer>, paths: readonly string[]): Piece {
  return { key: shortDigest(digestOf(bytes)), bytes, paths, dead: new Set() }
}

/** What a source that could not be read says of itself. */
export function sourceDiagnostic(source: SkillSource, error: unknown): Diagnostic {
  const missing = isSkillshelfError(error, 'source-not-found')
  return {
    code: missing ? 'source-missing' : 'source-unreadable',
    severity: 'error',
    message: error instanceof Error ? error.message : String(error),
    path: source.name,
  }
}

/** A source of which nothing could be read yet. A refresh tries again. */
export function emptyShelf(source: SkillSource): Shelf {
  const none = (entry: CatalogEntry): never => {
    throw new SkillshelfError('skill-not-found', `There is no skill at ${entry.path}`, { subject: entry.path })
  }
  return {
    entries: [],
    byPath: new Map(),
    pieces: [],
    diagnostics: [],
    open: none,
    files: none,
    locate: none,
    refresh: options => openShelf(source, options),
  }
}
