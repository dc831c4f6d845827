import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { SkillSource } from '../../source/source.js'
import { type EngineHead, readHead } from '../engine/head.js'
import { uploadedSource } from './archive.js'
import { type Endpoint, endpoint, okJson } from './endpoint.js'
import { json } from './responses.js'
import * as schemas from './schemas.js'
import type { ServedLibrary } from './served-library.js'

/** Paths that a publish writes. */
const FILES = /^(?:files|counts)\/[\w-]+\.\w+$/

/** Files of a library in a search engine, for `skillshelf publish --engine`. Its rows are written to the engine directly. */
export const engineRoutes: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v1/engine',
    name: 'getEngineHead',
    summary: 'Name and head of the library in a search engine; the ETag is the version of the head',
    responses: okJson('The head, if a revision is published', schemas.engineHead),
    problems: ['not-allowed', 'source-failed'],
    writes: true,
    async run({ options, signal }) {
      const { library, files } = writableEngine(options)
      const found = await files.read(CATALOG_FILE, { signal })
      if (typeof found !== 'object') return json({ library })
      return json({ library, head: new TextDecoder().decode(found.bytes) }, etag(found.version))
    },
  }),
  endpoint({
    method: 'post',
    path: '/v1/engine',
    name: 'putEngineFiles',
    summary:
      'Stores files of a library in a search engine. A `skillshelf.json` among them needs a condition and publishes a revision',
    query: schemas.engineFilesQuery,
    uploads: ['application/zip'],
    responses: okJson('Number of files', schemas.engineFiles),
    problems: [
      'invalid-input',
      'not-allowed',
      'conflict',
      'too-large',
      'unsupported',
      'source-failed',
    ],
    conditional: true,
    writes: true,
    async run({ options, query, request, library, signal }) {
      const { files, library: name } = writableEngine(options)
      const upload = await uploadedSource(request, {
        types: ['application/zip'],
        signal,
        keepFolders: true,
      })
      const put: Record<string, Uint8Array<ArrayBuffer>> = {}
      for (const { path } of (await upload.list?.({ signal })) ?? []) {
        if (path !== CATALOG_FILE) checkPath(path)
        const file = await upload.read(path, { signal })
        if (typeof file === 'object') put[path] = file.bytes
      }
      const { remove = [] } = query
      for (const path of remove) checkPath(path)
      const head = CATALOG_FILE in put ? await uploadedHead(upload, name) : undefined
      const ifVersion = head ? conditionOf(request) : undefined
      await files.write({ put, remove }, { ifVersion, signal })
      const stored = { stored: Object.keys(put).length }
      if (!head) return json(stored)
      // Later requests to this isolate find the new revision.
      if (!head.pending) await library.refresh({ signal })
      const written = await files.read(CATALOG_FILE, { signal })
      return json(stored, typeof written === 'object' ? etag(written.version) : {})
    },
  }),
]

function writableEngine({ engine, token }: ServedLibrary): NonNullable<ServedLibrary['engine']> {
  if (engine && token) return engine
  throw new SkillshelfError(
    'not-allowed',
    'This server stores no files of a library in a search engine',
    {
      hint: 'give `engine` and `token` to createHandler; the Worker of skillshelf needs QDRANT_URL and SKILLSHELF_TOKEN',
    },
  )
}

function etag(version: string | undefined): Record<string, string> {
  return version === undefined ? {} : { etag: `"${version}"` }
}

function checkPath(path: string): void {
  if (!FILES.test(path)) {
    throw new SkillshelfError(
      'invalid-input',
      `${JSON.stringify(path.slice(0, 200))} is not a file of a library`,
      {
        subject: 'body',
        hint: 'publish with: skillshelf publish --engine',
      },
    )
  }
}

/** @throws SkillshelfError `invalid-input` */
async function uploadedHead(upload: SkillSource, library: string): Promise<EngineHead> {
  try {
    const found = await readHead(upload)
    if (typeof found === 'object' && found.head.library === library) return found.head
  } catch (error) {
    if (!isSkillshelfError(error, 'format')) throw error
  }
  throw new SkillshelfError(
    'invalid-input',
    `The uploaded ${CATALOG_FILE} is not the head of the library ${library}`,
    {
      subject: 'body',
      hint: `publish with: skillshelf publish --engine --library ${library}`,
    },
  )
}

/** Without a condition, one publish could overwrite another. */
function conditionOf({ headers }: Request): string | null {
  if (headers.get('if-none-match') === '*') return null
  const [, version] = /^(?:W\/)?"([^"]+)"$/.exec(headers.get('if-match') ?? '') ?? []
  if (version !== undefined) return version
  throw new SkillshelfError(
    'invalid-input',
    `${CATALOG_FILE} needs If-Match with its ETag, or If-None-Match: *`,
    {
      subject: 'if-match',
      hint: 'read /v1/engine first',
    },
  )
}
