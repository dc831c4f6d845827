import { sameBytes } from '../../core/bytes.js'
import { mapParallel } from '../../core/concurrency.js'
import { isSkillshelfError } from '../../core/errors.js'
import { batchesOf } from '../../library/store/write/batches.js'
import { archiveExamined } from '../../source/archive/write.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { ReadResult, WritableSource } from '../../source/source.js'
import { ENGINE, ENGINE_FILES } from './response-shapes.js'
import { createServerRequest } from './server-request.js'

/** Limits of one upload. A Worker may write a thousand files in a request. */
const MAX_BATCH = { items: 100, bytes: 4 * 1_048_576 }
const PARALLEL_UPLOADS = 4
const PATH = 'v1/engine'

type Contents = Record<string, Uint8Array<ArrayBuffer>>
type EngineState = { library: string; head?: string }

/** Connects to a server that stores the files of a library in a search engine. @throws `invalid-input`, `not-allowed`, `source-failed` */
export async function connectEngineFiles(
  address: string,
  token: string,
  signal: AbortSignal | undefined,
): Promise<{ library: string; files: WritableSource }> {
  const { base, request } = createServerRequest(address, token, signal)
  const readState = async (): Promise<{ library: string; head: ReadResult | undefined }> => {
    const { data, response } = await request<EngineState>({
      method: 'GET',
      path: PATH,
      shape: ENGINE,
    })
    const { library, head } = data
    const version = /^(?:W\/)?"(.+)"$/.exec(response.headers.get('etag') ?? '')?.[1]
    return {
      library,
      head:
        head === undefined
          ? undefined
          : { bytes: new TextEncoder().encode(head), ...(version ? { version } : {}) },
    }
  }
  const { library } = await readState()

  const send = async (
    put: Contents,
    condition: Record<string, string> = {},
    remove: readonly string[] = [],
  ) => {
    const body = await archiveExamined(put, { format: 'zip' })
    const query = remove.map(path => `remove=${encodeURIComponent(path)}`).join('&')
    await request({
      method: 'POST',
      path: query === '' ? PATH : `${PATH}?${query}`,
      shape: ENGINE_FILES,
      body,
      headers: { 'content-type': 'application/zip', ...condition },
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
          Object.entries(put).map(([path, value]) => [
            path,
            typeof value === 'string' ? encoder.encode(value) : value,
          ]),
        )
        const batches = batchesOf(Object.entries(content), ([, bytes]) => bytes.length, MAX_BATCH)
        await mapParallel(batches, PARALLEL_UPLOADS, batch => send(Object.fromEntries(batch)))
        if (!head) return
        try {
          await send({ [CATALOG_FILE]: head }, conditionOf(ifVersion), remove)
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

function conditionOf(ifVersion: string | null | undefined): Record<string, string> {
  if (ifVersion === undefined) return {}
  return ifVersion === null ? { 'if-none-match': '*' } : { 'if-match': `"${ifVersion}"` }
}
