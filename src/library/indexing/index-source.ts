import { SkillshelfError } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import type { SkillSource } from '../../source/source.js'
import type { Located } from '../catalog/catalog-entry.js'
import { findCatalog } from '../catalog/find-catalog.js'
import { indexPacked } from './index-packed.js'
import type { IndexOptions, IndexSource, SourceIndex } from './source-index.js'

const loadTreeIndexer = onDemand(() => import('./index-tree.js'))

export const indexSource: IndexSource = async (source, options) =>
  indexLocated(await findCatalog(source, { signal: options.signal }), options)

/** Indexes a source of which is known how it holds its skills. */
export async function indexLocated(found: Located, options: IndexOptions): Promise<SourceIndex> {
  if (found.kind === 'packed') return indexPacked(found.source, found.catalog, options)
  // Keeps the parser and the segment builder out of pages that open packed libraries only.
  const { indexTree } = await loadTreeIndexer()
  return indexTree(found.source, options, indexSource)
}

/** A source that could not be read yet. A refresh tries again. */
export function emptyIndex(source: SkillSource): SourceIndex {
  // Never called, because the source has no entries.
  const notFound = (): never => {
    throw new SkillshelfError('skill-not-found', 'Skill not found')
  }
  return {
    source,
    entries: [],
    byPath: new Map(),
    contentOf: () => undefined,
    segments: [],
    diagnostics: [],
    open: notFound,
    files: notFound,
    locate: notFound,
    refresh: options => indexSource(source, options),
  }
}
