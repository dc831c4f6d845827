import { digestOfLarge, shortDigest } from '../../core/digest.js'
import { isSkillshelfError } from '../../core/errors.js'
import { trySafePath } from '../../core/paths.js'
import type { SkillSource } from '../../source/types.js'
import { headersFor } from '../../store/pack/hosting.js'
import { bytesAnswer } from './answer.js'

/** A file of a packed library with the headers that it should have; `undefined` where there is none of this path. */
export async function packedAnswer(
  source: Pick<SkillSource, 'read'>,
  request: Request,
  path: string,
  signal: AbortSignal,
): Promise<Response | undefined> {
  if (isHidden(path) || trySafePath(path) !== path) return undefined
  const file = await source.read(path, { signal }).catch(error => {
    // A link that leads out of the place is nobody's business.
    if (!isSkillshelfError(error, 'invalid-path')) throw error
  })
  if (typeof file !== 'object') return undefined
  const { bytes, version = '' } = file
  // Some are headers of where the file comes from, which are no tag: a date, or a tag in its quotes.
  const tag = /^[\w.-]+$/.test(version) ? version : shortDigest(await digestOfLarge(bytes))
  return bytesAnswer(request, bytes, `"${tag}"`, hostedHeaders(path))
}

/** The headers that any host should give a file of this path. */
export function hostedHeaders(path: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headersFor(path)).map(([name, value]) => [name.toLowerCase(), value]))
}

/** The path of the file that is asked for, decoded once; `undefined` where it cannot be. */
export function pathOf(request: Request): string | undefined {
  try {
    return decodeURIComponent(new URL(request.url).pathname.slice(1))
  } catch {
    return undefined
  }
}

/** Hidden files are none of the library's, but for the well-known ones; what stands further down in these is named by skills. */
function isHidden(path: string): boolean {
  const parts = path.replace(/(^|\/)\.well-known\/.*$/s, '$1').split('/')
  return parts.some(part => part.startsWith('.'))
}
