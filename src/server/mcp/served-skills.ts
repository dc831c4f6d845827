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
import { idOf, placeOf, uriOf } from './skill-uri.js'

/** Skills in one answer: each costs two reads of a packed library, and an edge Worker has fifty. */
const PAGE = 20
const PARALLEL = 8
const MANIFEST = 'SKILL.md'

/** A file as the extension has it: SKILL.md is spelled so, however it is on the shelf. */
interface ServedFile {
  uri: string
  skill: SkillId
  path: string
  mediaType: string
  size?: number
  digest?: string
}

/** The skills of a session's library as the Skills extension serves them. */
export function servedSkills(session: Session): SkillSource {
  const { library } = session
  /** All of a skill's folder, with the files of skills in it; `undefined` where hosts take no skill of so many files. */
  const filesOf = async ({ id, origin }: SkillSummary, at: AbortOptions): Promise<ServedFile[] | undefined> => {
    const { skills } = library.snapshot
    const inside = skills.filter(one => one.origin === origin && (one.id === id || one.id.startsWith(`${id}/`)))
    if (inside.length > SKILL_LIMITS.files) return undefined
    const opened = await mapParallel(inside, PARALLEL, one => library.get(one.id, at))
    const files = opened.flatMap(skill => [
      manifestOf(skill),
      ...skill.files.map(file => ({ ...file, uri: uriOf(skill.id, file.path), skill: skill.id })),
    ])
    return files.length > SKILL_LIMITS.files ? undefined : files.sort((a, b) => (a.uri < b.uri ? -1 : 1))
  }

  const entryOf = async (summary: SkillSummary, at: AbortOptions): Promise<Skill | undefined> => {
    const files = await filesOf(summary, at)
    if (!files) return undefined
    const resources = await mapParallel(files, PARALLEL, async ({ uri, skill, path, size, digest }) => {
      if (size !== undefined && digest !== undefined) return { uri, size, digest }
      const { bytes } = await library.read(skill, path, at)
      return { uri, size: bytes.length, digest: await digestOfLarge(bytes) }
    })
    const { fields } = await parseSkill((await library.get(summary.id, at)).text)
    // The extension itself looks whether name and description are there.
    return { uri: uriOf(summary.id, MANIFEST), frontmatter: fields, resources } as Skill
  }

  return {
    async list({ cursor }, { mcpReq: { signal } }) {
      const named = library.snapshot.skills.filter(isTaken)
      const rest = cursor === undefined ? named : named.filter(({ id }) => id > cursor)
      const page = rest.slice(0, PAGE)
      const last = page.at(-1)
      const listed = await mapParallel(page, PARALLEL, one =>
        entryOf(one, { signal }).catch(error => {
          if (!isSkillshelfError(error) || error.code === 'aborted') throw error
          // One that cannot be read hides no other.
          return undefined
        }),
      )
      const skills = listed.filter(entry => entry !== undefined)
      return last && rest.length > page.length ? { skills, nextCursor: last.id } : { skills }
    },
    async get(uri, { mcpReq: { signal } }) {
      const id = idOf(uri, MANIFEST)
      const summary = library.snapshot.skills.find(one => one.id === id)
      return summary && isTaken(summary) ? entryOf(summary, { signal }) : undefined
    },
    async read(uri, { mcpReq: { signal } }) {
      const place = placeOf(uri, library.snapshot.skills)
      if (!place) return undefined
      const { id, path } = place
      try {
        const spelled = path === MANIFEST ? (await library.get(id, { signal })).file : path
        const { bytes, mediaType: mimeType } = await session.read(id, spelled, { signal })
        const text = wholeText(bytes)
        return text === undefined ? { bytes, mimeType } : { text, mimeType }
      } catch (error) {
        if (isSkillshelfError(error, 'resource-not-found', 'invalid-path')) return undefined
        throw error
      }
    },
    async readDirectory(uri, _params, { mcpReq: { signal } }) {
      const place = placeOf(uri, library.snapshot.skills)
      const summary = library.snapshot.skills.find(({ id }) => id === place?.id)
      const files = place && summary && (await filesOf(summary, { signal }))
      if (!files) return undefined
      const folder = `${uriOf(place.id, place.path)}/`
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

/** Whether the extension takes a skill of this name in this folder. */
function isTaken({ name, path, origin }: SkillSummary): boolean {
  return isSpecName(name) && name === basename(path || origin)
}

function manifestOf(skill: OpenedSkill): ServedFile {
  const bytes = new TextEncoder().encode(skill.text)
  const file = { uri: uriOf(skill.id, MANIFEST), skill: skill.id, path: skill.file, mediaType: 'text/markdown' }
  // Else it has bytes that are no part of its text, such as a byte order mark: it is read once more.
  return digestOf(bytes) === skill.digest ? { ...file, size: bytes.length, digest: skill.digest } : file
}

/** Bytes as text that has the very same bytes again, a byte order mark too. */
function wholeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
