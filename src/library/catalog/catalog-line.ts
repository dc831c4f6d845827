import { looksLikeDigest, shortDigest } from '../../core/digest.js'
import { trySafePath } from '../../core/paths.js'
import { isCount, isRecord, isStrings } from '../../core/plain-data.js'
import { limitPaths } from '../../skill/paths.js'
import type { CatalogEntry } from './catalog-entry.js'
import { CATALOG_FIELDS, type FieldType } from './summary-fields.js'

// The line of an entry in a catalog.

const INFERABLE = ['name', 'description'] as const
/** Shared: most skills have no tags. */
const NO_TAGS: readonly string[] = Object.freeze([])

/** Equal for skills that are copies of each other: the details have the digest of every other file. */
export function contentOfEntry({ digest, details, content }: CatalogEntry): string {
  return `${digest} ${content ?? shortDigest(details)}`
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
export function isFolder(path: string): boolean {
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
