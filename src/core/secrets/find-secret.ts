import { invalidInput, SkillshelfError } from '../errors.js'
import { safePath } from '../paths.js'
import { plainLine } from '../sanitize.js'
import { packedFiles } from './compressed.js'
import { encodedParts } from './encoded.js'
import { binaryKey, findOtherKey } from './other-keys.js'
import { type Found, findPrivateKey, MAX_BLOCK } from './private-keys.js'
import { secretFile } from './secret-files.js'
import { findToken } from './tokens.js'

/**
 * What must not leave: private keys, tokens and files of passwords.
 *
 * A file is one by its name, such as `.env`, or by what stands in it. To let one leave, name its path in `allow`.
 */

/** A file that must not leave. Never holds the secret itself. */
export interface Secret {
  path: string
  /** What it is: `a private key (PRIVATE KEY)`. */
  kind: string
  /** 1-based; absent in a binary file. */
  line?: number
}

/** Bytes of a file that are examined, and characters of it at a time. */
const MAX_BYTES = 64 * 1_048_576
const CHUNK = 4 * 1_048_576
/** Documents and tests, in which examples of secrets are expected. */
const DOCUMENT =
  /\.(?:md|mdx|markdown|rst|adoc|txt|html?|example|sample|template|tmpl|dist)$|\.(?:test|spec)\.[a-z]+$|(?:^|\/)(?:tests?|__tests__|fixtures?|mocks?)\//i
/** Secrets that a message lists. */
const MAX_LISTED = 10

/** Texts in base64 in base64, and archives in archives, that are examined. */
const MAX_DEPTH = 2

/** Examines a file, and what an archive or base64 in it holds. In time that grows with its size, up to 64 MiB. */
export function findSecret(path: string, bytes: Uint8Array): Secret | undefined {
  return findInFile(path, bytes, 0)
}

function findInFile(path: string, bytes: Uint8Array, depth: number): Secret | undefined {
  const binary = binaryKey(path, bytes)
  if (binary) return { path, kind: binary }
  // S6: what is larger is not examined to its end.
  const text = decode(bytes.subarray(0, MAX_BYTES))
  const named = secretFile(path, text.slice(0, CHUNK))
  if (named) return { path, ...named }
  const strict = DOCUMENT.test(path)
  for (let from = 0; from === 0 || from < text.length; from += CHUNK) {
    // A block that starts near the end of a part is whole in it.
    const part = text.length <= CHUNK ? text : text.slice(from, from + CHUNK + MAX_BLOCK)
    const found = findInText(part, strict)
    if (found) return { path, kind: found.kind, line: lineOf(text, from + found.at) }
  }
  return depth < MAX_DEPTH ? findInArchive(path, bytes, depth) : undefined
}

function findInText(text: string, strict: boolean, depth = 0): Found | undefined {
  const found =
    findPrivateKey(text, strict) ?? findOtherKey(text, strict) ?? findToken(text, strict)
  if (found || depth >= MAX_DEPTH) return found
  for (const { at, key, text: inner } of encodedParts(text)) {
    const kind = key ?? (inner && findInText(inner, strict, depth + 1)?.kind)
    if (kind) return { kind: `${kind.replace(/ in base64$/, '')} in base64`, at }
  }
  return undefined
}

function findInArchive(path: string, bytes: Uint8Array, depth: number): Secret | undefined {
  for (const { name, bytes: inner } of packedFiles(bytes)) {
    const secret = findInFile(name || path, inner, depth + 1)
    if (secret)
      return {
        path,
        kind: `${secret.kind}${name === '' ? '' : `, in ${plainLine(name)} of the archive`}`,
      }
  }
  return undefined
}

/** UTF-8, or UTF-16 by its mark or its NULs. */
function decode(bytes: Uint8Array): string {
  const [first, second, third, fourth] = bytes
  const isLittle =
    (first === 0xff && second === 0xfe) ||
    (first !== 0 && second === 0 && third !== 0 && fourth === 0)
  const isBig =
    (first === 0xfe && second === 0xff) ||
    (first === 0 && second !== 0 && third === 0 && fourth !== 0)
  return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8').decode(bytes)
}

function lineOf(text: string, at: number): number {
  let line = 1
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) {
    line++
  }
  return line
}

/** A predicate: true for a path that `allow` names, or that is in a folder of it. @throws SkillshelfError `invalid-input`, `invalid-path` */
export function allowedPaths(allow: readonly string[] = []): (path: string) => boolean {
  if (!Array.isArray(allow) || !allow.every(path => typeof path === 'string')) {
    throw invalidInput('"allow" must be an array of paths', "such as ['my-skill/.env']")
  }
  const paths = allow.map(path => safePath(path))
  return path => paths.some(one => path === one || path.startsWith(`${one}/`))
}

/** One line: `a/.env:1 is a file of environment variables`. */
export function secretLine({ path, line, kind }: Secret): string {
  const isWhole = line === undefined || kind.startsWith('a file')
  return `${plainLine(path)}${line === undefined ? '' : `:${line}`} ${isWhole ? 'is' : 'has'} ${kind}`
}

/** The error of files that must not leave. */
export function secretsError(secrets: readonly Secret[]): SkillshelfError {
  const sorted = [...secrets].sort((a, b) => (a.path < b.path ? -1 : 1))
  const listed = sorted.slice(0, MAX_LISTED).map(secretLine)
  const more = sorted.length > MAX_LISTED ? [`and ${sorted.length - MAX_LISTED} more`] : []
  return new SkillshelfError('invalid-input', `Secrets found: ${[...listed, ...more].join('; ')}`, {
    subject: sorted[0]?.path ?? '',
    hint: 'remove them, or name the files that are meant: `allow` in code, --allow on the command line',
  })
}
