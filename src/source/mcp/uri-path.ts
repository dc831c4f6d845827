/**
 * The parts of the path of a file of a server, decoded, with the authority first: `skill://team/tea/SKILL.md` is `team`, `tea`, `SKILL.md`.
 * @returns `undefined` for what is no URI with a path, or has an encoded slash, which would read as another path
 */
export function uriSegments(uri: string): string[] | undefined {
  try {
    const { host, pathname } = new URL(uri)
    const segments = [host, ...pathname.split('/').slice(1)].map(decodeURIComponent)
    return segments.some(segment => segment.includes('/')) ? undefined : segments
  } catch {
    return undefined
  }
}
