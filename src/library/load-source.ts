import { SkillshelfError } from '../core/errors.js'
import { onDemand } from '../core/load-module.js'
import type { SkillSource } from '../source/source.js'
import { locate } from './catalog/locate.js'
import { loadPacked } from './loaded-packed.js'
import type { LoadedSource, LoadSource } from './loaded-source.js'

const loadTreeReader = onDemand(() => import('./loaded-tree.js'))

export const loadSource: LoadSource = async (source, options) => {
  const found = await locate(source, { signal: options.signal })
  if (found.kind === 'packed') return loadPacked(found.source, found.catalog, options)
  // Keeps the parser and the segment builder out of pages that open packed libraries only.
  const { loadTree } = await loadTreeReader()
  return loadTree(found.source, options, loadSource)
}

/** A source that could not be read yet. A refresh tries again. */
export function unloadedSource(source: SkillSource): LoadedSource {
  // Never called, because the source has no entries.
  const notFound = (): never => {
    throw new SkillshelfError('skill-not-found', 'Skill not found')
  }
  return {
    source,
    entries: [],
    byPath: new Map(),
    segments: [],
    diagnostics: [],
    open: notFound,
    files: notFound,
    locate: notFound,
    refresh: options => loadSource(source, options),
  }
}
