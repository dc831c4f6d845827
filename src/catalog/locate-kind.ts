import { SkillshelfError } from '../core/errors.js'
import { basename } from '../core/paths.js'
import { decodeText } from '../skill/decode.js'
import { isRecord } from '../skill/fields.js'
import { hasTarMark, kindOf } from '../source/archive/kind.js'
import type { FetchResult } from '../source/types.js'

/** What holds skills in one file. `index`: that of a skill site. */
export type FileKind =
  | { kind: 'archive' | 'index' | 'skill' }
  /** Text by path, as it is in the JSON. */
  | { kind: 'bundle'; files: Readonly<Record<string, unknown>> }

const BRACE = 0x7b
const LESS_THAN = 0x3c
/** How far a frontmatter is looked for, in bytes. */
const HEAD = 65_536
const FRONTMATTER = /^\s*---[ \t]*\r?\n([\s\S]*?\n)---[ \t]*(?:\r?\n|$)/

/**
 * What a file is, by its bytes, whatever its name and declared type; `undefined` where it holds no skills.
 * @throws SkillshelfError `unsupported` for another kind of archive, `format` for JSON that is none
 */
export function fileKindOf({ bytes, url, type }: FetchResult): FileKind | undefined {
  if (bytes.length === 0) return undefined
  const start = bytes.subarray(0, 512)
  const kind = kindOf(start)
  const path = url.replace(/[?#].*$/, '')
  if (kind !== 'tar' || hasTarMark(start) || /\.tar$/i.test(path)) return { kind: 'archive' }
  const first = firstByte(bytes)
  if (first === BRACE) return jsonKind(bytes, url, type === 'application/json' || /\.json$/i.test(path))
  return first !== LESS_THAN && isSkill(bytes, path) ? { kind: 'skill' } : undefined
}

/** Whether a file starts as a web page does. */
export function isPage({ bytes }: FetchResult): boolean {
  return firstByte(bytes) === LESS_THAN
}

/** A byte order mark is no content. */
function firstByte(bytes: Uint8Array): number | undefined {
  const from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  return bytes.subarray(from, HEAD).find(byte => byte > 0x20)
}

function jsonKind(bytes: Uint8Array, url: string, declared: boolean): FileKind | undefined {
  let data: unknown
  try {
    data = JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    if (!declared) return undefined
    throw new SkillshelfError('format', `${url} is not JSON`, { subject: url }, error)
  }
  if (!isRecord(data)) return undefined
  if (Array.isArray(data['skills']) || data['$schema'] !== undefined) return { kind: 'index' }
  const files = isRecord(data['files']) ? data['files'] : data
  const holdsSkill = Object.entries(files).some(
    ([path, text]) => typeof text === 'string' && basename(path).toLowerCase() === 'skill.md',
  )
  return holdsSkill ? { kind: 'bundle', files } : undefined
}

/** Anything by the name of SKILL.md; other Markdown with frontmatter; else what names itself there, as articles do not. */
function isSkill(bytes: Uint8Array, path: string): boolean {
  if (/\/skill\.md$/i.test(path)) return true
  const [, frontmatter] = FRONTMATTER.exec(decodeText(bytes.subarray(0, HEAD)).text) ?? []
  return frontmatter !== undefined && (/\.md$/i.test(path) || /^name[ \t]*:/m.test(frontmatter))
}
