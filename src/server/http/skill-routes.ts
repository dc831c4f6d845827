import { catalogSection } from '../../agent/session/prompt.js'
import { digestOfLarge, shortDigest } from '../../core/digest.js'
import { pageOf } from '../../core/paging.js'
import { UNTRUSTED } from '../../core/sanitize.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { filterSkills } from '../../library/query/arguments.js'
import { skillArchive } from './archive.js'
import { decodePart, type Endpoint, endpoint, okJson } from './endpoint.js'
import { bytesResponse, json, text } from './responses.js'
import * as schemas from './schemas.js'
import { isPartlyListed } from './served-library.js'

const PAGE_SIZE = 100
const REVALIDATE = { 'cache-control': 'no-cache' }
const SKILL_PROBLEMS = ['skill-not-found', 'ambiguous-name', 'source-failed'] as const

const byteResponses = (description: string, ...types: string[]): Endpoint['responses'] => {
  const content = Object.fromEntries(types.map(type => [type, 'bytes' as const]))
  return {
    200: { description, content },
    206: { description: 'The requested range', content },
    416: { description: 'The range starts past the end' },
  }
}

/** Reads: health, skills, their files and the prompt. */
export const skillRoutes: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v1/health',
    name: 'health',
    summary: 'Whether the library is open, and how many skills it has',
    responses: okJson('The library is open', schemas.health),
    problems: ['source-failed'],
    async run({ library, options: { store, token } }) {
      const { revision, total } = library.snapshot
      return json({ status: 'ok', revision, skills: total, writable: Boolean(store && token) })
    },
  }),
  endpoint({
    method: 'get',
    path: '/v1/library',
    name: 'library',
    summary:
      'Snapshot: names and descriptions of up to 20,000 skills, and diagnostics of the sources',
    responses: okJson('The snapshot', schemas.snapshot),
    problems: [],
    taggedByRevision: true,
    run: async ({ library }) => {
      const { snapshot } = library
      const { revision, total, diagnostics } = snapshot
      if (isPartlyListed(library)) {
        return json({ revision, skills: [], total, diagnostics }, REVALIDATE)
      }
      // Without `total`, which says that skills are missing.
      return json({ revision, skills: snapshot.skills, diagnostics }, REVALIDATE)
    },
  }),
  endpoint({
    method: 'get',
    path: '/v1/skills',
    name: 'listSkills',
    summary:
      'One page of skills, sorted by id, or in an order of its own from a library in a search engine',
    query: schemas.listQuery,
    responses: okJson('A page', schemas.list),
    problems: ['invalid-input', 'source-failed'],
    taggedByRevision: true,
    async run({ library, query: { tag, origin, id, limit = PAGE_SIZE, cursor }, signal }) {
      const filter = { tags: tag, origins: origin, ids: id }
      if (library.page) {
        const page = await library.page({ ...filter, limit, cursor, signal })
        // Reading the page may have found a new revision.
        const { revision, total: all } = library.snapshot
        const total = tag || origin || id ? {} : { total: all }
        return json({ revision, ...total, skills: page.skills, nextCursor: page.next }, REVALIDATE)
      }
      const { snapshot } = library
      const all = filterSkills(snapshot.skills, filter)
      const { items: skills, nextCursor } = pageOf(all, cursor, limit)
      return json(
        { revision: snapshot.revision, total: all.length, skills, nextCursor },
        REVALIDATE,
      )
    },
  }),
  endpoint({
    method: 'get',
    path: '/v1/skills/{skill}',
    name: 'getSkill',
    summary: 'A skill with its instructions and the list of its files',
    params: schemas.skillParam,
    responses: okJson('The skill', schemas.skill),
    problems: SKILL_PROBLEMS,
    taggedByRevision: true,
    run: async ({ library, params, signal }) =>
      json(await library.get(params.skill, { signal }), REVALIDATE),
  }),
  endpoint({
    method: 'get',
    path: '/v1/skills/{skill}/files/{path}',
    name: 'readFile',
    summary: 'A file of a skill, whole or one range of its bytes',
    params: schemas.fileParam,
    responses: byteResponses('The file', '*/*'),
    problems: [...SKILL_PROBLEMS, 'resource-not-found', 'invalid-path'],
    async run({ library, params, request, signal }) {
      const { bytes, digest, mediaType, ...file } = await library.read(params.skill, params.path, {
        signal,
      })
      const tag = `"${shortDigest(digest ?? (await digestOfLarge(bytes)))}"`
      return bytesResponse(request, bytes, tag, {
        ...REVALIDATE,
        ...UNTRUSTED,
        'content-type': file.text === undefined ? mediaType : `${mediaType}; charset=utf-8`,
        'skill-id': encodeURIComponent(file.skill),
        'skill-path': encodeURIComponent(file.path),
        'skill-location': encodeURIComponent(file.location),
        'skill-size': String(bytes.length),
        ...(digest === undefined ? {} : { 'skill-digest': digest }),
      })
    },
  }),
  endpoint({
    method: 'get',
    path: '/v1/skills/{skill}/archive',
    name: 'archiveSkill',
    summary: 'A skill with all its files as an archive. The same skill gives the same bytes',
    params: schemas.skillParam,
    query: schemas.archiveQuery,
    responses: byteResponses('The archive, SKILL.md first', 'application/zip', 'application/gzip'),
    problems: [...SKILL_PROBLEMS, 'invalid-input', 'too-large'],
    async run({ library, params, query: { format = 'zip' }, request, signal }) {
      const bytes = await skillArchive(library, params.skill, format, signal)
      return bytesResponse(request, bytes, `"${shortDigest(await digestOfLarge(bytes))}"`, {
        ...REVALIDATE,
        ...UNTRUSTED,
        'content-type': format === 'zip' ? 'application/zip' : 'application/gzip',
      })
    },
  }),
  endpoint({
    method: 'get',
    path: '/v1/prompt',
    name: 'prompt',
    summary: 'System prompt section with the names and descriptions of skills',
    query: schemas.promptQuery,
    responses: {
      200: { description: 'The section; empty without skills', content: { 'text/plain': 'text' } },
    },
    problems: ['invalid-input'],
    taggedByRevision: true,
    async run({ library, query: { tokens } }) {
      const section = catalogSection(
        library.snapshot.skills,
        tokens === undefined ? {} : { maxTokens: tokens },
      )
      return text(section, 'text/plain', { ...REVALIDATE, ...UNTRUSTED })
    },
  }),
]

/** An operation of one skill, and its path parameters. */
interface SkillPath {
  operation: 'getSkill' | 'readFile' | 'archiveSkill'
  params: { skill: string; path?: string }
}

/**
 * Parses the path after `/v1/skills/`. Ids contain slashes, and many generated clients do not encode them, so the path is split where an id of
 * the library ends. If none does, it is split at the first segment that fits.
 * @param path Path without the prefix, as in the URL. An encoded slash is part of the id too.
 */
export function parseSkillPath(path: string, { snapshot }: SkillLibrary): SkillPath | undefined {
  if (path === '') return undefined
  const segments = path.split('/').map(decodePart)
  const candidates = segments.flatMap((_, index): SkillPath[] => {
    const skill = segments.slice(0, index + 1).join('/')
    const [operation, ...file] = segments.slice(index + 1)
    if (operation === undefined) return [{ operation: 'getSkill', params: { skill } }]
    if (operation === 'archive' && file.length === 0) {
      return [{ operation: 'archiveSkill', params: { skill } }]
    }
    if (operation === 'files' && file.length > 0) {
      return [{ operation: 'readFile', params: { skill, path: file.join('/') } }]
    }
    return []
  })
  const possible = new Set(candidates.map(({ params }) => params.skill))
  const ids = new Set(snapshot.skills.filter(({ id }) => possible.has(id)).map(({ id }) => id))
  return candidates.find(({ params }) => ids.has(params.skill)) ?? candidates[0]
}
