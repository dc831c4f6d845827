import { filesInFolder } from '../catalog/discover.js'
import { type KnownSkill, readTree } from '../catalog/read-tree.js'
import type { CatalogEntry, TreeSkill } from '../catalog/types.js'
import { digestOf, shortDigest } from '../core/digest.js'
import { SkillshelfError } from '../core/errors.js'
import { joinPath, relativePath } from '../core/paths.js'
import { estimateTokens } from '../core/tokens.js'
import type { SkillModel } from '../embed/types.js'
import { createSegmentBuilder } from '../segment/build.js'
import { mergeSegments } from '../segment/merge.js'
import { openSegment, type Segment } from '../segment/open.js'
import { decodeText } from '../skill/decode.js'
import { parseSkill } from '../skill/parse.js'
import type { FileInfo } from '../skill/types.js'
import type { Listable } from '../source/kinds.js'
import { modelDiagnostic } from './model-diagnostic.js'
import { openShelf } from './open-shelf.js'
import type { Piece, Shelf, ShelfOptions } from './shelf.js'

/** Segments are merged when there are more than this, or when a quarter of their skills are dead. */
const MAX_PIECES = 8
const MAX_DEAD = 0.25

interface Kept extends KnownSkill {
  /** Unknown while the skill is unread. */
  files?: readonly FileInfo[]
}

/** A tree of skill folders: every SKILL.md is parsed, and segments are built from what they say. */
export async function treeShelf(
  source: Listable,
  before: readonly Piece[],
  known: ReadonlyMap<string, Kept>,
  options: ShelfOptions,
  previous?: Shelf,
): Promise<Shelf> {
  const tree = await readTree(source, { ...options, summaries: true }, known)
  // What was empty, or a tree, when it was opened: skills have been installed since.
  if (previous && tree.packed) return openShelf(source, options)
  if (
    previous &&
    tree.changed.length === 0 &&
    tree.unchanged.length === known.size &&
    JSON.stringify(tree.diagnostics) === JSON.stringify(previous.diagnostics)
  )
    return previous
  const now = new Map<string, Kept>()
  for (const path of tree.unchanged) now.set(path, known.get(path) as Kept)
  for (const { entry, file, version, details } of tree.changed)
    now.set(entry.path, {
      path: entry.path,
      file,
      ...(version === undefined ? {} : { version }),
      entry,
      ...(entry.unread ? {} : { files: details.files }),
    })
  const diagnostics = [...tree.diagnostics]
  const embedder = await options.embedder
  try {
    for (const { entry, body } of tree.changed) await embedder?.prepare?.(`${entry.name} ${entry.description} ${body}`)
  } catch (error) {
    if (options.strict) throw error
    diagnostics.push(modelDiagnostic(error, 'a part of the bundled model'))
  }
  const same = new Set(tree.unchanged)
  const pieces = settle(
    before.map(piece => ({
      ...piece,
      dead: new Set([...piece.dead, ...piece.paths.flatMap((path, number) => (same.has(path) ? [] : [number]))]),
    })),
    tree.changed,
    embedder,
  )

  const entries = [...now.values()].map(({ entry }) => entry).sort((a, b) => (a.path < b.path ? -1 : 1))
  const filesOf = async (
    { file, files, path }: Kept,
    signal: AbortSignal | undefined,
  ): Promise<readonly FileInfo[]> => {
    if (files) return files
    const listing = await source.list({ folder: path, ...(signal ? { signal } : {}) })
    const failed = listing.find(one => one.path === file)?.unreadable
    if (failed !== undefined)
      throw new SkillshelfError('source-failed', `${file} cannot be read: ${failed}`, { subject: file })
    return filesInFolder(listing, path, file)
  }
  const shelf: Shelf = {
    source,
    entries,
    byPath: new Map(entries.map(entry => [entry.path, entry])),
    pieces,
    diagnostics,
    async open(entry, signal) {
      const kept = keptOf(now, entry)
      const { file } = kept
      const result = await source.read(file, signal ? { signal } : {})
      if (result === undefined || result === 'unchanged')
        throw new SkillshelfError('source-failed', `${file} is gone from ${source.name}`, {
          subject: file,
          hint: 'refresh the library',
        })
      const { countTokens = estimateTokens } = options
      const [parsed, files] = await Promise.all([
        parseSkill(result.bytes, { folder: entry.path, ...(options.strict ? { strict: true } : {}), countTokens }),
        filesOf(kept, signal),
      ])
      // Nobody could know before.
      if (entry.unread && parsed.metadata.enabled === false)
        throw new SkillshelfError('skill-not-found', `${file} says that the skill is disabled`, { subject: entry.path })
      const name = relativePath(entry.path, file)
      const digest = digestOf(result.bytes)
      return {
        digest,
        current: entry.unread ? result.version === kept.version : digest === entry.digest,
        ...(entry.unread ? { tokens: { ...entry.tokens, instructions: countTokens(parsed.body) } } : {}),
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
    async files(entry, signal) {
      const kept = keptOf(now, entry)
      return { file: relativePath(entry.path, kept.file), files: await filesOf(kept, signal) }
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
function settle(pieces: readonly Piece[], added: readonly TreeSkill[], embedder: SkillModel | undefined): Piece[] {
  const kept = pieces.filter(piece => piece.dead.size < piece.paths.length)
  if (added.length > 0) {
    const builder = createSegmentBuilder({ embedder })
    for (const { entry, details, body } of added) builder.add({ ...entry, whenToUse: details.metadata.whenToUse, body })
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
