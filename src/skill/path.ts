import { SkillshelfError } from './error.js'

const MAX_LENGTH = 1_024
const MAX_ENCODINGS = 5
const controlOrFormat = /[\p{Cc}\p{Cf}]/gu

/**
 * The one gate for paths: a path relative to a skill's folder (or a source's root), normalised, or an error.
 * `./` and doubled slashes are folded. Refused, also behind percent encoding (any depth) and Unicode look-alikes:
 * `..`, absolute paths, drive letters, backslashes, control characters, the empty path, over 1,024 characters.
 * @throws SkillshelfError `invalid-path`
 */
export function safePath(path: string): string {
  if (typeof path !== 'string') throw new SkillshelfError('invalid-path', `A path is a string, not ${typeof path}`)
  const reason = refusal(path)
  if (reason) {
    throw new SkillshelfError('invalid-path', `Path refused: ${JSON.stringify(path.slice(0, 200))} ${reason}`, {
      subject: path,
      hint: 'give a relative path inside the folder, with forward slashes',
    })
  }
  return path
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .join('/')
}

/** As `safePath`, with `undefined` in place of the error. */
export function trySafePath(path: string): string | undefined {
  try {
    return safePath(path)
  } catch {
    return undefined
  }
}

/** `folder` and `path` joined; a folder of `''` is the root. Both must be safe already. */
export function joinPath(folder: string, path: string): string {
  return folder === '' ? path : path === '' ? folder : `${folder}/${path}`
}

/** The folder a path stands in, `''` for the root. */
export function dirname(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : path.slice(0, slash)
}

/** The last part of a path. */
export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function refusal(path: string): string | undefined {
  if (path.length > MAX_LENGTH) return 'is too long'
  const forms = disguises(path)
  if (!forms) return 'is encoded too many times'
  for (const form of forms) {
    const reason = escapes(form)
    if (reason) return reason
  }
  return undefined
}

/** The path itself and what it turns into where somebody decodes or folds it further down the line. */
function disguises(path: string): string[] | undefined {
  const forms = [path]
  let decoded = path
  while (decoded.includes('%')) {
    let next: string
    try {
      next = decodeURIComponent(decoded)
    } catch {
      next = decoded.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    }
    if (next === decoded) break
    if (forms.length > MAX_ENCODINGS) return undefined
    forms.push(next)
    decoded = next
  }
  return forms.flatMap(form => {
    const folded = form
      .normalize('NFKC')
      .replace(/[∕⁄⧸]/g, '/')
      .replace(/[∖⧵﹨]/g, '\\')
    return [form, folded, folded.replace(controlOrFormat, '')]
  })
}

function escapes(path: string): string | undefined {
  if (/\p{Cc}/u.test(path)) return 'has a control character'
  if (path.includes('\\')) return 'has a backslash'
  if (path.startsWith('/')) return 'is absolute'
  if (/^[a-z]:/i.test(path) || /^[a-z][a-z0-9+.-]*:\//i.test(path)) return 'starts with a drive or a scheme'
  const parts = path.split('/')
  if (parts.some(part => part.trim() === '..')) return 'leaves its folder'
  if (parts.every(part => part === '' || part === '.')) return 'is empty'
  return undefined
}
