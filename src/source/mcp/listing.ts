import type { Client } from '@modelcontextprotocol/client'
import type { Skill, SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { isSkillFile } from '../../core/content.js'
import { basename, dirname, encodePath, joinPath } from '../../core/paths.js'
import { isRecord, parseJson } from '../../core/plain-data.js'
import type { FileEntry } from '../source.js'
import type { McpConnection } from './connection.js'
import { uriSegments } from './uri-path.js'

/** A file that a server has. */
export interface McpFile {
  uri: string
  /** The skill whose entry has the digest of the file. `undefined` without the Skills extension. */
  skill?: Skill
  size?: number
  digest?: string
}

/** The files of a server by path. */
export interface McpListing {
  files: ReadonlyMap<string, McpFile>
  /** Skills that are not read, with the reason. */
  problems: readonly FileEntry[]
  /** Milliseconds for which the server lets it be used again. */
  ttl: number
}

type RequestOptions = NonNullable<Parameters<SkillsClient['list']>[1]>

/** S3: what a host accepts of one skill, by the Skills extension. */
const MAX_FILES = 512
const MAX_BYTES = 16 * 1_048_576
/** The list of files that servers without the extension have beside a SKILL.md. */
const FILE_LIST = '_manifest'

/** The path in the source for a URI of the server. */
function pathOf(uri: string): string | undefined {
  return uriSegments(uri)?.filter(Boolean).join('/')
}

/** Lists the skills of a server: by the Skills extension, else the resources that are called as those of skills. */
export function listMcp(
  { client, skills }: McpConnection,
  options: RequestOptions,
): Promise<McpListing> {
  return skills.supported ? listSkills(skills, options) : listResources(client, options)
}

async function listSkills(skills: SkillsClient, options: RequestOptions): Promise<McpListing> {
  const { skills: entries, invalid, ttlMs: ttl = 0 } = await skills.list({}, options)
  const files = new Map<string, McpFile>()
  const problems = invalid.map(({ uri = '', index, reason }) =>
    problem(pathOf(uri) ?? `skill ${index + 1}`, reason),
  )
  for (const skill of entries) {
    const path = pathOf(skill.uri)
    const tooLarge = findExcess(skill)
    if (path === undefined || tooLarge !== undefined) {
      problems.push(problem(path ?? skill.uri, tooLarge ?? 'its URI has an encoded slash'))
    } else for (const [at, file] of await filesOf(skill, path, skills, options)) files.set(at, file)
  }
  return { files, problems, ttl }
}

/** The reason for which a skill is not read. */
function findExcess({ resources }: Skill): string | undefined {
  if (resources === 'dynamic') return undefined
  if (resources.length > MAX_FILES) return `it has more than ${MAX_FILES} files`
  const bytes = resources.reduce((sum, { size }) => sum + size, 0)
  return bytes > MAX_BYTES ? `it has more than ${MAX_BYTES / 1_048_576} MiB` : undefined
}

/** The files of a skill by path. Those of one that changes at any time are not known, unless the server lists folders. */
async function filesOf(
  skill: Skill,
  path: string,
  skills: SkillsClient,
  options: RequestOptions,
): Promise<[path: string, file: McpFile][]> {
  if (skill.resources === 'dynamic') {
    const others = skills.directoryRead
      ? await listFolder(skills, skill.uri.slice(0, skill.uri.lastIndexOf('/')), options)
      : []
    const uris = new Set([skill.uri, ...others])
    return [...uris].flatMap(uri => {
      const at = uri === skill.uri ? path : pathOf(uri)
      return at === undefined ? [] : [[at, { uri, skill }]]
    })
  }
  return skill.resources.flatMap(({ uri, size, digest }) => {
    const at = pathOf(uri)
    return at === undefined ? [] : [[at, { uri, skill, size, digest }]]
  })
}

/** The files in a folder and the folders in it. */
async function listFolder(
  skills: SkillsClient,
  folder: string,
  options: RequestOptions,
): Promise<string[]> {
  const found: string[] = []
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { resources } = await skills.readDirectory(next, options)
    for (const { uri, mimeType } of resources) {
      if (!uri.startsWith(`${next}/`)) continue
      if (mimeType === 'inode/directory') folders.push(uri)
      else found.push(uri)
    }
    if (found.length + folders.length > MAX_FILES) break
  }
  return found.slice(0, MAX_FILES)
}

/** The resources of a server without the extension: each SKILL.md, and what its list of files names. */
async function listResources(client: Client, options: RequestOptions): Promise<McpListing> {
  const { resources, ttlMs } = await client.listResources({}, options)
  const files = new Map<string, McpFile>()
  for (const { uri } of resources) {
    const path = /^skill:/i.test(uri) ? pathOf(uri) : undefined
    if (path !== undefined && basename(path) !== FILE_LIST) files.set(path, { uri })
  }
  const skillFiles = [...files].filter(([path]) => isSkillFile(path))
  const lists = await mapParallel(skillFiles, PARALLEL_READS, async ([path, { uri }]) => {
    const folder = uri.slice(0, uri.lastIndexOf('/'))
    const text = await client.readResource({ uri: `${folder}/${FILE_LIST}` }, options).then(
      ({ contents: [first] }) => (first && 'text' in first ? first.text : ''),
      // A server need not have it.
      () => '',
    )
    return { path, folder, list: parseJson(text) }
  })
  for (const { path, folder, list } of lists) {
    for (const name of namesIn(list)) {
      const uri = `${folder}/${encodePath(name)}`
      const at = joinPath(dirname(path), name)
      if (!files.has(at)) files.set(at, { uri })
    }
  }
  return { files, problems: [], ttl: typeof ttlMs === 'number' ? ttlMs : 0 }
}

/** The paths in a list of files. */
function namesIn(list: unknown): string[] {
  if (!isRecord(list) || !Array.isArray(list['files'])) return []
  return list['files'].slice(0, MAX_FILES).flatMap(file => {
    const path = isRecord(file) ? file['path'] : undefined
    return typeof path === 'string' && path !== '' ? [path] : []
  })
}

function problem(path: string, reason: string): FileEntry {
  return { path, unreadable: `its server offers what no client accepts: ${reason}` }
}
