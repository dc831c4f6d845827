import { digestOfLarge, isDigest } from '../../core/digest.js'
import { SkillshelfError } from '../../core/errors.js'
import { isCount, isRecord, isStrings, parseJson } from '../../core/plain-data.js'
import { type Diagnostic, readDiagnostics } from '../../skill/diagnostics.js'
import type { ReadResult, SkillSource } from '../../source/source.js'
import { splitCatalog, withDigest } from './catalog-bytes.js'
import { digestIn, readPackedFile } from './packed-files.js'

/**
 * The `skillshelf.json` of a large library. It names a list of pieces, which a reader needs few of for a message, and the catalog of the whole
 * library, which is written as any other one. Both are named by digest, so the digest of this file, and its signature, cover all.
 *
 *     {"format":"skillshelf/1","digest":"sha256:…","pieced":{…},"name":"…","diagnostics":[…],"disabled":[…],"copies":[…]}
 */
export interface PiecedCatalog {
  /** Name of the source that was packed. */
  name: string
  /** Number of skills that are shown. */
  skills: number
  /** The list of the pieces: `files/<16 hex>.piece`. */
  list: string
  /** The catalog of the whole library: `files/<16 hex>.json`. */
  whole: string
  /** The digest that the whole catalog gives for itself. It changes with any entry. */
  content: string
  /** Problems of the source, and skills that were left out, the first 100. */
  diagnostics: readonly Diagnostic[]
  /** Folders of disabled skills, the first 100. */
  disabled: readonly string[]
  /** The folders of skills that have copies, each with those of its copies, the first 100. */
  copies: readonly (readonly string[])[]
}

const START = '"pieced":{'
const MAX_NAMED = 100
const LIST = /^files\/[0-9a-f]{16}\.piece$/
const WHOLE = /^files\/[0-9a-f]{16}\.json$/

export function writePiecedCatalog({
  name,
  diagnostics,
  disabled,
  copies,
  ...pieced
}: PiecedCatalog): Promise<Uint8Array<ArrayBuffer>> {
  const named = {
    diagnostics: diagnostics.slice(0, MAX_NAMED),
    disabled: disabled.slice(0, MAX_NAMED),
    copies: copies.slice(0, MAX_NAMED),
  }
  return withDigest(`${JSON.stringify({ pieced, name, ...named }).slice(1)}\n`)
}

/** Whether a catalog is that of a library in pieces. */
export function isPieced(bytes: Uint8Array<ArrayBuffer>): boolean {
  const content = splitCatalog(bytes)?.content.subarray(0, START.length)
  return content !== undefined && new TextDecoder().decode(content) === START
}

/**
 * Reads the catalog of a library in pieces.
 * @param subject The file and its source, for messages.
 * @returns `undefined` for another catalog
 * @throws SkillshelfError `format` if it is damaged, `source-failed` if it does not match its digest
 */
export async function readPiecedCatalog(
  bytes: Uint8Array<ArrayBuffer>,
  subject: string,
): Promise<PiecedCatalog | undefined> {
  const parts = isPieced(bytes) ? splitCatalog(bytes) : undefined
  if (!parts) return undefined
  if ((await digestOfLarge(parts.content)) !== parts.digest) {
    throw new SkillshelfError('source-failed', `${subject} does not match its digest`, {
      subject,
      hint: 'pack and upload again',
    })
  }
  const data = parseJson(`{${new TextDecoder().decode(parts.content)}`)
  const { pieced, name, diagnostics, disabled, copies } = isRecord(data) ? data : {}
  const { skills, list, whole, content } = isRecord(pieced) ? pieced : {}
  if (!isCount(skills) || !matches(list, LIST) || !matches(whole, WHOLE) || !matches(content)) {
    throw new SkillshelfError('format', `${subject} is not a catalog`, {
      subject,
      hint: 'pack the skills again',
    })
  }
  return {
    name: typeof name === 'string' ? name : '',
    skills,
    list,
    whole,
    content,
    diagnostics: readDiagnostics(diagnostics),
    disabled: isStrings(disabled) ? disabled : [],
    copies: Array.isArray(copies) ? copies.filter(isStrings) : [],
  }
}

function matches(value: unknown, pattern?: RegExp): value is string {
  return typeof value === 'string' && (pattern ? pattern.test(value) : isDigest(value))
}

/** A catalog as it was read, and what it says if it is that of a library in pieces. */
export interface WholeCatalog {
  /** The catalog of the whole library, with the version of the one that was read. */
  whole: ReadResult
  pieced: PiecedCatalog | undefined
}

/** Finds the catalog of the whole library: what was read, or what that names. @throws SkillshelfError as `readPiecedCatalog` and `readPackedFile` */
export async function wholeCatalog(
  source: SkillSource,
  found: ReadResult,
  subject: string,
  signal: AbortSignal | undefined,
): Promise<WholeCatalog> {
  const pieced = await readPiecedCatalog(found.bytes, subject)
  if (!pieced) return { whole: found, pieced }
  const bytes = await readPackedFile(source, pieced.whole, digestIn(pieced.whole), signal)
  const { version } = found
  return { whole: version === undefined ? { bytes } : { bytes, version }, pieced }
}
