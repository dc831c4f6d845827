import { TIMED_OUT, withTimeout } from '../../../core/abort.js'
import { digestOfLarge } from '../../../core/digest.js'
import { errorMessage, SkillshelfError } from '../../../core/errors.js'
import { isWorker } from '../../../core/platform.js'
import { readModelFile, readModelStart } from '../format.js'
import { type PartRows, type PiecedRows, piecedRows, wholeRows } from '../part-rows.js'
import type { Part } from '../script-parts.js'
import { DIGESTS, START_DIGESTS } from './digests.js'

type Bytes = Uint8Array<ArrayBuffer>

/** Where the files of the model are. `undefined`: a file is not there. */
export interface ModelPlace {
  /** Reads the file of a whole part. */
  readPart(part: Part, signal?: AbortSignal): Promise<Bytes | undefined>
  /** Reads a file of `model/rows`. Absent where only whole parts are. */
  readRows?(name: string, signal?: AbortSignal): Promise<Bytes | undefined>
}

/** Files of a place, with checked content. */
export interface ModelFileLoader {
  /** @throws SkillshelfError `source-failed` */
  whole(part: Part): Promise<PartRows>
  /** The rows of a part, with none of its pieces. `undefined` if they cannot be loaded: the whole part may be there. */
  pieced(part: Part): Promise<PiecedRows | undefined>
  /** Loads pieces of a part. `false` if one cannot be loaded. */
  addPieces(rows: PiecedRows, pieces: readonly number[]): Promise<boolean>
  /** A loader of another place. Every place has the same bytes, because they are checked, so it does not load what this one has. */
  at(place: ModelPlace): ModelFileLoader
}

/** A file that is read once for all who want it. */
interface WantedFile {
  name: string
  /** Its digest, or the start of it. */
  digest: string
  read(signal?: AbortSignal): Promise<Bytes | undefined>
}

/** Milliseconds that a file may take. It has up to a megabyte, connections are slow, and messages wait two seconds only. */
const TIMEOUT = 300_000

const HINT =
  'with Vite 6 or 7, set optimizeDeps: { exclude: ["skillshelf"] }; elsewhere serve the files in node_modules/skillshelf/model and pass their addresses as "files", or open the library with embedder: false'
const WORKER_HINT =
  'add this line to the top of wrangler.toml: assets = { directory = "node_modules/skillshelf/model", binding = "ASSETS" }'

/**
 * Loads the files of a place.
 * @param loaded Files that were loaded before, by name.
 */
export function createFileLoader(
  { readPart, readRows }: ModelPlace,
  loaded: Map<string, Bytes> = new Map(),
): ModelFileLoader {
  const loading = new Map<string, Promise<Bytes>>()
  const load = async ({ name, digest, read }: WantedFile): Promise<Bytes> => {
    // In a Worker, the request ends what hangs, and a timer is forbidden at module scope.
    const bytes = isWorker() ? await read() : await withTimeout(TIMEOUT, read)
    if (bytes === TIMED_OUT) throw new Error(`the file ${name} was not read within ${TIMEOUT} ms`)
    if (!bytes) throw new Error(`the file ${name} is missing`)
    if (!(await digestOfLarge(bytes)).startsWith(digest)) {
      throw new Error('its file does not match its digest')
    }
    loaded.set(name, bytes)
    return bytes
  }
  const share = async (file: WantedFile): Promise<Bytes> => {
    const { name } = file
    const known = loaded.get(name)
    if (known) return known
    // In a Worker, what one request reads may never arrive for another.
    if (isWorker()) return load(file)
    // A failure is not cached, so the next call retries.
    const current = loading.get(name) ?? load(file).finally(() => loading.delete(name))
    loading.set(name, current)
    return current
  }
  const shareRows = (name: string, digest: string): Promise<Bytes> =>
    share({ name: `rows/${name}`, digest, read: async signal => readRows?.(name, signal) })

  return {
    async whole(part) {
      const name = `${part}.bin`
      try {
        const file = {
          name,
          digest: DIGESTS[part],
          read: (signal?: AbortSignal) => readPart(part, signal),
        }
        return wholeRows(readModelFile(await share(file)))
      } catch (error) {
        throw new SkillshelfError(
          'source-failed',
          `The bundled model could not be loaded: ${errorMessage(error)}`,
          { subject: part, hint: isWorker() ? WORKER_HINT : HINT },
          error,
        )
      }
    },
    async pieced(part) {
      if (!readRows) return undefined
      try {
        return piecedRows(readModelStart(await shareRows(`${part}.bin`, START_DIGESTS[part])))
      } catch {
        return undefined
      }
    },
    async addPieces(rows, pieces) {
      const add = async (piece: number): Promise<void> => {
        const digest = rows.digestOf(piece)
        const bytes = await shareRows(`${rows.head.part}-${digest}.bin`, `sha256:${digest}`)
        rows.add(piece, bytes)
      }
      const results = await Promise.allSettled(pieces.map(add))
      return results.every(({ status }) => status === 'fulfilled')
    },
    at: place => createFileLoader(place, loaded),
  }
}
