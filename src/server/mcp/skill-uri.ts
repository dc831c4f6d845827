import type { SkillId, SkillSummary } from '../../skill/types.js'

/** URI of a file of a skill: `skill://origin/folder/file`. An empty path gives the folder. */
export function skillUri(id: SkillId, path: string): string {
  const segments = path === '' ? id.split('/') : [...id.split('/'), ...path.split('/')]
  return `skill://${segments.map(encodeURIComponent).join('/')}`
}

/** Id of the skill if the URI ends with this file name. */
export function skillIdFromUri(uri: string, file: string): SkillId | undefined {
  const segments = uriSegments(uri)
  return segments?.at(-1) === file ? segments.slice(0, -1).join('/') : undefined
}

/** Innermost skill that contains the URI, with the path in its folder (`''` for the folder itself). */
export function resolveSkillUri(
  uri: string,
  skills: readonly SkillSummary[],
): { id: SkillId; path: string } | undefined {
  const segments = uriSegments(uri) ?? []
  const ids = new Set(skills.map(({ id }) => id))
  for (let end = segments.length; end > 0; end--) {
    const id = segments.slice(0, end).join('/')
    if (ids.has(id)) return { id, path: segments.slice(end).join('/') }
  }
  return undefined
}

function uriSegments(uri: string): string[] | undefined {
  try {
    const { protocol, host, pathname } = new URL(uri)
    const segments = [host, ...pathname.split('/').slice(1)].map(decodeURIComponent)
    // An encoded slash would read as a segment separator in the id.
    return protocol === 'skill:' && !segments.some(segment => segment.includes('/')) ? segments : undefined
  } catch {
    return undefined
  }
}
