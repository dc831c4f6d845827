import { lazy } from '../../core/concurrency.js'
import { looksLikeDigest } from '../../core/digest.js'
import { SkillshelfError } from '../../core/errors.js'
import { isCount, isRecord, isStrings, parseJson } from '../../core/plain-data.js'
import type { VectorsFile } from '../../search/index/packed-vectors.js'
import { type Diagnostic, readDiagnostics } from '../../skill/diagnostics.js'
import { CATALOG_FORMAT, digestOfContent, HEADER_END, withDigest } from './catalog-bytes.js'
import type { CatalogEntry } from './catalog-entry.js'
import { contentOfEntry, entryLine, isFolder, readEntry } from './catalog-line.js'

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
  // Hashing runs beside parsing. Both are awaited together, so that no rejection is unhandled.
  const [hashed, { stated, catalog }] = await Promise.all([
    intact ? undefined : digestOfContent(bytes),
    (async () => parseCatalog(bytes, subject))(),
  ])
  const actual = hashed ?? (looksLikeDigest(stated) ? stated : await digestOfContent(bytes))
  if (stated !== undefined && stated !== actual) {
    throw new SkillshelfError('source-failed', `${subject} does not match its digest`, {
      subject,
      hint: 'pack and upload again',
    })
  }
  return Object.assign(catalog, { digest: actual })
}

/** A catalog, and the digest that it gives for itself. */
interface ParsedCatalog {
  stated: unknown
  catalog: Omit<ReadCatalog, 'digest'>
}

function parseCatalog(bytes: Uint8Array<ArrayBuffer>, subject: string): ParsedCatalog {
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
  const header: CatalogHeader = {
    format: CATALOG_FORMAT,
    name: typeof name === 'string' ? name : '',
    segments,
    diagnostics: readDiagnostics(data['diagnostics']),
  }
  const catalog = indexed
    ? withLines(header, indexed, subject)
    : withEntries(header, skills, subject)
  return { stated, catalog }
}

/** A catalog without its entries. */
type CatalogHeader = Omit<PackedCatalog, 'skills'>

/** A catalog whose entries are parsed when they are asked for. */
function withLines(
  header: CatalogHeader,
  { paths, names, readEntry, readEntries }: IndexedCatalog,
  subject: string,
): ParsedCatalog['catalog'] {
  const read = lazy(() => {
    const entries = readEntries()
    return {
      skills: entries.filter(entry => entry !== undefined),
      leftOut: entries.flatMap((entry, at) => (entry ? [] : [leftOut(at + 1, subject)])),
    }
  })
  return {
    ...header,
    paths,
    names,
    showsAll: true,
    entryOf: readEntry,
    get skills() {
      return read().skills
    },
    get leftOut() {
      return read().leftOut
    },
  }
}

/** A catalog of parsed entries, of which some may be invalid. */
function withEntries(
  header: CatalogHeader,
  skills: readonly unknown[],
  subject: string,
): ParsedCatalog['catalog'] {
  const entries = new Map<string, CatalogEntry>()
  const diagnostics = [...header.diagnostics]
  let next = 0
  const segments = header.segments.map((segment): PackedSegment => {
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
      diagnostics.push(leftOut(next, subject, entry && `the path ${entry.path} is listed twice`))
    }
    return { ...segment, dead: [...dead] }
  })
  const live = [...entries.values()]
  const hasCopies = new Set(live.map(contentOfEntry)).size < live.length
  return {
    ...header,
    segments,
    diagnostics,
    skills: live,
    leftOut: [],
    entryOf: path => entries.get(path),
    paths: [...entries.keys()],
    names: live.map(({ name }) => name),
    showsAll: !hasCopies && live.every(({ enabled }) => enabled !== false),
  }
}

function leftOut(number: number, subject: string, problem = 'its entry is not valid'): Diagnostic {
  return {
    code: 'skill-left-out',
    severity: 'error',
    message: `Skill ${number} of ${subject} was left out: ${problem}`,
    path: subject,
    hint: 'pack the skills again',
  }
}

/** A catalog as `writeCatalog` writes it, with an index. */
interface IndexedCatalog {
  /** The catalog without its entries. */
  header: Record<string, unknown>
  paths: readonly string[]
  names: readonly string[]
  /** `undefined` for an entry that is invalid, disabled or not the one of the index. */
  readEntry(path: string): CatalogEntry | undefined
  /** In the order of `paths`. */
  readEntries(): (CatalogEntry | undefined)[]
}

/**
 * Reads a catalog whose entries need not be parsed for a match.
 * @returns `undefined` if the catalog has no index or other lines than `writeCatalog` writes; then all of it must be parsed
 */
function readIndexed(bytes: Uint8Array<ArrayBuffer>): IndexedCatalog | undefined {
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
    readEntry(path) {
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
