import type { SkillLibrary } from '../../library/types.js'
import type { EngineLibrary } from '../engine/engine-library.js'

/** A library in a search engine, whose snapshot may not have all skills. */
export function isEngineLibrary(library: SkillLibrary): library is EngineLibrary {
  return 'page' in library && 'count' in library
}

/** Skills that one answer lists. */
const MAX_LISTED = 20_000

export function countOf(library: SkillLibrary): number {
  return isEngineLibrary(library) ? library.count : library.snapshot.skills.length
}

/** Whether the snapshot lacks skills, or has too many for one answer. */
export function isPartlyListed(library: SkillLibrary): boolean {
  return countOf(library) > Math.min(library.snapshot.skills.length, MAX_LISTED)
}
