import { basename, dirname, encodePath, joinPath } from '../../core/paths.js'
import type { LibrarySnapshot } from '../../library/catalog/catalog-entry.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import { isSpecName } from '../../skill/specification.js'
import { uriSegments } from '../../source/mcp/uri-path.js'

/** The URIs of the skills of a snapshot. */
export interface SkillUris {
  /** URI of a file of a skill: `skill://origin/folder/file`. An empty path gives the folder. */
  uriOf(id: SkillId, path: string): string
  /** Innermost skill that contains the URI, with the path in its folder (`''` for the folder itself). */
  find(uri: string): { id: SkillId; path: string } | undefined
}

const cache = new WeakMap<LibrarySnapshot, SkillUris>()

/**
 * Assigns a URI to each skill. The Skills extension requires that the last folder of the URI is the skill's name, so a skill whose folder has
 * another name is served in a folder `name` below it. Such a URI never collides: everything below the folder of a skill belongs to the skill.
 */
export function skillUris(snapshot: LibrarySnapshot): SkillUris {
  const uris = cache.get(snapshot) ?? createUris(snapshot)
  cache.set(snapshot, uris)
  return uris
}

function createUris({ skills }: LibrarySnapshot): SkillUris {
  const byId = new Map(skills.map(skill => [skill.id, skill]))
  const folders = new Map<SkillId, string>()
  const folderOf = (skill: SkillSummary): string => {
    const { id, name } = skill
    const known = folders.get(id)
    if (known !== undefined) return known
    const outer = outerSkill(skill, byId)
    const inside = outer ? folderOf(outer) + id.slice(outer.id.length) : id
    const folder = isSpecName(name) && basename(inside) !== name ? `${inside}/${name}` : inside
    folders.set(id, folder)
    return folder
  }
  const ids = new Map(skills.map(skill => [folderOf(skill), skill.id]))
  return {
    uriOf: (id, path) => `skill://${encodePath(joinPath(folders.get(id) ?? id, path))}`,
    find(uri) {
      const segments = (/^skill:/i.test(uri) && uriSegments(uri)) || []
      for (let end = segments.length; end > 0; end--) {
        const folder = segments.slice(0, end).join('/')
        // Tool results name files by the id of their skill.
        const id = ids.get(folder) ?? byId.get(folder)?.id
        if (id !== undefined) return { id, path: segments.slice(end).join('/') }
      }
      return undefined
    },
  }
}

/** Innermost skill whose folder contains the skill. */
function outerSkill({ id, path, origin }: SkillSummary, byId: ReadonlyMap<SkillId, SkillSummary>) {
  let folder = path
  let outerId = id
  while (folder !== '') {
    folder = dirname(folder)
    outerId = dirname(outerId)
    const outer = byId.get(outerId)
    if (outer?.origin === origin) return outer
  }
  return undefined
}
