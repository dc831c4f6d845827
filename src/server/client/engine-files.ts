import { sameBytes } from '../../core/bytes.js'
import { mapParallel } from '../../core/concurrency.js'
import { isSkillshelfError } from '../../core/errors.js'
import { isRecord, parseJson } from '../../core/plain-data.js'
import { writeArchive } from '../../source/archive/write.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { ReadResult, WritableSource } from '../../source/source.js'
import type { Reply } from './request.js'
import { createServerRequest } from './server-request.js'

/** Limits of one upload. A Worker may write a thousand files in a request. */
const MAX_BATCH_BYTES = 4 * 1_048_576
const MAX_BATCH_FILES = 100
const PARALLEL_UPLOADS = 4
const PATH = 'v1/engine'

type Contents = Record<string, Uint8Array<ArrayBuffer>>

/** Connects to a server that stores the files of a library in a search engine. @throws `invalid-input`, `not-allowed`, `source-failed` */
export async function connectEngineFiles(
  address: string,
  token: string,
  signal: AbortSignal | undefined,
): Promise<{ library: string; files: WritableSource }> {
  const { base, request } = createServerRequest(address, token, signal)
  const readState = () => request({ method: 'GET', path: PATH, read: parseState })
  const { library } = await readState()

  const send = async (
    put: Contents,
    { ifVersion, remove = [] }: { ifVersion?: string | null; remove?: readonly string[] },
  ) => {
    const body = await writeArchive(put, { format: 'zip' })
    const query = remove.map(path => `remove=${encodeURIComponent(path)}`).join('&')
    await request({
      method: 'POST',
      path: query === '' ? PATH : `${PATH}?${query}`,
      body,
      headers: { 'content-type': 'application/zip', ...condition(ifVersion) },
      read: ({ bytes }) => (isRecord(parseJson(bytes)) ? true : undefined),
    })
  }
  const readHead = async (): Promise<ReadResult | undefined> => (await readState()).head

  return {
    library,
    files: {
      name: base.host,
      read: async path => (path === CATALOG_FILE ? readHead() : undefined),
      async write({ put = {}, remove = [] }, { ifVersion } = {}) {
        const encoder = new TextEncoder()
        const { [CATALOG_FILE]: head, ...content }: Contents = Object.fromEntries(
          Object.entries(put).map(([path, value]) => [path, typeof value === 'string' ? encoder.encode(value) : value]),
        )
        await mapParallel(batchesOf(content), PARALLEL_UPLOADS, batch => send(batch, {}))
        if (!head) return
        try {
          await send({ [CATALOG_FILE]: head }, { ...(ifVersion === undefined ? {} : { ifVersion }), remove })
        } catch (error) {
          if (!isSkillshelfError(error, 'conflict')) throw error
          // An attempt may have succeeded although its response was lost.
          const stored = await readHead()
          if (!stored || !sameBytes(stored.bytes, head)) throw error
        }
      },
    },
  }
}

function condition(ifVersion: string | null | undefined): Record<string, string> {
  if (ifVersion === undefined) return {}
  return ifVersion === null ? { 'if-none-match': '*' } : { 'if-match': `"${ifVersion}"` }
}

function parseState({ bytes, response }: Reply): { library: string; head: ReadResult | undefined } | undefined {
  const state = parseJson(bytes)
  if (!isRecord(state)) return undefined
  const { library, head } = state
  if (typeof library !== 'string' || (head !== undefined && typeof head !== 'string')) return undefined
  const version = /^(?:W\/)?"(.+)"$/.exec(response.headers.get('etag') ?? '')?.[1]
  if (head === undefined) return { library, head: undefined }
  return { library, head: { bytes: new TextEncoder().encode(head), ...(version === undefined ? {} : { version }) } }
}

function batchesOf(contents: Contents): Contents[] {
  const batches: Contents[] = []
  let size = 0
  let count = 0
  for (const [path, bytes] of Object.entries(contents)) {
    const last = batches.at(-1)
    if (last && count < MAX_BATCH_FILES && size + bytes.length <= MAX_BATCH_BYTES) last[path] = bytes
    else {
      batches.push({ [path]: bytes })
      size = 0
      count = 0
    }
    size += bytes.length
    count++
  }
  return batches
}
