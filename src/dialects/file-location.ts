import { SkillshelfError } from '../core/errors.js'
import type { AbortOptions } from '../library/types.js'
import type { Session } from '../session/types.js'
import type { SkillId } from '../skill/types.js'

/**
 * Which skill a path is of: the one whose folder it stands in, or for a bare path the one that was asked for last. Where the rest of the
 * path leads is for the library to check.
 * @throws SkillshelfError `resource-not-found`, `not-loaded`
 */
export async function locateFile(
  session: Session,
  file: string,
  { signal }: AbortOptions,
): Promise<{ skill: SkillId; path: string }> {
  if (!/^[\\/]|^[a-z][a-z\d+.-]*:/i.test(file)) {
    const { latest } = session
    if (latest) return { skill: latest.skill.id, path: file }
    throw new SkillshelfError('not-loaded', `${file} is relative to no skill: none was requested`, {
      subject: file,
      hint: 'request a skill first, or give the whole path',
    })
  }
  const slashed = `${file.replaceAll('\\', '/')}/`
  const open = session.open.map(({ skill: { id, path, root } }) => ({ id, path, root }))
  // Only those whose folder is in the path are looked at; the innermost comes first.
  const others = session.offered
    .filter(({ path }) => path === '' || slashed.includes(`/${path}/`))
    .map(({ id, path }) => ({ id, path, root: undefined }))
  const near = [...open, ...others].sort((a, b) => b.path.length - a.path.length)
  for (const { id, root } of near) {
    const folder = root ?? (await session.library.get(id, signal ? { signal } : {})).root
    const path = within(folder, file)
    if (path !== undefined) return { skill: id, path }
  }
  throw new SkillshelfError('resource-not-found', `Resource not found: ${file} is in no skill`, { subject: file })
}

/** What follows a folder in a path. Backslashes part names only where the folder has them. */
function within(folder: string, file: string): string | undefined {
  const slash = folder.includes('\\') ? (path: string) => path.replaceAll('\\', '/') : (path: string) => path
  const start = `${slash(folder)}/`
  const path = slash(file)
  return path.startsWith(start) ? path.slice(start.length) : undefined
}
