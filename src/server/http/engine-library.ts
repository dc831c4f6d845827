import type { EngineLibrary } from '../../engine/engine-library.js'
import type { SkillLibrary } from '../../library/types.js'

/** A library in a search engine, whose snapshot may not have all skills. */
export function isEngineLibrary(library: SkillLibrary): library is EngineLibrary {
  return 'page' in library && 'count' in library
}

/** Whether the snapshot lacks skills. */
export function isPartlyListed(library: SkillLibrary): boolean {
  return isEngineLibrary(library) && library.count > library.snapshot.skills.length
}
