import { locate } from '../catalog/locate.js'
import type { CatalogEntry } from '../catalog/types.js'
import { errorMessage, isSkillshelfError, SkillshelfError } from '../core/errors.js'
import { rethrowCallbackError } from '../core/progress.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import type { SkillSource } from '../source/types.js'
import { packedShelf } from './packed-shelf.js'
import type { Shelf, ShelfOptions } from './shelf.js'

/** Finds out what stands at a source and reads it. */
export async function openShelf(source: SkillSource, options: ShelfOptions): Promise<Shelf> {
  const found = await locate(source, options.signal ? { signal: options.signal } : {})
  if (found.kind === 'packed') return packedShelf(found.source, found.catalog, undefined, options)
  // Parsing and building are loaded by those who need them: a page with a packed library does not.
  const { treeShelf } = await import('./tree-shelf.js')
  return treeShelf(found.source, [], new Map(), options)
}

/** What a source that could not be read says of itself. What a callback of the caller threw says nothing of it, and is thrown on. */
export function sourceDiagnostic(source: SkillSource, error: unknown): Diagnostic {
  rethrowCallbackError(error)
  const missing = isSkillshelfError(error, 'source-not-found')
  return {
    code: missing ? 'source-missing' : 'source-unreadable',
    severity: 'error',
    message: errorMessage(error),
    path: source.name,
  }
}

/** A source of which nothing could be read yet. A refresh tries again. */
export function emptyShelf(source: SkillSource): Shelf {
  const none = (entry: CatalogEntry): never => {
    throw new SkillshelfError('skill-not-found', `There is no skill at ${entry.path}`, { subject: entry.path })
  }
  return {
    source,
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
