import { CATALOG_FILE } from '../catalog/packed.js'
import type { TreeOptions } from '../catalog/tree.js'
import type { CatalogEntry } from '../catalog/types.js'
import type { Diagnostic } from '../skill/diagnostic.js'
import { isSkillshelfError, SkillshelfError } from '../skill/error.js'
import type { FileInfo, SkillDetails } from '../skill/types.js'
import type { SkillSource } from '../source/types.js'
import { packedShelf } from './packed-shelf.js'

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

/** Finds out what stands at a source and reads it: a packed library where there is a catalog, else a tree of skill folders. */
export async function openShelf(source: SkillSource, options: TreeOptions): Promise<Shelf> {
  const catalog = await source.read(CATALOG_FILE, options.signal ? { signal: options.signal } : {})
  if (catalog !== undefined && catalog !== 'unchanged') return packedShelf(source, catalog, undefined, options)
  if (isListable(source)) {
    // Parsing and building are loaded by those who need them: a page with a packed library does not.
    const { treeShelf } = await import('./tree-shelf.js')
    return treeShelf(source, [], new Map(), options)
  }
  throw new SkillshelfError('source-not-found', `${source.name} has no ${CATALOG_FILE}`, {
    subject: source.name,
    hint: 'run `npx skillshelf pack` on the folder of skills and serve what it writes',
  })
}

export type Listable = SkillSource & Required<Pick<SkillSource, 'list'>>

function isListable(source: SkillSource): source is Listable {
  return source.list !== undefined
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
