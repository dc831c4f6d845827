import { SkillshelfError } from '../../core/errors.js'
import { trySafePath } from '../../core/paths.js'
import { isRecord } from '../../core/record.js'
import type { FetchResult, FileEntry } from '../types.js'

/** What the index of a skill site says. */
export interface SkillIndex {
  /** By name, in the order of the index. */
  skills: ReadonlyMap<string, IndexedSkill>
  /** Entries that cannot be used, and why. */
  refused: readonly FileEntry[]
}

export type IndexedSkill = FileListSkill | ArtifactSkill

/** v0.1: files, each at an address of its own. */
export interface FileListSkill {
  kind: 'files'
  name: string
  /** Addresses by path in the skill's folder. */
  files: ReadonlyMap<string, string>
}

/** v0.2: one thing to fetch, with a digest. */
export interface ArtifactSkill {
  kind: 'skill-md' | 'archive'
  name: string
  description: string | undefined
  url: string
  /** `sha256:` and 64 hex digits of the bytes at `url`. */
  digest: string
}

/** The identifier of v0.2. v0.1 has none. */
export const INDEX_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'

/**
 * Reads the index of a skill site. One bad entry never voids the others.
 * @throws SkillshelfError `format` where it is no index, `unsupported` for a version that is not known
 */
export function readIndex({ bytes, url }: Pick<FetchResult, 'bytes' | 'url'>): SkillIndex {
  const bad = (what: string, cause?: unknown): SkillshelfError =>
    new SkillshelfError('format', `${url} ${what}`, { subject: url, hint: 'an index of skills is needed there' }, cause)
  let data: unknown
  try {
    data = JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    throw bad('is not JSON', error)
  }
  if (!isRecord(data)) throw bad('is no index of skills')
  const { $schema: schema, skills: entries } = data
  if (schema !== undefined && schema !== INDEX_SCHEMA)
    throw new SkillshelfError('unsupported', `${url} has the unknown $schema ${JSON.stringify(schema).slice(0, 200)}`, {
      subject: url,
      hint: `${INDEX_SCHEMA} is read, and v0.1, which has none`,
    })
  if (!Array.isArray(entries)) throw bad('lists no skills')

  const skills = new Map<string, IndexedSkill>()
  const refused: FileEntry[] = []
  for (const [number, entry] of entries.entries()) {
    const refuse = (why: string, at = ''): void =>
      void refused.push({ path: `index.json/skills/${number}${at}`, unreadable: why })
    const name = nameOf(entry)
    if (name === undefined) refuse(`its name cannot be that of a folder: ${show(entry)}`)
    else if (skills.has(name)) refuse(`${name} is in the index twice; the first entry counts`)
    else {
      const skill = schema === undefined ? readLoose(name, entry, url, refuse) : readArtifact(name, entry, url)
      if (typeof skill === 'string') refuse(`${name} ${skill}`)
      else skills.set(name, skill)
    }
  }
  return { skills, refused }
}

/** Whatever can be a folder is a name. */
function nameOf(entry: unknown): string | undefined {
  const name = isRecord(entry) ? entry['name'] : undefined
  return typeof name === 'string' && !name.includes('/') && trySafePath(name) === name ? name : undefined
}

/** The skill, or what is wrong with it. */
function readLoose(
  name: string,
  { files }: Record<string, unknown>,
  index: string,
  refuse: (why: string, at: string) => void,
): FileListSkill | string {
  const found = new Map<string, string>()
  for (const [number, file] of (Array.isArray(files) ? files : []).entries()) {
    const path = typeof file === 'string' ? trySafePath(file) : undefined
    if (path === undefined) refuse(`${name} has no such file: ${show(file)}`, `/files/${number}`)
    else found.set(path, new URL([name, ...path.split('/')].map(encodeURIComponent).join('/'), index).href)
  }
  if (![...found.keys()].some(path => /^skill\.md$/i.test(path))) return 'has no SKILL.md among its files'
  return { kind: 'files', name, files: found }
}

/** The skill, or what is wrong with it. */
function readArtifact(name: string, entry: Record<string, unknown>, index: string): ArtifactSkill | string {
  const { type, description, url, digest } = entry
  if (type !== 'skill-md' && type !== 'archive') return `has the unknown type ${show(type)}`
  if (typeof digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(digest)) return `has no digest: ${show(digest)}`
  const address = typeof url === 'string' && url !== '' ? addressOf(url, index) : undefined
  if (address === undefined) return `has no address: ${show(url)}`
  return {
    kind: type,
    name,
    description: typeof description === 'string' && description.trim() !== '' ? description : undefined,
    url: address,
    digest,
  }
}

function addressOf(url: string, index: string): string | undefined {
  try {
    return new URL(url, index).href
  } catch {
    return undefined
  }
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 100)
}
