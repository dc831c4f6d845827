import type { SkillId, SkillSummary } from '../../skill/types.js'

/** Where a file of a skill is, as a URI: `skill://origin/folder/file`. */
export function uriOf(id: SkillId, path: string): string {
  const parts = path === '' ? id.split('/') : [...id.split('/'), ...path.split('/')]
  return `skill://${parts.map(encodeURIComponent).join('/')}`
}

/** The skill whose file of this name a URI is. */
export function idOf(uri: string, file: string): SkillId | undefined {
  const parts = partsOf(uri)
  return parts?.at(-1) === file ? parts.slice(0, -1).join('/') : undefined
}

/** The innermost skill that a URI is in, and where: `''` for its folder. */
export function placeOf(uri: string, skills: readonly SkillSummary[]): { id: SkillId; path: string } | undefined {
  const parts = partsOf(uri) ?? []
  const ids = new Set(skills.map(({ id }) => id))
  for (let end = parts.length; end > 0; end--) {
    const id = parts.slice(0, end).join('/')
    if (ids.has(id)) return { id, path: parts.slice(end).join('/') }
  }
  return undefined
}

function partsOf(uri: string): string[] | undefined {
  try {
    const { protocol, host, pathname } = new URL(uri)
    const parts = [host, ...pathname.split('/').slice(1)].map(decodeURIComponent)
    // A slash in a part would be read as another part.
    return protocol === 'skill:' && !parts.some(part => part.includes('/')) ? parts : undefined
  } catch {
    return undefined
  }
}
