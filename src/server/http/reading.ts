import { digestOfLarge, shortDigest } from '../../core/digest.js'
import { filterSkills } from '../../library/arguments.js'
import type { SkillLibrary } from '../../library/types.js'
import { catalogSection } from '../../session/prompt/catalog-section.js'
import { bytesAnswer, json, text } from './answer.js'
import { archiveOf } from './archive.js'
import { type Endpoint, endpoint } from './endpoint.js'
import * as shape from './schemas.js'

const PAGE = 100
/** Files of skills are strangers': opened by their address, they run nothing. */
const INERT = { 'content-security-policy': "default-src 'none'; sandbox", 'x-content-type-options': 'nosniff' }
const FRESH = { 'cache-control': 'no-cache' }

const ok = (what: string, schema: NonNullable<Endpoint['answers'][number]['content']>[string]) => ({
  200: { what, content: { 'application/json': schema } },
})
const NOT_FOUND = ['skill-not-found', 'ambiguous-name', 'source-failed'] as const

/** What is read of a library: its skills, their files, its prompt. */
export const reading: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v1/health',
    name: 'health',
    summary: 'Whether the library is open, and how much is in it',
    answers: ok('It is', shape.health),
    problems: ['source-failed'],
    run: async ({ library: { snapshot }, shelf }) =>
      json({
        status: 'ok',
        revision: snapshot.revision,
        skills: snapshot.skills.length,
        writable: Boolean(shelf.store && shelf.token),
      }),
  }),
  endpoint({
    method: 'get',
    path: '/v1/library',
    name: 'library',
    summary: 'Every skill, name and description, and what is wrong with the sources',
    answers: ok('The snapshot', shape.snapshot),
    problems: [],
    byRevision: true,
    run: async ({ library: { snapshot } }) => json(snapshot, FRESH),
  }),
  endpoint({
    method: 'get',
    path: '/v1/skills',
    name: 'listSkills',
    summary: 'Skills by page, sorted by id',
    query: shape.listQuery,
    answers: ok('A page', shape.list),
    problems: ['invalid-input'],
    byRevision: true,
    async run({ library: { snapshot }, query: { tag, origin, limit = PAGE, cursor } }) {
      const all = filterSkills(snapshot.skills, {
        ...(tag ? { tags: tag } : {}),
        ...(origin ? { origins: origin } : {}),
      })
      const rest = cursor === undefined ? all : all.filter(({ id }) => id > cursor)
      const skills = rest.slice(0, limit)
      const last = skills.at(-1)
      return json(
        {
          revision: snapshot.revision,
          total: all.length,
          skills,
          ...(last && rest.length > limit ? { nextCursor: last.id } : {}),
        },
        FRESH,
      )
    },
  }),
  endpoint({
    method: 'get',
    path: '/v1/skills/{skill}',
    name: 'getSkill',
    summary: 'A skill, opened: its instructions and the list of its files',
    params: shape.skillParam,
    answers: ok('The skill', shape.skill),
    problems: NOT_FOUND,
    byRevision: true,
    run: async ({ library, params, signal }) => json(await library.get(params.skill, { signal }), FRESH),
  }),
  endpoint({
    method: 'get',
    path: '/v1/skills/{skill}/files/{path}',
    name: 'readFile',
    summary: 'A file of a skill, as it is: whole, or a range of its bytes',
    params: shape.fileParam,
    answers: {
      200: { what: 'The file', content: { '*/*': 'bytes' } },
      206: { what: 'A part of it', content: { '*/*': 'bytes' } },
      416: { what: 'The range lies behind its end' },
    },
    problems: [...NOT_FOUND, 'resource-not-found', 'invalid-path'],
    async run({ library, params, request, signal }) {
      const { bytes, digest, mediaType, ...file } = await library.read(params.skill, params.path, { signal })
      const tag = `"${shortDigest(digest ?? (await digestOfLarge(bytes)))}"`
      return bytesAnswer(request, bytes, tag, {
        ...FRESH,
        ...INERT,
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
    summary: 'A skill with all its files, as an archive: the same skill gives the same bytes',
    params: shape.skillParam,
    query: shape.archiveQuery,
    answers: {
      200: { what: 'SKILL.md first', content: { 'application/zip': 'bytes', 'application/gzip': 'bytes' } },
      206: { what: 'A part of it', content: { 'application/zip': 'bytes', 'application/gzip': 'bytes' } },
      416: { what: 'The range lies behind its end' },
    },
    problems: [...NOT_FOUND, 'invalid-input', 'too-large'],
    async run({ library, params, query: { format = 'zip' }, request, signal }) {
      const bytes = await archiveOf(library, params.skill, format, signal)
      return bytesAnswer(request, bytes, `"${shortDigest(await digestOfLarge(bytes))}"`, {
        ...FRESH,
        ...INERT,
        'content-type': format === 'zip' ? 'application/zip' : 'application/gzip',
      })
    },
  }),
  endpoint({
    method: 'get',
    path: '/v1/prompt',
    name: 'prompt',
    summary: 'The section for the head of a prompt: names and descriptions, within a budget',
    query: shape.promptQuery,
    answers: { 200: { what: 'The section, empty where there is no skill', content: { 'text/plain': 'text' } } },
    problems: ['invalid-input'],
    byRevision: true,
    run: async ({ library, query: { tokens } }) => text(section(library, tokens), 'text/plain', FRESH),
  }),
]

function section({ snapshot }: SkillLibrary, tokens: number | undefined): string {
  return catalogSection(snapshot.skills, tokens === undefined ? {} : { maxTokens: tokens })
}
