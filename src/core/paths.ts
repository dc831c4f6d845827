import { SkillshelfError } from './errors.js'

const MAX_LENGTH = 1_024
/** What a path may turn into, at most: deeper encodings are refused unread. */
const MAX_FORMS = 16
/** What nobody can take for anything else; most paths are, and there are thousands. */
const plain = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
/** UTF-8 spelled longer than need be, which old decoders take for ASCII, and the %u encoding of old servers. */
const overlong = /%c[01]%[89ab]|%e0%[89]|%f0%8|%u[0-9a-f]{4}/i

/**
 * The one gate for paths: a path relative to a skill's folder (or a source's root), normalised, or an error.
 * `./` and doubled slashes are folded. Refused, also behind percent encoding (any depth) and Unicode look-alikes:
 * `..`, absolute paths, drive letters, schemes, backslashes, control characters, the empty path, over 1,024 characters.
 * @throws SkillshelfError `invalid-path`
 */
export function safePath(path: string): string {
  if (typeof path !== 'string') throw new SkillshelfError('invalid-path', `A path is a string, not ${typeof path}`)
  if (plain.test(path) && path.length <= MAX_LENGTH) return path
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

/** What `joinPath` was given as `path`: a path in `folder`, relative to it. */
export function relativePath(folder: string, path: string): string {
  return folder === '' ? path : path.slice(folder.length + 1)
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

/** The path itself and what it turns into where somebody decodes, folds or cleans it further down the line. */
function disguises(path: string): Set<string> | undefined {
  const forms = new Set([path])
  for (const form of forms) {
    if (forms.size > MAX_FORMS) return undefined
    forms.add(decoded(form))
    forms.add(form.normalize('NFKC').replace(/[∕⁄⧸]/g, '/').replace(/[∖⧵]/g, '\\'))
    forms.add(form.replace(invisible, ''))
  }
  return forms
}

/** Without one layer of percent encoding; bytes that are not UTF-8 become U+FFFD. */
function decoded(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, run => {
    const bytes = run
      .slice(1)
      .split('%')
      .map(hex => Number.parseInt(hex, 16))
    return new TextDecoder().decode(Uint8Array.from(bytes))
  })
}

function escapes(path: string): string | undefined {
  const bare = path.trim()
  if (/\p{Cc}/u.test(path)) return 'has a control character'
  if (/\p{Cs}/u.test(path)) return 'has half a character'
  if (overlong.test(path)) return 'has an encoding that is not UTF-8'
  if (path.includes('\\')) return 'has a backslash'
  if (bare.startsWith('/')) return 'is absolute'
  if (/^[a-z]:/i.test(bare) || /^[a-z][a-z0-9+.-]*:\S/i.test(bare)) return 'starts with a drive or a scheme'
  const parts = path.split('/')
  if (parts.some(part => /^\.{2,}$/.test(part.replace(/\s/g, '')))) return 'leaves its folder'
  if (parts.every(part => part === '' || part === '.')) return 'is empty'
  return undefined
}
