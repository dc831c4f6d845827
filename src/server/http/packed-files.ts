import { digestOfLarge, shortDigest } from '../../core/digest.js'
import { isSkillshelfError } from '../../core/errors.js'
import { trySafePath } from '../../core/paths.js'
import { headersFor } from '../../library/store/publish/hosting-headers.js'
import type { SkillSource } from '../../source/source.js'
import { bytesResponse } from './responses.js'

/** Answers with a file of a packed library; `undefined` if the library has no such file. */
export async function packedFileResponse(
  source: Pick<SkillSource, 'read'>,
  request: Request,
  path: string,
  signal: AbortSignal,
): Promise<Response | undefined> {
  if (isHidden(path) || trySafePath(path) !== path) return undefined
  const file = await source.read(path, { signal }).catch(error => {
    // A symlink that leaves the folder is answered like a missing file.
    if (!isSkillshelfError(error, 'invalid-path')) throw error
  })
  if (typeof file !== 'object') return undefined
  const { bytes, version = '' } = file
  // The version of an HTTP source may be a date or a quoted ETag, which cannot be used as a tag here.
  const tag = /^[\w.-]+$/.test(version) ? version : shortDigest(await digestOfLarge(bytes))
  return bytesResponse(request, bytes, `"${tag}"`, hostingHeaders(path))
}

/** Headers that any static host should send with a packed file. */
export function hostingHeaders(path: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headersFor(path)).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Decoded path of a request without the leading slash; `undefined` if the encoding is invalid. */
export function decodedPath(request: Request): string | undefined {
  try {
    return decodeURIComponent(new URL(request.url).pathname.slice(1))
  } catch {
    return undefined
  }
}

/** Hidden files are not part of a library, except `.well-known/`, where skills name the files. */
function isHidden(path: string): boolean {
  const parts = path.replace(/(^|\/)\.well-known\/.*$/s, '$1').split('/')
  return parts.some(part => part.startsWith('.'))
}
