import { lazy } from '../core/concurrency.js'
import { digestOfLarge, shortDigest } from '../core/digest.js'
import { SkillshelfError } from '../core/errors.js'
import { trySafePath } from '../core/paths.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import { isRecord } from '../skill/fields.js'
import type { FileInfo, SkillDetails, SkillMetadata } from '../skill/types.js'
import type { SkillSource } from '../source/types.js'
import { skim } from './skim.js'
import type { CatalogEntry } from './types.js'

export { CATALOG_FILE } from '../source/catalog-file.js'

export const CATALOG_FORMAT = 'skillshelf/1'

/** What a catalog can have inferred. */
const FIELDS = ['name', 'description'] as const

const DIGEST_LENGTH = 'sha256:'.length + 64

/** A segment of a packed library. `skills` in the catalog are in the order of its segments, dead ones left out. */
export interface PackedSegment {
  /** `<16 hex>.seg` */
  file: string
  /** Skills in it, dead ones too. */
  skills: number
  dead: readonly number[]
}

/** What `skillshelf.json` holds. */
export interface PackedCatalog {
  format: typeof CATALOG_FORMAT
  /** The name of what was packed. */
  name: string
  skills: readonly CatalogEntry[]
  segments: readonly PackedSegment[]
  /** What was wrong with the source, and skills that were left out. */
  diagnostics: readonly Diagnostic[]
}

/** A catalog that was read. */
export interface ReadCatalog extends PackedCatalog {
  /** Of `skills`, in their order. */
  readonly paths: readonly string[]
  /** Made when they are first asked for, where nothing is wrong with any. */
  readonly skills: readonly CatalogEntry[]
  /** None of the skills is disabled. */
  readonly plain: boolean
}

/** Where the bytes with this digest are: `files/<16 hex>.<ext>`, the extension kept where it is plain, so that hosts know the media type. */
export function packedFile(digest: string, path: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new SkillshelfError('format', `${JSON.stringify(digest.slice(0, 80))} is no digest`, {
      subject: path,
      hint: 'pack the skills again',
    })
  const extension = /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase()
  return `files/${shortDigest(digest)}${extension ? `.${extension}` : ''}`
}

/** JSON for a catalog; the same catalog gives the same bytes. */
export function writeCatalog(catalog: PackedCatalog): Uint8Array<ArrayBuffer> {
  const { format, name, skills, segments, diagnostics } = catalog
  const lines = skills.map(
    ({
      path,
      name,
      displayName,
      description,
      tags,
      digest,
      details,
      tokens,
      inferred,
      enabled,
      disableModelInvocation,
      userInvocable,
    }) =>
      JSON.stringify({
        path,
        name,
        displayName,
        description,
        ...(tags.length > 0 ? { tags } : {}),
        digest,
        details,
        tokens: [tokens.metadata, tokens.instructions],
        inferred,
        enabled,
        disableModelInvocation,
        userInvocable,
      }),
  )
  const head = JSON.stringify({ format, name, segments, diagnostics }).slice(0, -1)
  return new TextEncoder().encode(`${head},"skills":[\n${lines.join(',\n')}\n]}\n`)
}

/**
 * Reads a catalog. Entries that cannot be used are left out with a diagnostic, and dead in their segment.
 * @throws SkillshelfError `format` when this is not a catalog of this format
 */
export function readCatalog(bytes: Uint8Array, where: string): ReadCatalog {
  const bad = (what: string, cause?: unknown): SkillshelfError =>
    new SkillshelfError('format', `${where} ${what}`, { subject: where, hint: 'pack the skills again' }, cause)
  const text = new TextDecoder().decode(bytes)
  const skimmed = skim(text)
  let data: unknown
  try {
    data = JSON.parse(skimmed?.head ?? text)
  } catch (error) {
    throw bad('is not JSON', error)
  }
  if (!isRecord(data)) throw bad('is not a catalog')
  const { format, name, segments, diagnostics } = data
  const skills = skimmed?.paths ?? data['skills']
  if (format !== CATALOG_FORMAT)
    throw bad(`has the format ${JSON.stringify(format)}; this version reads ${CATALOG_FORMAT}`)
  if (!Array.isArray(skills) || !Array.isArray(segments)) throw bad('lists no skills or segments')
  const pieces = segments.map(one => readSegment(one) ?? fail(bad('has a segment that is not one')))
  const live = pieces.reduce((sum, { skills: count, dead }) => sum + count - dead.length, 0)
  if (live !== skills.length) throw bad(`lists ${skills.length} skills, its segments hold ${live}`)

  const found = readDiagnostics(diagnostics)
  const common = { format: CATALOG_FORMAT, name: typeof name === 'string' ? name : '', diagnostics: found } as const
  if (skimmed) {
    const entries = lazy(() => {
      const { skills: all } = JSON.parse(new TextDecoder().decode(bytes)) as { skills: unknown[] }
      return all.flatMap(one => readEntry(one) ?? [])
    })
    return {
      ...common,
      segments: pieces,
      paths: skimmed.paths,
      plain: true,
      get skills() {
        return entries()
      },
    }
  }
  const entries: CatalogEntry[] = []
  const paths = new Set<string>()
  let next = 0
  const settled = pieces.map((piece): PackedSegment => {
    const dead = new Set(piece.dead)
    for (let number = 0; number < piece.skills; number++) {
      if (dead.has(number)) continue
      const entry = readEntry(skills[next++])
      if (entry && !paths.has(entry.path)) {
        paths.add(entry.path)
        entries.push(entry)
        continue
      }
      dead.add(number)
      found.push({
        code: 'skill-left-out',
        severity: 'error',
        message: `Skill ${next} of ${where} was left out: ${entry ? `${entry.path} is there twice` : 'it is not one'}`,
        path: where,
        hint: 'pack the skills again',
      })
    }
    return { ...piece, dead: [...dead] }
  })
  return {
    ...common,
    skills: entries,
    segments: settled,
    paths: entries.map(({ path }) => path),
    plain: entries.every(({ enabled }) => enabled !== false),
  }
}

function readSegment(value: unknown): PackedSegment | undefined {
  if (!isRecord(value)) return undefined
  const { file, skills, dead } = value
  if (typeof file !== 'string' || !/^[0-9a-f]{16}\.seg$/.test(file) || !isCount(skills)) return undefined
  if (!Array.isArray(dead) || !dead.every(number => isCount(number) && number < skills)) return undefined
  return new Set(dead).size === dead.length ? { file, skills, dead } : undefined
}

function readDiagnostics(value: unknown): Diagnostic[] {
  return Array.isArray(value)
    ? value.filter(
        one =>
          isRecord(one) &&
          typeof one['code'] === 'string' &&
          typeof one['message'] === 'string' &&
          ['error', 'warning', 'info'].includes(one['severity'] as string) &&
          ['undefined', 'string'].includes(typeof one['path']),
      )
    : []
}

function readEntry(value: unknown): CatalogEntry | undefined {
  if (!isRecord(value)) return undefined
  const { path, name, displayName, description, tags, digest, details, tokens } = value
  if (typeof path !== 'string' || (path !== '' && trySafePath(path) !== path)) return undefined
  if (typeof name !== 'string' || typeof description !== 'string' || !isDigest(digest) || !isDigest(details))
    return undefined
  const [metadata, instructions] = Array.isArray(tokens) ? tokens : []
  const entry: CatalogEntry = {
    path,
    name,
    description,
    tags: Array.isArray(tags) ? tags.filter(tag => typeof tag === 'string') : [],
    digest,
    details,
    tokens: { metadata: isCount(metadata) ? metadata : 0, instructions: isCount(instructions) ? instructions : 0 },
  }
  if (typeof displayName === 'string') entry.displayName = displayName
  const inferred = FIELDS.filter(field => Array.isArray(value['inferred']) && value['inferred'].includes(field))
  if (inferred.length > 0) entry.inferred = inferred
  if (value['enabled'] === false) entry.enabled = false
  if (value['disableModelInvocation'] === true) entry.disableModelInvocation = true
  if (value['userInvocable'] === false) entry.userInvocable = false
  return entry
}

/**
 * Reads a file of a packed library and checks that it is the one that was packed.
 * @throws SkillshelfError `source-failed` where it is missing or another one
 */
export async function readPackedFile(
  source: SkillSource,
  file: string,
  digest: string,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const result = await source.read(file, signal ? { signal } : {})
  if (result === undefined || result === 'unchanged')
    throw new SkillshelfError('source-failed', `${source.name} has no ${file}`, {
      subject: file,
      hint: 'upload every file that pack wrote',
    })
  const actual = await digestOfLarge(result.bytes)
  if (actual !== digest && shortDigest(actual) !== digest)
    throw new SkillshelfError('source-failed', `${file} of ${source.name} is not the file that was packed`, {
      subject: file,
      hint: 'pack and upload again',
    })
  return result.bytes
}

/** The `SkillDetails` of a packed skill. */
export async function readPackedDetails(
  source: SkillSource,
  entry: CatalogEntry,
  signal?: AbortSignal,
): Promise<SkillDetails> {
  const bytes = await readPackedFile(source, packedFile(entry.details, '.json'), entry.details, signal)
  const details = readDetails(bytes)
  if (!details)
    throw new SkillshelfError('format', `The details of ${entry.path} in ${source.name} are not what pack writes`, {
      subject: entry.path,
      hint: 'pack and upload again',
    })
  return details
}

/** The digest says that these are the bytes that were packed, not that an honest pack wrote them. */
function readDetails(bytes: Uint8Array): SkillDetails | undefined {
  let data: unknown
  try {
    data = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
  if (!isRecord(data)) return undefined
  const { metadata, frontmatter, file, files, diagnostics } = data
  if (!isRecord(metadata) || typeof metadata['name'] !== 'string' || typeof metadata['description'] !== 'string')
    return undefined
  if (typeof frontmatter !== 'string' || typeof file !== 'string' || file.toLowerCase() !== 'skill.md') return undefined
  if (!Array.isArray(files) || !files.every(isPackedInfo)) return undefined
  return {
    metadata: metadata as unknown as SkillMetadata,
    frontmatter,
    file,
    files,
    diagnostics: readDiagnostics(diagnostics),
  }
}

function isPackedInfo(value: unknown): value is FileInfo {
  if (!isRecord(value)) return false
  const { path, size, digest } = value
  return (
    typeof path === 'string' && trySafePath(path) === path && (size === undefined || isCount(size)) && isDigest(digest)
  )
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function isDigest(value: unknown): value is string {
  // What follows is checked where a file of that name is read.
  return typeof value === 'string' && value.length === DIGEST_LENGTH && value.startsWith('sha256:')
}

function fail(error: Error): never {
  throw error
}
