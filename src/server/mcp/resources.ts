import type { McpServer } from '@modelcontextprotocol/server'
import {
  DIRECTORY_MIME_TYPE,
  type Skill,
  type SkillSource,
} from '@modelcontextprotocol/server/ext/skills'
import type { Session } from '../../agent/session/types.js'
import type { AbortOptions } from '../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { digestOf, digestOfLarge } from '../../core/digest.js'
import { isSkillshelfError } from '../../core/errors.js'
import { pageOf } from '../../core/paging.js'
import { plainLine, visibleJson } from '../../core/sanitize.js'
import type { LibrarySnapshot } from '../../library/catalog/catalog-entry.js'
import { publishedNames } from '../../library/store/publish/published-names.js'
import { shortDescription } from '../../library/store/publish/well-known-plan.js'
import { fullDescription } from '../../skill/full-description.js'
import { parseSkill } from '../../skill/parse.js'
import type { Skill as OpenedSkill, SkillId, SkillSummary } from '../../skill/skill.js'
import { isSpecName } from '../../skill/specification.js'
import { INDEX_SCHEMA } from '../../source/well-known/site-paths.js'
import { findExtensionProblem, MAX_FILES } from './extension-rules.js'
import { skillUris } from './skill-uri.js'

/** A skill costs two reads of a packed library, and an edge Worker may make 50 subrequests. */
const PAGE_SIZE = 20
/** Large, because many clients read the first page of resources only. */
const RESOURCES_PAGE_SIZE = 500
const SKILL_FILE = 'SKILL.md'
/** Resource of an earlier draft of the Skills extension. Microsoft's Agent Framework reads it. */
const INDEX_URI = 'skill://index.json'
/** List of the files of a skill, as the skills provider of FastMCP (Python) serves it. */
const FILE_LIST = '_manifest'

/** File of a skill. Its SKILL.md is always spelled `SKILL.md`. */
interface ServedFile {
  uri: string
  skill: SkillId
  path: string
  mediaType: string
  size?: number
  digest?: string
}

/** Lists the SKILL.md of every skill as a resource, for clients without the Skills extension. */
export function registerResources({ server }: McpServer, { library }: Session): void {
  server.setRequestHandler('resources/list', ({ params }) => {
    const { snapshot } = library
    const { uriOf } = skillUris(snapshot)
    const { items, ...next } = pageOf(snapshot.skills, params?.cursor, RESOURCES_PAGE_SIZE)
    const resources = items.map(({ id, name, displayName, ...skill }) => ({
      uri: uriOf(id, SKILL_FILE),
      name: plainLine(name),
      ...(displayName === undefined ? {} : { title: plainLine(displayName) }),
      description: plainLine(fullDescription(skill)),
      mimeType: 'text/markdown',
    }))
    return { resources, ...next }
  })
}

/** Adapts a session's library to the Skills extension. Skills that its clients refuse are left out. */
export function servedSkills(session: Session): SkillSource {
  const { library } = session
  const summaryOf = (id: SkillId | undefined): SkillSummary | undefined =>
    library.snapshot.skills.find(one => one.id === id)

  /** Files of a skill and of the skills nested in it; `undefined` if they exceed the limit of the extension. */
  const skillFiles = async (
    { id, origin }: SkillSummary,
    options: AbortOptions,
  ): Promise<ServedFile[] | undefined> => {
    const { uriOf } = skillUris(library.snapshot)
    const { skills } = library.snapshot
    const inside = skills.filter(
      one => one.origin === origin && (one.id === id || one.id.startsWith(`${id}/`)),
    )
    if (inside.length > MAX_FILES) return undefined
    const opened = await mapParallel(inside, PARALLEL_READS, one => library.get(one.id, options))
    const files = opened.flatMap(skill => [
      manifestFile(skill, uriOf(skill.id, SKILL_FILE)),
      ...skill.files.map(file => ({ ...file, uri: uriOf(skill.id, file.path), skill: skill.id })),
    ])
    return files.length > MAX_FILES ? undefined : files.sort((a, b) => (a.uri < b.uri ? -1 : 1))
  }

  const withDigests = async (files: readonly ServedFile[], options: AbortOptions) => {
    const described = await mapParallel(
      files,
      PARALLEL_READS,
      async ({ uri, skill, path, size, digest }) => {
        if (size !== undefined && digest !== undefined) return [{ uri, size, digest }]
        const file = await library.read(skill, path, options).catch(error => {
          // S10: a file that looks like a secret is listed, but not served.
          if (!isSkillshelfError(error, 'resource-not-found')) throw error
        })
        return file
          ? [{ uri, size: file.bytes.length, digest: await digestOfLarge(file.bytes) }]
          : []
      },
    )
    return described.flat()
  }

  const skillEntry = async (
    summary: SkillSummary,
    options: AbortOptions,
  ): Promise<Skill | undefined> => {
    const { uriOf } = skillUris(library.snapshot)
    const { fields } = await parseSkill((await library.get(summary.id, options)).text)
    if (findExtensionProblem(fields, summary.name)) return undefined
    const files = await skillFiles(summary, options)
    if (!files) return undefined
    const resources = await withDigests(files, options)
    return { uri: uriOf(summary.id, SKILL_FILE), frontmatter: fields, resources } as Skill
  }

  const fileList = async (summary: SkillSummary, options: AbortOptions) => {
    const files = await skillFiles(summary, options)
    if (!files) return undefined
    const folder = `${skillUris(library.snapshot).uriOf(summary.id, '')}/`
    const entries = await withDigests(files, options)
    const list = entries.map(({ uri, size, digest }) => ({
      path: uri.slice(folder.length).split('/').map(decodeURIComponent).join('/'),
      size,
      hash: digest,
    }))
    return { text: visibleJson({ skill: summary.name, files: list }), mimeType: 'application/json' }
  }

  return {
    async list({ cursor }, { mcpReq: { signal } }) {
      const candidates = library.snapshot.skills.filter(({ name }) => isSpecName(name))
      const { items, ...next } = pageOf(candidates, cursor, PAGE_SIZE)
      const listed = await mapParallel(items, PARALLEL_READS, one =>
        skillEntry(one, { signal }).catch(error => {
          if (!isSkillshelfError(error) || error.code === 'aborted') throw error
          // An unreadable skill is left out of the page.
          return undefined
        }),
      )
      return { skills: listed.filter(entry => entry !== undefined), ...next }
    },
    async get(uri, { mcpReq: { signal } }) {
      const { find, uriOf } = skillUris(library.snapshot)
      const summary = summaryOf(find(uri)?.id)
      return summary && isSameUri(uri, uriOf(summary.id, SKILL_FILE))
        ? skillEntry(summary, { signal })
        : undefined
    },
    async read(uri, { mcpReq: { signal } }) {
      if (uri === INDEX_URI) {
        return { text: visibleJson(skillIndex(library.snapshot)), mimeType: 'application/json' }
      }
      const location = skillUris(library.snapshot).find(uri)
      if (!location) return undefined
      const { id, path } = location
      try {
        const actualPath = path === SKILL_FILE ? (await library.get(id, { signal })).file : path
        const { bytes, mediaType: mimeType } = await session.read(id, actualPath, { signal })
        const text = exactText(bytes)
        return text === undefined ? { bytes, mimeType } : { text, mimeType }
      } catch (error) {
        if (!isSkillshelfError(error, 'resource-not-found', 'invalid-path')) throw error
        const summary = path === FILE_LIST ? summaryOf(id) : undefined
        return summary && fileList(summary, { signal })
      }
    },
    async readDirectory(uri, _params, { mcpReq: { signal } }) {
      const { find, uriOf } = skillUris(library.snapshot)
      const location = find(uri)
      const summary = summaryOf(location?.id)
      if (!location || !summary || !isSameUri(uri, uriOf(location.id, location.path))) {
        return undefined
      }
      const files = await skillFiles(summary, { signal })
      if (!files) return undefined
      const folder = `${uriOf(location.id, location.path)}/`
      const children = new Map<
        string,
        { uri: string; name: string; mimeType: string; size?: number }
      >()
      for (const file of files) {
        if (!file.uri.startsWith(folder)) continue
        const [name = '', ...deeper] = file.uri.slice(folder.length).split('/')
        const child = { uri: folder + name, name: plainLine(decodeURIComponent(name)) }
        const { mediaType: mimeType, size } = file
        const kind =
          deeper.length > 0
            ? { mimeType: DIRECTORY_MIME_TYPE }
            : { mimeType, ...(size === undefined ? {} : { size }) }
        children.set(name, { ...child, ...kind })
      }
      return children.size === 0 ? undefined : { resources: [...children.values()] }
    },
  }
}

/** Every skill with a unique name that the Agent Skills specification allows, and the URI of its SKILL.md. */
function skillIndex(snapshot: LibrarySnapshot) {
  const { uriOf } = skillUris(snapshot)
  const names = publishedNames(snapshot.skills.map(({ id, name }) => ({ path: id, name })))
  const skills = snapshot.skills.map(({ id, description, digest, unread }) => ({
    name: names.get(id),
    type: 'skill-md',
    description: shortDescription(description),
    url: uriOf(id, SKILL_FILE),
    ...(unread ? {} : { digest }),
  }))
  return { $schema: INDEX_SCHEMA, skills }
}

/** False for a URI with the id of a skill whose name is not its folder: clients get it at the URI with its name only. */
function isSameUri(uri: string, served: string): boolean {
  return new URL(uri).href === new URL(served).href
}

function manifestFile(skill: OpenedSkill, uri: string): ServedFile {
  const bytes = new TextEncoder().encode(skill.text)
  const file = { uri, skill: skill.id, path: skill.file, mediaType: 'text/markdown' }
  // A different digest means that the file has bytes its text lacks, such as a byte order mark. The caller reads it then.
  return digestOf(bytes) === skill.digest
    ? { ...file, size: bytes.length, digest: skill.digest }
    : file
}

/** Decodes UTF-8 that encodes back to the same bytes, including a byte order mark; `undefined` for other bytes. */
function exactText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
