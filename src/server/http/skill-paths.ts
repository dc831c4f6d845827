import type { SkillLibrary } from '../../library/types.js'

/** An operation of one skill, and its path parameters. */
export interface SkillPath {
  operation: 'getSkill' | 'readFile' | 'archiveSkill'
  params: { skill: string; path?: string }
}

/**
 * Parses the path after `/v1/skills/`. Ids contain slashes, and many generated clients do not encode them, so the path is split where an id of
 * the library ends. If none does, it is split at the first segment that fits.
 * @param path Path without the prefix, as in the URL. An encoded slash is part of the id too.
 */
export function parseSkillPath(path: string, { snapshot }: SkillLibrary): SkillPath | undefined {
  if (path === '') return undefined
  const segments = path.split('/').map(decode)
  const candidates = segments.flatMap((_, index): SkillPath[] => {
    const skill = segments.slice(0, index + 1).join('/')
    const [operation, ...file] = segments.slice(index + 1)
    if (operation === undefined) return [{ operation: 'getSkill', params: { skill } }]
    if (operation === 'archive' && file.length === 0) return [{ operation: 'archiveSkill', params: { skill } }]
    if (operation === 'files' && file.length > 0)
      return [{ operation: 'readFile', params: { skill, path: file.join('/') } }]
    return []
  })
  const possible = new Set(candidates.map(({ params }) => params.skill))
  const ids = new Set(snapshot.skills.filter(({ id }) => possible.has(id)).map(({ id }) => id))
  return candidates.find(({ params }) => ids.has(params.skill)) ?? candidates[0]
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
