import { isDigest } from '../../core/digest.js'
import { SkillshelfError } from '../../core/errors.js'
import { parseUrl } from '../../core/parse-url.js'
import { encodePath, trySafePath } from '../../core/paths.js'
import { isRecord, parseJson } from '../../core/plain-data.js'
import type { FetchResult, FileEntry } from '../source.js'
import { INDEX_SCHEMA } from './site-paths.js'

/** The parsed index of a skill site. */
export interface SkillIndex {
  /** Skills by name, in the order of the index. */
  skills: ReadonlyMap<string, IndexedSkill>
  /** Invalid entries with their reasons. */
  invalid: readonly FileEntry[]
}

export type IndexedSkill = FileListSkill | ArtifactSkill

/** A skill of v0.1: a list of files, each with its own URL. */
export interface FileListSkill {
  kind: 'files'
  name: string
  /** URLs by path in the skill's folder. */
  files: ReadonlyMap<string, string>
}

/** A skill of v0.2: one download with a digest. */
export interface ArtifactSkill {
  kind: 'skill-md' | 'archive'
  name: string
  description: string | undefined
  url: string
  /** Digest of the download: `sha256:` and 64 hex digits. */
  digest: string
}

/** Parses the index of a skill site. Invalid entries affect no others. @throws SkillshelfError `format`, `unsupported` */
export function parseIndex({ bytes, url }: Pick<FetchResult, 'bytes' | 'url'>): SkillIndex {
  const details = { subject: url, hint: 'check that the URL is the index of a skill site' }
  const formatError = (problem: string): SkillshelfError =>
    new SkillshelfError('format', `${url} ${problem}`, details)
  const data = parseJson(bytes)
  if (data === undefined) throw formatError('is not JSON')
  if (!isRecord(data)) throw formatError('is not an index of skills')
  const { $schema: schema, skills: entries } = data
  if (schema !== undefined && schema !== INDEX_SCHEMA) {
    throw new SkillshelfError(
      'unsupported',
      `${url} has the unknown $schema ${JSON.stringify(schema).slice(0, 200)}`,
      {
        subject: url,
        hint: `supported are ${INDEX_SCHEMA} and v0.1, which has no $schema`,
      },
    )
  }
  if (!Array.isArray(entries)) throw formatError('has no list of skills')

  const skills = new Map<string, IndexedSkill>()
  const invalid: FileEntry[] = []
  for (const [number, entry] of entries.entries()) {
    const reject = (reason: string, subpath = ''): void => {
      invalid.push({ path: `index.json/skills/${number}${subpath}`, unreadable: reason })
    }
    const name = folderName(entry)
    if (name === undefined) reject(`its name is not a valid folder name: ${show(entry)}`)
    else if (skills.has(name)) reject(`${name} is listed twice; the first entry is used`)
    else {
      const skill =
        schema === undefined
          ? parseFileList(name, entry, url, reject)
          : parseArtifact(name, entry, url)
      if (typeof skill === 'string') reject(`${name} ${skill}`)
      else skills.set(name, skill)
    }
  }
  return { skills, invalid }
}

/** The name of an entry, if it is a valid folder name. */
function folderName(entry: unknown): string | undefined {
  const name = isRecord(entry) ? entry['name'] : undefined
  return typeof name === 'string' && !name.includes('/') && trySafePath(name) === name
    ? name
    : undefined
}

/** The skill, or the problem with its entry. */
function parseFileList(
  name: string,
  { files }: Record<string, unknown>,
  indexUrl: string,
  reject: (reason: string, subpath: string) => void,
): FileListSkill | string {
  const found = new Map<string, string>()
  for (const [number, file] of (Array.isArray(files) ? files : []).entries()) {
    const path = typeof file === 'string' ? trySafePath(file) : undefined
    if (path === undefined) {
      reject(`${name} has an invalid file path: ${show(file)}`, `/files/${number}`)
    } else found.set(path, new URL(encodePath(`${name}/${path}`), indexUrl).href)
  }
  if (![...found.keys()].some(path => /^skill\.md$/i.test(path))) {
    return 'has no SKILL.md in its files'
  }
  return { kind: 'files', name, files: found }
}

/** The skill, or the problem with its entry. */
function parseArtifact(
  name: string,
  entry: Record<string, unknown>,
  indexUrl: string,
): ArtifactSkill | string {
  const { type, description, url } = entry
  const digest = readDigest(entry)
  if (type !== 'skill-md' && type !== 'archive') return `has the unknown type ${show(type)}`
  if (digest === undefined) {
    return `has an invalid digest: ${show(entry['digest'] ?? entry['sha256'])}`
  }
  const address = typeof url === 'string' && url !== '' ? parseUrl(url, indexUrl) : undefined
  if (!address) {
    return `has an invalid url: ${show(url)}`
  }
  return {
    kind: type,
    name,
    description:
      typeof description === 'string' && description.trim() !== '' ? description : undefined,
    url: address.href,
    digest,
  }
}

/** The digest of an entry. Sites also write it in capitals, without `sha256:`, or as `sha256`. */
function readDigest({ digest, sha256 }: Record<string, unknown>): string | undefined {
  const given = digest ?? sha256
  if (typeof given !== 'string') return undefined
  const hex = given
    .trim()
    .toLowerCase()
    .replace(/^sha-?256[:-]/, '')
  const read = `sha256:${hex}`
  return isDigest(read) ? read : undefined
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 100)
}
