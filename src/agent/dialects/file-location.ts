import type { AbortOptions } from '../../core/abort.js'
import { SkillshelfError } from '../../core/errors.js'
import type { SkillId } from '../../skill/skill.js'
import type { Session } from '../session/types.js'

/**
 * Finds the skill of a file path: for a full path the skill whose folder contains it, for a relative path the skill requested
 * last. The library checks the rest of the path when it reads the file.
 * @throws SkillshelfError `resource-not-found`, `not-loaded`
 */
export async function locateFile(
  session: Session,
  file: string,
  { signal }: AbortOptions,
): Promise<{ skill: SkillId; path: string }> {
  const isFullPath = /^[\\/]|^[a-z][a-z\d+.-]*:/i.test(file)
  if (!isFullPath) {
    const { latest } = session
    if (latest) return { skill: latest.skill.id, path: file }
    throw new SkillshelfError('not-loaded', `No skill was requested, so the relative path ${file} cannot be resolved`, {
      subject: file,
      hint: 'request a skill first, or pass the full path',
    })
  }
  const withSlashes = `${file.replaceAll('\\', '/')}/`
  const open = session.open.map(({ skill: { id, path, root } }) => ({ id, path, root }))
  // Reading the root of a skill can be a request, so skills whose folder is not in the path are skipped.
  const others = session.offered
    .filter(({ path }) => path === '' || withSlashes.includes(`/${path}/`))
    .map(({ id, path }) => ({ id, path, root: undefined }))
  const innermostFirst = [...open, ...others].sort((a, b) => b.path.length - a.path.length)
  for (const { id, root } of innermostFirst) {
    const folder = root ?? (await session.library.get(id, { signal })).root
    const path = pathInFolder(folder, file)
    if (path !== undefined) return { skill: id, path }
  }
  throw new SkillshelfError('resource-not-found', `Resource not found: ${file} is in no skill`, { subject: file })
}

/** Backslashes are separators only in folders that contain them. */
function pathInFolder(folder: string, file: string): string | undefined {
  const normalize = (path: string): string => (folder.includes('\\') ? path.replaceAll('\\', '/') : path)
  const prefix = `${normalize(folder)}/`
  const path = normalize(file)
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined
}
