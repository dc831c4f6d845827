import { shortDigest } from '../../core/digest.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { safePath } from '../../core/paths.js'
import { vectorSpaces } from '../../library/catalog/index-files.js'
import { readStoredCatalog } from '../../library/catalog/stored-catalog.js'
import type {
  ChangeOptions,
  InstallOptions,
  SkillStore,
  StoreChange,
} from '../../library/store/store.js'
import { isInputError } from '../../library/store/write/install-input.js'
import { type StoredSkill, toStoredSkill } from '../../library/store/write/stored-skill.js'
import type { SkillSource } from '../../source/source.js'
import { uploadedSource } from './archive.js'
import { type Endpoint, endpoint, okJson } from './endpoint.js'
import { json, matchesTag, notModified } from './responses.js'
import * as schemas from './schemas.js'
import type { ServedLibrary } from './served-library.js'

const ARCHIVE_TYPES = ['application/zip', 'application/gzip']
const SKILL_TYPES = [...ARCHIVE_TYPES, 'text/markdown']
const UPLOAD_PROBLEMS = [
  'invalid-input',
  'invalid-path',
  'not-allowed',
  'conflict',
  'too-large',
  'unsupported',
  'source-failed',
  'skill-not-found',
] as const
const changed = okJson('The change', schemas.change)

/** Writes to the store. Each change is atomic, and concurrent changes are serialized by the store. */
export const storeRoutes: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v1/store',
    name: 'listStore',
    summary: 'Stored skills by folder, with the digest of SKILL.md and of the other files',
    responses: okJson('All skills, including disabled ones', schemas.stored),
    problems: ['not-allowed', 'source-failed'],
    writes: true,
    async run({ options, signal }) {
      const stored = await storedSkills(writableStore(options), signal)
      return json({ skills: stored.map(skill => ({ ...skill, etag: skillTag(skill) })) })
    },
  }),
  endpoint({
    method: 'get',
    path: '/v1/store/{folder}',
    name: 'getStored',
    summary: 'A stored skill with its digests and ETag',
    params: schemas.folderParam,
    responses: okJson('The stored skill', schemas.storedSkill),
    problems: ['invalid-path', 'not-allowed', 'skill-not-found', 'source-failed'],
    writes: true,
    async run({ options, params, request, signal }) {
      const skill = await findStored(writableStore(options), safePath(params.folder), signal)
      const etag = skillTag(skill)
      const isCached = matchesTag(request.headers.get('if-none-match'), etag)
      return isCached ? notModified({ etag }) : json({ ...skill, etag }, { etag })
    },
  }),
  endpoint({
    method: 'post',
    path: '/v1/store',
    name: 'putSkills',
    summary:
      'Stores every skill of an archive in its folder and replaces the previous content of that folder',
    query: schemas.uploadQuery,
    uploads: ARCHIVE_TYPES,
    responses: changed,
    problems: UPLOAD_PROBLEMS,
    writes: true,
    async run({ options, query: { allow }, request, library, signal }) {
      const store = writableStore(options)
      // A single top folder in the archive is the target folder, so it is not stripped.
      const source = await uploadedSource(request, {
        types: SKILL_TYPES,
        signal,
        keepFolders: true,
      })
      return writeResponse(library, () => install(store, source, { allow, signal }))
    },
  }),
  endpoint({
    method: 'put',
    path: '/v1/store/{folder}',
    name: 'putSkill',
    summary:
      'Stores one skill in a folder: an archive with SKILL.md at its root, or only a SKILL.md',
    params: schemas.folderParam,
    query: schemas.uploadQuery,
    uploads: SKILL_TYPES,
    responses: changed,
    problems: UPLOAD_PROBLEMS,
    conditional: true,
    writes: true,
    async run({ options, params, query: { allow }, request, library, signal }) {
      const store = writableStore(options)
      const folder = safePath(params.folder)
      const source = await uploadedSource(request, { types: SKILL_TYPES, signal })
      const files = (await source.list?.({ signal })) ?? []
      if (!files.some(({ path }) => path.toLowerCase() === 'skill.md')) {
        throw new SkillshelfError('invalid-input', 'The upload has no SKILL.md at its root', {
          subject: folder,
          hint: 'move SKILL.md to the root; to upload several skills use POST /v1/store',
        })
      }
      const precondition = preconditionOf(request, folder)
      return writeResponse(
        library,
        () => install(store, source, { as: folder, allow, precondition, signal }),
        folder,
      )
    },
  }),
  endpoint({
    method: 'delete',
    path: '/v1/store/{folder}',
    name: 'removeSkill',
    summary: 'Removes the skill in a folder',
    params: schemas.folderParam,
    responses: changed,
    problems: ['invalid-path', 'not-allowed', 'conflict', 'skill-not-found', 'source-failed'],
    conditional: true,
    writes: true,
    async run({ options, params, request, library, signal }) {
      const store = writableStore(options)
      const folder = safePath(params.folder)
      // `store.remove` also accepts names, and another skill's name may equal this id.
      await findStored(store, folder, signal)
      const precondition = preconditionOf(request, folder)
      return writeResponse(library, () =>
        store.remove(`${store.name}/${folder}`, { precondition, signal }),
      )
    },
  }),
  endpoint({
    method: 'post',
    path: '/v1/sweep',
    name: 'sweep',
    summary: 'Removes files of the store that no skill needs any more',
    body: schemas.sweepBody,
    responses: okJson('The removed files', schemas.sweep),
    problems: ['invalid-input', 'not-allowed', 'conflict', 'unsupported', 'source-failed'],
    writes: true,
    run: async ({ options, body, signal }) =>
      json(await writableStore(options).sweep({ ...body, signal })),
  }),
]

function writableStore({
  store,
  token,
  engine,
}: ServedLibrary): NonNullable<ServedLibrary['store']> {
  if (store && token) return store
  if (engine) {
    throw new SkillshelfError(
      'not-allowed',
      'The skills of this server are in a search engine, which is published as a whole',
      { hint: 'use: skillshelf publish --engine' },
    )
  }
  throw new SkillshelfError('not-allowed', 'This server is read-only', {
    hint: 'give `store` and `token` to createHandler',
  })
}

async function storedSkills(
  store: SkillSource,
  signal: AbortSignal,
): Promise<readonly StoredSkill[]> {
  const stored = await readStoredCatalog(store, signal)
  if (!stored) return []
  const spaces = vectorSpaces(stored.catalog)
  return stored.catalog.skills.map(entry => {
    const vectors = spaces.get(entry.path)
    return { ...toStoredSkill(entry), ...(vectors === undefined ? {} : { vectors }) }
  })
}

/** @throws SkillshelfError `skill-not-found` */
async function findStored(
  store: SkillSource,
  folder: string,
  signal: AbortSignal,
): Promise<StoredSkill> {
  const found = (await storedSkills(store, signal)).find(skill => skill.folder === folder)
  if (found) return found
  throw new SkillshelfError('skill-not-found', `No skill in folder "${folder}"`, {
    subject: folder,
  })
}

/** The ETag of a stored skill. It changes with any of its files. */
function skillTag({ digest, details }: StoredSkill): string {
  return `"${shortDigest(digest)}-${shortDigest(details)}"`
}

/** Checks `If-Match` and `If-None-Match` before each attempt to write. */
function preconditionOf(
  { headers }: Request,
  folder: string,
): NonNullable<ChangeOptions['precondition']> {
  const ifMatch = headers.get('if-match')
  const ifNoneMatch = headers.get('if-none-match')
  return stored => {
    const skill = stored.find(one => one.folder === folder)
    const matches = (list: string): boolean =>
      skill !== undefined && matchesTag(list, skillTag(skill))
    if ((ifMatch === null || matches(ifMatch)) && (ifNoneMatch === null || !matches(ifNoneMatch))) {
      return
    }
    throw new SkillshelfError(
      'conflict',
      `Folder "${folder}" ${skill ? `has a skill with the ETag ${skillTag(skill)}` : 'has no skill'}`,
      {
        subject: folder,
        status: 412,
        hint: `read /v1/store/${encodeURIComponent(folder)} again and retry`,
      },
    )
  }
}

/** Installs an upload. What is wrong with the upload is `invalid-input`: the address is right, and the store has not failed. */
async function install(
  store: SkillStore,
  source: SkillSource,
  options: InstallOptions,
): Promise<StoreChange> {
  try {
    return await store.install(source, options)
  } catch (error) {
    if (isSkillshelfError(error, 'skill-not-found')) {
      throw SkillshelfError.from({ ...error.toJSON(), code: 'invalid-input' })
    }
    if (isInputError(error) && isSkillshelfError(error, 'format', 'source-failed')) {
      throw uploadError(error)
    }
    throw error
  }
}

function uploadError({ message, details }: SkillshelfError): SkillshelfError {
  return new SkillshelfError(
    'invalid-input',
    `The upload cannot be stored: ${message.replace(` (${details.hint})`, '')}`,
    {
      subject: 'body',
      hint: `upload the folders of the skills, or every file that pack wrote`,
    },
  )
}

/** Writes, then refreshes the library, so that the next request reads it. The ETag is that of the skill in `folder`. */
async function writeResponse(
  library: { refresh(): Promise<unknown> },
  write: () => Promise<StoreChange>,
  folder?: string,
): Promise<Response> {
  const { added, changed, removed, stored, diagnostics } = await write()
  await library.refresh()
  const skill = stored.find(one => one.folder === folder)
  return json({ added, changed, removed, diagnostics }, skill ? { etag: skillTag(skill) } : {})
}
