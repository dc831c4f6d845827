import { SkillshelfError } from './errors.js'

const MAX_LENGTH = 1_024
/** Limit of decoded variants of one path. Deeper encodings are refused. */
const MAX_VARIANTS = 16
/** Fast path for plain ASCII paths, which most are. */
const PLAIN = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
/** Overlong UTF-8 sequences, which old decoders read as ASCII, and the `%u` encoding of old servers. */
const OVERLONG = /%c[01]%[89ab]|%e0%[89]|%f0%8|%u[0-9a-f]{4}/i

/**
 * Validates and normalizes a relative path inside a skill's folder. `./` and repeated slashes are removed.
 *
 * Refused, also behind percent encoding of any depth and Unicode look-alikes: `..`, absolute paths, drive letters, URL schemes,
 * backslashes, control characters, empty paths, and paths over 1,024 characters.
 * @param path A relative path with forward slashes.
 * @throws SkillshelfError `invalid-path` if the path is not a string, leaves its folder or is malformed.
 * @example
 * ```ts
 * safePath('./scripts//run.py') // 'scripts/run.py'
 * safePath('%2e%2e/secret') // throws SkillshelfError with code 'invalid-path'
 * ```
 */
export function safePath(path: string): string {
  if (typeof path !== 'string') {
    throw new SkillshelfError('invalid-path', `\`path\` must be a string, but is ${typeof path}`)
  }
  if (PLAIN.test(path) && path.length <= MAX_LENGTH) return path
  // S1: no path leaves the folder of its skill.
  const problem = findProblem(path)
  if (problem) {
    throw new SkillshelfError(
      'invalid-path',
      `Invalid path ${JSON.stringify(path.slice(0, 200))}: it ${problem}`,
      {
        subject: path,
        hint: 'use a relative path inside the folder, with forward slashes',
      },
    )
  }
  return path
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .join('/')
}

/** As `safePath`, but returns `undefined` instead of throwing. */
export function trySafePath(path: string): string | undefined {
  try {
    return safePath(path)
  } catch {
    return undefined
  }
}

/** Joins a folder and a path in it. A folder of `''` is the root. Both must be safe paths. */
export function joinPath(folder: string, path: string): string {
  if (folder === '') return path
  return path === '' ? folder : `${folder}/${path}`
}

/** The inverse of `joinPath`: a path below `folder`, relative to it. */
export function relativePath(folder: string, path: string): string {
  return folder === '' ? path : path.slice(folder.length + 1)
}

/** The folder of a path, `''` for the root. */
export function dirname(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : path.slice(0, slash)
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Percent-encodes each part of a path for a URL. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** Decodes percent encoding; `undefined` if it is malformed. */
export function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function findProblem(path: string): string | undefined {
  if (path.length > MAX_LENGTH) {
    return `is longer than ${MAX_LENGTH.toLocaleString('en')} characters`
  }
  const variants = decodedVariants(path)
  return variants
    ? [...variants].map(problemOf).find(problem => problem !== undefined)
    : 'is encoded too many times'
}

/** The path and every form it takes where it is later decoded, normalized or stripped; `undefined` if there are too many. */
function decodedVariants(path: string): Set<string> | undefined {
  const variants = new Set([path])
  for (const variant of variants) {
    if (variants.size > MAX_VARIANTS) return undefined
    variants.add(percentDecode(variant))
    variants.add(variant.normalize('NFKC').replace(/[∕⁄⧸]/g, '/').replace(/[∖⧵]/g, '\\'))
    variants.add(variant.replace(INVISIBLE, ''))
  }
  return variants
}

/** Removes one layer of percent encoding. Bytes that are not UTF-8 become U+FFFD. */
function percentDecode(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, run => {
    const bytes = run
      .slice(1)
      .split('%')
      .map(hex => Number.parseInt(hex, 16))
    return new TextDecoder().decode(Uint8Array.from(bytes))
  })
}

function problemOf(path: string): string | undefined {
  const trimmed = path.trim()
  if (/\p{Cc}/u.test(path)) return 'contains a control character'
  if (/\p{Cs}/u.test(path)) return 'contains a lone surrogate'
  if (OVERLONG.test(path)) return 'contains an invalid percent encoding'
  if (path.includes('\\')) return 'contains a backslash'
  if (trimmed.startsWith('/')) return 'is absolute'
  if (/^[a-z]:/i.test(trimmed) || /^[a-z][a-z0-9+.-]*:\S/i.test(trimmed)) {
    return 'starts with a drive letter or scheme'
  }
  const parts = path.split('/')
  if (parts.some(part => /^\.{2,}$/.test(part.replace(/\s/g, '')))) return 'leaves its folder'
  if (parts.every(part => part === '' || part === '.')) return 'is empty'
  return undefined
}

/** Lists some of `total` paths or ids, and says how many more there are. */
export function listPaths(paths: readonly string[], total: number): string {
  const listed = paths.join(', ')
  return total > paths.length ? `${listed} and ${total - paths.length} more` : listed
}
