import { concatBytes } from '../../core/bytes.js'
import { lazy } from '../../core/concurrency.js'
import { digestOfLarge, isDigest, shortDigest } from '../../core/digest.js'
import { SkillshelfError } from '../../core/errors.js'
import { trySafePath } from '../../core/paths.js'
import { isCount, isRecord, isStrings, parseJson } from '../../core/plain-data.js'
import type { VectorsFile } from '../../search/index/packed-vectors.js'
import { type Diagnostic, readDiagnostics } from '../../skill/diagnostics.js'
import { limitPaths } from '../../skill/paths.js'
import type { CatalogEntry } from './catalog-entry.js'
import { CATALOG_FIELDS, type FieldType } from './summary-fields.js'

export const CATALOG_FORMAT = 'skillshelf/1'

const DIGEST_LENGTH = 'sha256:'.length + 64
const DIGEST_START = `{"format":"${CATALOG_FORMAT}","digest":"`
/** Where the signatures start, or the content, which the digest covers. */
const DIGEST_END = DIGEST_START.length + DIGEST_LENGTH + '",'.length
const SIGNATURE = String.raw`\{"key":"[0-9a-f]{16}","signature":"[A-Za-z0-9+/]{86}=="\}`
/** Signatures of the digest, at most 8. docs/trust.md describes them. */
const SIGNED = new RegExp(
  String.raw`^"signed":(\{"revision":(?:0|[1-9]\d{0,14}),(?:"expires":[1-9]\d{0,14},)?"signatures":\[(?:${SIGNATURE},){0,7}${SIGNATURE}\]\})( ?),`,
)
/** Bytes of the longest signatures. */
const MAX_SIGNED = 2_048
const INFERABLE = ['name', 'description'] as const
/** Shared: most skills have no tags. */
const NO_TAGS: readonly string[] = Object.freeze([])
const HEADER_END = ',"skills":['
const LINE_END = ',\n'
const END = '\n]}\n'

/** A segment of a packed library. The catalog lists the live skills of all segments, in order. */
export interface PackedSegment {
  /** `<16 hex>.seg` */
  file: string
  /** Number of skills, dead ones included. */
  skills: number
  /** Positions of skills that were removed or replaced. */
  dead: readonly number[]
  /** Vectors of a transformer, by position. They are read when it is loaded. */
  vectors?: VectorsFile
}

/** The content of `skillshelf.json`, which starts with a digest of what follows it. */
export interface PackedCatalog {
  format: typeof CATALOG_FORMAT
  /** Name of the source that was packed. */
  name: string
  skills: readonly CatalogEntry[]
  segments: readonly PackedSegment[]
  /** Problems of the source, and skills that were left out. */
  diagnostics: readonly Diagnostic[]
}

/** A validated catalog. `skills` is parsed on first access if the catalog has an index. */
export interface ReadCatalog extends PackedCatalog {
  /** Changes with any entry. */
  readonly digest: string
  /** The paths and names of `skills`, in the same order. */
  readonly paths: readonly string[]
  readonly names: readonly string[]
  /** The entry of a path. Reads it alone, not all of `skills`. */
  entryOf(path: string): CatalogEntry | undefined
  /** Skills that `skills` turned out to lack when it was parsed on first access. */
  readonly leftOut: readonly Diagnostic[]
  /** True if no skill is disabled or a copy of another. */
  readonly showsAll: boolean
}

/**
 * Serializes a catalog as JSON. Equal catalogs give equal bytes. The first line has everything but the entries, each of which has its own
 * line. Its `index` has the path and name of each skill, so that a match need not parse the entries; it is absent if a skill is disabled or
 * a copy of another.
 */
export async function writeCatalog(catalog: PackedCatalog): Promise<Uint8Array<ArrayBuffer>> {
  const { name, skills, segments, diagnostics } = catalog
  const lines = skills.map(entryLine)
  const hasCopies = new Set(skills.map(contentOfEntry)).size < skills.length
  const index =
    skills.every(({ enabled }) => enabled !== false) && !hasCopies
      ? { paths: skills.map(({ path }) => path), names: skills.map(({ name }) => name) }
      : undefined
  const header = JSON.stringify({ name, segments, diagnostics, index }).slice(1, -1)
  return withDigest(`${header}${HEADER_END}\n${lines.join(LINE_END)}${END}`)
}

/** Equal for skills that are copies of each other: the details have the digest of every other file. */
export function contentOfEntry({ digest, details, content }: CatalogEntry): string {
  return `${digest} ${content ?? shortDigest(details)}`
}

/** The parts of a catalog that begins as `writeCatalog` writes it. */
export interface CatalogParts {
  digest: string
  /** JSON; `undefined` for a library without signatures. */
  signed: string | undefined
  /** What the digest covers. */
  content: Uint8Array<ArrayBuffer>
}

/** @returns `undefined` if the catalog begins in another way */
export function splitCatalog(bytes: Uint8Array<ArrayBuffer>): CatalogParts | undefined {
  const start = new TextDecoder().decode(bytes.subarray(0, DIGEST_END))
  const digest = start.slice(DIGEST_START.length, -2)
  if (!start.startsWith(DIGEST_START) || !start.endsWith('",') || !isDigest(digest)) {
    return undefined
  }
  const signed = readSigned(bytes)
  return {
    digest,
    signed: signed?.[1],
    content: bytes.subarray(DIGEST_END + (signed?.[0].length ?? 0)),
  }
}

/** @param signed JSON that `splitCatalog` reads. */
export function joinCatalog({ digest, signed, content }: CatalogParts): Uint8Array<ArrayBuffer> {
  const start = `${DIGEST_START}${digest}",${signed === undefined ? '' : `"signed":${signed},`}`
  return concatBytes([new TextEncoder().encode(start), content])
}

function readSigned(bytes: Uint8Array<ArrayBuffer>): RegExpExecArray | null {
  return SIGNED.exec(new TextDecoder().decode(bytes.subarray(DIGEST_END, DIGEST_END + MAX_SIGNED)))
}

/** The same catalog in other bytes, so that it has another version. A signature stays valid. */
export async function rewriteCatalog(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts = splitCatalog(bytes)
  if (parts?.signed !== undefined) {
    const isSpaced = readSigned(bytes)?.[2] !== ''
    return joinCatalog({ ...parts, signed: isSpaced ? parts.signed : `${parts.signed} ` })
  }
  const text = new TextDecoder().decode(bytes)
  const hasDigest = text.startsWith(DIGEST_START)
  const content = hasDigest ? text.slice(DIGEST_END) : text
  const spaced = content.includes(HEADER_END)
    ? content.replace(HEADER_END, ` ${HEADER_END}`)
    : `${content}\n`
  return hasDigest ? withDigest(spaced) : new TextEncoder().encode(spaced)
}

/** A catalog of its content, which starts with the first field. */
export async function withDigest(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const content = new TextEncoder().encode(text)
  return joinCatalog({ digest: await digestOfLarge(content), signed: undefined, content })
}

/**
 * Validates a catalog. Invalid entries are left out with a diagnostic and marked dead in their segment.
 * @param subject The file and its source, for messages.
 * @param options `intact`: the source has checked the bytes, so that they are not hashed again.
 * @throws SkillshelfError `format` if the bytes are not a catalog in this format, `source-failed` if they do not match their digest. A
 * catalog without a digest is not checked.
 */
export async function readCatalog(
  bytes: Uint8Array<ArrayBuffer>,
  subject: string,
  { intact = false }: { intact?: boolean } = {},
): Promise<ReadCatalog> {
  const hash = (): Promise<string> =>
    digestOfLarge(splitCatalog(bytes)?.content ?? bytes.subarray(DIGEST_END))
  // Hashing runs beside parsing. Both are awaited together, so that no rejection is unhandled.
  const [hashed, { stated, catalog }] = await Promise.all([
    intact ? undefined : hash(),
    (async () => parseCatalog(bytes, subject))(),
  ])
  const actual = hashed ?? (looksLikeDigest(stated) ? stated : await hash())
  if (stated !== undefined && stated !== actual) {
    throw new SkillshelfError('source-failed', `${subject} does not match its digest`, {
      subject,
      hint: 'pack and upload again',
    })
  }
  return Object.assign(catalog, { digest: actual })
}

/** `stated` is the digest that the catalog gives for itself. */
function parseCatalog(
  bytes: Uint8Array<ArrayBuffer>,
  subject: string,
): { stated: unknown; catalog: Omit<ReadCatalog, 'digest'> } {
  const invalid = (problem: string, cause?: unknown): SkillshelfError =>
    new SkillshelfError(
      'format',
      `${subject} ${problem}`,
      { subject, hint: 'pack the skills again' },
      cause,
    )
  const indexed = readIndexed(bytes)
  let data: unknown = indexed?.header
  try {
    data ??= JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    throw invalid('is not valid JSON', error)
  }
  if (!isRecord(data)) throw invalid('is not a catalog')
  const skills = indexed?.paths ?? data['skills']
  if (data['format'] !== CATALOG_FORMAT) {
    throw invalid(
      `has the format ${JSON.stringify(data['format'])}; this version reads ${CATALOG_FORMAT}`,
    )
  }
  if (!Array.isArray(skills) || !Array.isArray(data['segments'])) {
    throw invalid('must have the arrays `skills` and `segments`')
  }
  const segments = data['segments'].map(value => {
    const segment = readSegment(value)
    if (!segment) throw invalid('has an invalid segment')
    return segment
  })
  const count = segments.reduce((sum, segment) => sum + segment.skills - segment.dead.length, 0)
  if (count !== skills.length) {
    throw invalid(`lists ${skills.length} skills, but its segments hold ${count}`)
  }

  const { digest: stated, name } = data
  const diagnostics = readDiagnostics(data['diagnostics'])
  const leftOut = (number: number, problem = 'its entry is not valid'): Diagnostic => {
    const message = `Skill ${number} of ${subject} was left out: ${problem}`
    return {
      code: 'skill-left-out',
      severity: 'error',
      message,
      path: subject,
      hint: 'pack the skills again',
    }
  }
  const header = {
    format: CATALOG_FORMAT,
    name: typeof name === 'string' ? name : '',
    diagnostics,
  } as const
  if (indexed) {
    const { paths, names } = indexed
    const read = lazy(() => {
      const entries = indexed.readEntries()
      return {
        skills: entries.filter(entry => entry !== undefined),
        leftOut: entries.flatMap((entry, number) => (entry ? [] : [leftOut(number + 1)])),
      }
    })
    const catalog = {
      ...header,
      segments,
      paths,
      names,
      showsAll: true,
      entryOf: indexed.readEntry,
      get skills() {
        return read().skills
      },
      get leftOut() {
        return read().leftOut
      },
    }
    return { stated, catalog }
  }

  const entries = new Map<string, CatalogEntry>()
  let next = 0
  const checked = segments.map((segment): PackedSegment => {
    const dead = new Set(segment.dead)
    for (let number = 0; number < segment.skills; number++) {
      if (dead.has(number)) continue
      const entry = readEntry(skills[next])
      next++
      if (entry && !entries.has(entry.path)) {
        entries.set(entry.path, entry)
        continue
      }
      dead.add(number)
      diagnostics.push(leftOut(next, entry && `the path ${entry.path} is listed twice`))
    }
    return { ...segment, dead: [...dead] }
  })
  const live = [...entries.values()]
  const catalog = {
    ...header,
    skills: live,
    entryOf: (path: string) => entries.get(path),
    leftOut: [],
    segments: checked,
    paths: [...entries.keys()],
    names: live.map(({ name }) => name),
    showsAll:
      live.every(({ enabled }) => enabled !== false) &&
      new Set(live.map(contentOfEntry)).size === live.length,
  }
  return { stated, catalog }
}

/**
 * Reads a catalog whose entries need not be parsed for a match.
 * @returns `undefined` if the catalog has no index or other lines than `writeCatalog` writes; then all of it must be parsed. `header` is the
 * catalog without its entries.
 */
function readIndexed(bytes: Uint8Array<ArrayBuffer>) {
  const start = bytes.indexOf('\n'.charCodeAt(0))
  const line = new TextDecoder().decode(bytes.subarray(0, Math.max(start, 0)))
  const end = bytes.length - END.length
  if (!line.endsWith(HEADER_END) || new TextDecoder().decode(bytes.subarray(end)) !== END) {
    return undefined
  }
  const header = parseJson(`${line}]}`)
  if (!isRecord(header) || !looksLikeDigest(header['digest']) || !isRecord(header['index'])) {
    return undefined
  }
  const { paths, names } = header['index']
  if (!isStrings(paths) || !isStrings(names) || paths.length !== names.length) return undefined
  if (!paths.every(isFolder) || new Set(paths).size !== paths.length) return undefined
  /** `undefined` for an entry that is invalid, disabled or not the one of the index. */
  const readLine = (line: string | undefined, number: number): CatalogEntry | undefined => {
    const entry = readEntry(parseJson(line ?? ''))
    const isIndexed = entry?.path === paths[number] && entry?.name === names[number]
    return isIndexed && entry?.enabled !== false ? entry : undefined
  }
  const decode = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to))
  const readEntries = (): (CatalogEntry | undefined)[] => {
    const lines = decode(start + 1, end).split(LINE_END)
    return paths.map((_, number) => readLine(lines[number], number))
  }
  const numbers = lazy(() => new Map(paths.map((path, number) => [path, number])))
  const lineStarts = lazy(() => startsOfLines(bytes, start + 1, end))
  return {
    header,
    paths,
    names,
    readEntries,
    readEntry(path: string): CatalogEntry | undefined {
      const number = numbers().get(path)
      if (number === undefined) return undefined
      const [from = end, to = end + LINE_END.length] = lineStarts().slice(number, number + 2)
      return readLine(decode(from, to - LINE_END.length), number)
    },
  }
}

/** Where each line begins. JSON on one line has no line feeds of its own. */
function startsOfLines(bytes: Uint8Array, first: number, end: number): number[] {
  const starts = [first]
  for (let at = bytes.indexOf(10, first); at >= 0 && at < end; at = bytes.indexOf(10, at + 1)) {
    starts.push(at + 1)
  }
  return starts
}

function readSegment(value: unknown): PackedSegment | undefined {
  const { file, skills, dead, vectors } = isRecord(value) ? value : {}
  if (typeof file !== 'string' || !/^[0-9a-f]{16}\.seg$/.test(file) || !isCount(skills)) {
    return undefined
  }
  if (!Array.isArray(dead) || !dead.every(number => isCount(number) && number < skills)) {
    return undefined
  }
  if (new Set(dead).size !== dead.length) return undefined
  const read = readVectorsFile(vectors)
  return { file, skills, dead, ...(read ? { vectors: read } : {}) }
}

/** Nothing depends on it, so one that is not valid is as none. */
function readVectorsFile(value: unknown): VectorsFile | undefined {
  const { file, space } = isRecord(value) ? value : {}
  if (typeof file !== 'string' || !/^[0-9a-f]{16}\.vec$/.test(file)) return undefined
  return typeof space === 'string' ? { file, space } : undefined
}

/** An entry as JSON on one line. */
export function entryLine(entry: CatalogEntry): string {
  return JSON.stringify(toLine(entry))
}

/** An entry as its line of a catalog has it, in the order of `CATALOG_FIELDS`: with `tokens` as two numbers, and without an empty list of tags. */
function toLine(entry: CatalogEntry): Record<string, unknown> {
  const line: Record<string, unknown> = {}
  for (const { key, type } of CATALOG_FIELDS) {
    if (type === 'tokens') line[key] = [entry.tokens.metadata, entry.tokens.instructions]
    else if (type !== 'tags' || entry.tags.length > 0) line[key] = entry[key]
  }
  return line
}

/** Reads an entry; `undefined` if a field that must be there is not valid. An optional field that is not valid is left out. */
export function readEntry(value: unknown): CatalogEntry | undefined {
  if (!isRecord(value)) return undefined
  const entry: Record<string, unknown> = {}
  for (const { key, type, optional } of CATALOG_FIELDS) {
    const given = value[key]
    if (given === undefined && optional) continue
    const field = READ[type](given)
    if (field !== undefined) entry[key] = field
    else if (!optional) return undefined
  }
  return entry as unknown as CatalogEntry
}

/** The value of a field as the catalog says it; `undefined` if it is absent or not valid. */
const READ: { readonly [Type in FieldType]: (value: unknown) => unknown } = {
  text: value => (typeof value === 'string' ? value : undefined),
  paths: value => (isStrings(value) ? limitPaths(value) : undefined),
  tags: value => (Array.isArray(value) ? value.filter(tag => typeof tag === 'string') : NO_TAGS),
  names: value => (isStrings(value) ? value : undefined),
  path: value => (typeof value === 'string' && isFolder(value) ? value : undefined),
  folders: value => (isStrings(value) && value.every(isFolder) ? value : undefined),
  digest: value => (looksLikeDigest(value) ? value : undefined),
  tokens: readTokens,
  inferred: readInferred,
  texts: value => (isRecord(value) && isStrings(Object.values(value)) ? value : undefined),
  true: value => (value === true ? true : undefined),
  false: value => (value === false ? false : undefined),
}

/** A folder in a source, `''` for its root. */
function isFolder(path: string): boolean {
  return path === '' || trySafePath(path) === path
}

/** Nine digits at most. */
function readTokens(value: unknown): CatalogEntry['tokens'] | undefined {
  if (!Array.isArray(value) || !value.every(count => isCount(count) && count < 1e9)) {
    return undefined
  }
  const [metadata = 0, instructions = 0] = value
  return { metadata, instructions }
}

function readInferred(value: unknown): CatalogEntry['inferred'] | undefined {
  if (!Array.isArray(value)) return undefined
  const inferred = INFERABLE.filter(field => value.includes(field))
  return inferred.length > 0 ? inferred : undefined
}

/** Cheap check for thousands of entries. The hex digits are checked when the file is read. */
export function looksLikeDigest(value: unknown): value is string {
  return typeof value === 'string' && value.length === DIGEST_LENGTH && value.startsWith('sha256:')
}
