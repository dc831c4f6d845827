import { readCatalog } from '../../catalog/packed-catalog.js'
import type { CatalogEntry } from '../../catalog/types.js'
import { asSkillshelfError, isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { safePath } from '../../core/paths.js'
import { archive } from '../../source/archive/archive.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import { memory } from '../../source/memory.js'
import type { SkillSource } from '../../source/types.js'
import type { SkillStore, StoreChange } from '../../store/store.js'
import { json } from './answer.js'
import { type Endpoint, endpoint } from './endpoint.js'
import * as shape from './schemas.js'
import type { Shelf } from './shelf.js'

const ARCHIVES = ['application/zip', 'application/gzip']
const PROBLEMS = [
  'invalid-input',
  'invalid-path',
  'not-allowed',
  'conflict',
  'too-large',
  'unsupported',
  'source-failed',
  'skill-not-found',
] as const
const changed = { 200: { what: 'What it brought', content: { 'application/json': shape.change } } }

/** What changes the store. Each change happens whole or not at all; of two at once neither is lost. */
export const writing: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v1/store',
    name: 'listStore',
    summary: 'What is stored, by folder, with the digests of SKILL.md and of all the rest',
    answers: { 200: { what: 'Every skill, disabled ones too', content: { 'application/json': shape.stored } } },
    problems: ['not-allowed', 'source-failed'],
    writes: true,
    async run({ shelf, signal }) {
      const stored = await storedIn(storeOf(shelf), signal)
      return json({
        skills: stored.map(({ path, name, digest, details }) => ({ folder: path, name, digest, details })),
      })
    },
  }),
  endpoint({
    method: 'post',
    path: '/v1/store',
    name: 'putSkills',
    summary: 'Puts every skill of an archive, each in its folder; what stands in such a folder is replaced',
    uploads: ARCHIVES,
    answers: changed,
    problems: PROBLEMS,
    writes: true,
    run: async ({ shelf, request, library, signal }) => {
      const store = storeOf(shelf)
      // A folder that holds all that was sent is where it is to stand.
      const source = await uploaded(request, { signal, keepFolders: true })
      return settled(library, () => installed(store, source, { signal }))
    },
  }),
  endpoint({
    method: 'put',
    path: '/v1/store/{folder}',
    name: 'putSkill',
    summary: 'Puts one skill into a folder: an archive with SKILL.md at its root, or a SKILL.md alone',
    params: shape.folderParam,
    uploads: [...ARCHIVES, 'text/markdown'],
    answers: changed,
    problems: PROBLEMS,
    writes: true,
    async run({ shelf, params, request, library, signal }) {
      const store = storeOf(shelf)
      const folder = safePath(params.folder)
      const source = await uploaded(request, { signal })
      const files = (await source.list?.({ signal })) ?? []
      if (!files.some(({ path }) => path.toLowerCase() === 'skill.md'))
        throw new SkillshelfError('invalid-input', 'There is no SKILL.md at the root of what was sent', {
          subject: folder,
          hint: 'send one skill, its SKILL.md not in a folder; several at once: POST /v1/store',
        })
      return settled(library, () => installed(store, source, { as: folder, signal }))
    },
  }),
  endpoint({
    method: 'delete',
    path: '/v1/store/{folder}',
    name: 'removeSkill',
    summary: 'Removes the skill of a folder',
    params: shape.folderParam,
    answers: changed,
    problems: ['invalid-path', 'not-allowed', 'conflict', 'skill-not-found', 'source-failed'],
    writes: true,
    run: async ({ shelf, params, library, signal }) => {
      const store = storeOf(shelf)
      const folder = safePath(params.folder)
      // A store also finds by name: another skill may have the name that is the id of this one.
      if (!(await storedIn(store, signal)).some(({ path }) => path === folder))
        throw new SkillshelfError('skill-not-found', `There is no skill in ${folder}`, { subject: folder })
      return settled(library, () => store.remove(`${store.name}/${folder}`, { signal }))
    },
  }),
]

function storeOf({ store, token }: Shelf): NonNullable<Shelf['store']> {
  if (store && token) return store
  throw new SkillshelfError('not-allowed', 'This shelf cannot be written to', {
    hint: 'whoever keeps it sets a store and a token to allow that',
  })
}

async function storedIn(store: SkillSource, signal: AbortSignal): Promise<readonly CatalogEntry[]> {
  const found = await store.read(CATALOG_FILE, { signal })
  return typeof found === 'object' ? readCatalog(found.bytes, CATALOG_FILE).skills : []
}

/** What was sent, as a source. Its bytes were counted when it came. */
async function uploaded(
  request: Request,
  at: { signal: AbortSignal; keepFolders?: boolean | undefined },
): Promise<SkillSource> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (type === 'text/markdown') return memory({ 'SKILL.md': bytes }, { name: 'upload' })
  if (!ARCHIVES.includes(type))
    throw new SkillshelfError('unsupported', `A skill cannot be sent as ${type || 'nothing in particular'}`, {
      subject: 'content-type',
      hint: `send ${[...ARCHIVES, 'text/markdown'].join(', ')}`,
    })
  const source = archive(bytes, { name: 'upload', ...at })
  // Whoever sent what cannot be read is at fault, not the place.
  const refused = (error: unknown): never => {
    if (isSkillshelfError(error, 'too-large', 'aborted')) throw error
    const { message, details } = asSkillshelfError(error, 'format', 'The archive cannot be read')
    throw new SkillshelfError('invalid-input', message.replace(` (${details.hint})`, ''), {
      subject: 'body',
      hint: 'send a zip or a tar.gz',
    })
  }
  await source.list?.({ signal: at.signal }).catch(refused)
  return source
}

/** Where there is no skill in what was sent, the address was right all the same. */
async function installed(
  ...[store, ...given]: [SkillStore, ...Parameters<SkillStore['install']>]
): Promise<StoreChange> {
  try {
    return await store.install(...given)
  } catch (error) {
    if (!isSkillshelfError(error, 'skill-not-found')) throw error
    throw SkillshelfError.from({ ...error.toJSON(), code: 'invalid-input' })
  }
}

/** Who wrote reads what was written, and so does everybody who asks here after that. */
async function settled(library: { refresh(): Promise<unknown> }, write: () => Promise<StoreChange>): Promise<Response> {
  const { added, changed, removed, diagnostics } = await write()
  await library.refresh()
  return json({ added, changed, removed, diagnostics })
}
