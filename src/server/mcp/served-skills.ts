import {
  DIRECTORY_MIME_TYPE,
  SKILL_LIMITS,
  type Skill,
  type SkillSource,
} from '@modelcontextprotocol/server/ext/skills'
import { mapParallel } from '../../core/concurrency.js'
import { digestOf, digestOfLarge } from '../../core/digest.js'
import { isSkillshelfError } from '../../core/errors.js'
import { basename } from '../../core/paths.js'
import type { AbortOptions } from '../../library/types.js'
import type { Session } from '../../session/types.js'
import { parseSkill } from '../../skill/parse.js'
import { isSpecName } from '../../skill/specification.js'
import type { Skill as OpenedSkill, SkillId, SkillSummary } from '../../skill/types.js'
import { resolveSkillUri, skillIdFromUri, skillUri } from './skill-uri.js'

/** A skill costs two reads of a packed library, and an edge Worker may make 50 subrequests. */
const PAGE_SIZE = 20
const PARALLEL_READS = 8
const MANIFEST = 'SKILL.md'

/** File in the Skills extension. Its SKILL.md is always spelled `SKILL.md`. */
interface ServedFile {
  uri: string
  skill: SkillId
  path: string
  mediaType: string
  size?: number
  digest?: string
}

/** Adapts a session's library to the Skills extension. */
export function servedSkills(session: Session): SkillSource {
  const { library } = session
  /** Files of a skill and of the skills nested in it; `undefined` if they exceed the limit of the extension. */
  const skillFiles = async ({ id, origin }: SkillSummary, options: AbortOptions): Promise<ServedFile[] | undefined> => {
    const { skills } = library.snapshot
    const inside = skills.filter(one => one.origin === origin && (one.id === id || one.id.startsWith(`${id}/`)))
    if (inside.length > SKILL_LIMITS.files) return undefined
    const opened = await mapParallel(inside, PARALLEL_READS, one => library.get(one.id, options))
    const files = opened.flatMap(skill => [
      manifestFile(skill),
      ...skill.files.map(file => ({ ...file, uri: skillUri(skill.id, file.path), skill: skill.id })),
    ])
    return files.length > SKILL_LIMITS.files ? undefined : files.sort((a, b) => (a.uri < b.uri ? -1 : 1))
  }

  const skillEntry = async (summary: SkillSummary, options: AbortOptions): Promise<Skill | undefined> => {
    const files = await skillFiles(summary, options)
    if (!files) return undefined
    const resources = await mapParallel(files, PARALLEL_READS, async ({ uri, skill, path, size, digest }) => {
      if (size !== undefined && digest !== undefined) return { uri, size, digest }
      const { bytes } = await library.read(skill, path, options)
      return { uri, size: bytes.length, digest: await digestOfLarge(bytes) }
    })
    const { fields } = await parseSkill((await library.get(summary.id, options)).text)
    // The extension checks `name` and `description` itself.
    return { uri: skillUri(summary.id, MANIFEST), frontmatter: fields, resources } as Skill
  }

  return {
    async list({ cursor }, { mcpReq: { signal } }) {
      const valid = library.snapshot.skills.filter(hasValidName)
      const rest = cursor === undefined ? valid : valid.filter(({ id }) => id > cursor)
      const page = rest.slice(0, PAGE_SIZE)
      const last = page.at(-1)
      const listed = await mapParallel(page, PARALLEL_READS, one =>
        skillEntry(one, { signal }).catch(error => {
          if (!isSkillshelfError(error) || error.code === 'aborted') throw error
          // An unreadable skill is left out of the page.
          return undefined
        }),
      )
      const skills = listed.filter(entry => entry !== undefined)
      return last && rest.length > page.length ? { skills, nextCursor: last.id } : { skills }
    },
    async get(uri, { mcpReq: { signal } }) {
      const id = skillIdFromUri(uri, MANIFEST)
      const summary = library.snapshot.skills.find(one => one.id === id)
      return summary && hasValidName(summary) ? skillEntry(summary, { signal }) : undefined
    },
    async read(uri, { mcpReq: { signal } }) {
      const location = resolveSkillUri(uri, library.snapshot.skills)
      if (!location) return undefined
      const { id, path } = location
      try {
        const actualPath = path === MANIFEST ? (await library.get(id, { signal })).file : path
        const { bytes, mediaType: mimeType } = await session.read(id, actualPath, { signal })
        const text = exactText(bytes)
        return text === undefined ? { bytes, mimeType } : { text, mimeType }
      } catch (error) {
        if (isSkillshelfError(error, 'resource-not-found', 'invalid-path')) return undefined
        throw error
      }
    },
    async readDirectory(uri, _params, { mcpReq: { signal } }) {
      const location = resolveSkillUri(uri, library.snapshot.skills)
      const summary = library.snapshot.skills.find(({ id }) => id === location?.id)
      const files = location && summary && (await skillFiles(summary, { signal }))
      if (!files) return undefined
      const folder = `${skillUri(location.id, location.path)}/`
      const children = new Map<string, { uri: string; name: string; mimeType: string; size?: number }>()
      for (const file of files) {
        if (!file.uri.startsWith(folder)) continue
        const [name = '', ...deeper] = file.uri.slice(folder.length).split('/')
        const child = { uri: folder + name, name: decodeURIComponent(name) }
        if (deeper.length > 0) children.set(name, { ...child, mimeType: DIRECTORY_MIME_TYPE })
        else
          children.set(name, {
            ...child,
            mimeType: file.mediaType,
            ...(file.size === undefined ? {} : { size: file.size }),
          })
      }
      return children.size === 0 ? undefined : { resources: [...children.values()] }
    },
  }
}

/** The extension requires a name that follows the specification and equals the folder. */
function hasValidName({ name, path, origin }: SkillSummary): boolean {
  return isSpecName(name) && name === basename(path || origin)
}

function manifestFile(skill: OpenedSkill): ServedFile {
  const bytes = new TextEncoder().encode(skill.text)
  const file = { uri: skillUri(skill.id, MANIFEST), skill: skill.id, path: skill.file, mediaType: 'text/markdown' }
  // A different digest means that the file has bytes its text lacks, such as a byte order mark. The caller reads it then.
  return digestOf(bytes) === skill.digest ? { ...file, size: bytes.length, digest: skill.digest } : file
}

/** Decodes UTF-8 that encodes back to the same bytes, including a byte order mark; `undefined` for other bytes. */
function exactText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
