import { digestOfLarge } from '../../../core/digest.js'
import { errorMessage, SkillshelfError } from '../../../core/errors.js'
import { isWorker } from '../../../core/platform.js'
import type { SkillSource } from '../../../source/source.js'
import { PARTS, type Part } from '../script-parts.js'
import type { SkillModel } from '../skill-model.js'
import { neededParts, openStaticModel, type StaticModel } from '../static-model.js'
import { DIGESTS } from './digests.js'

export interface BundledOptions {
  /**
   * Parts to load at once. By default a part is loaded with the first text that needs it.
   * @default ['latin']
   */
  parts?: readonly Part[] | 'all' | undefined
  /**
   * The files, which are in `node_modules/skillshelf/model`: a source with `latin.bin` and the others, such as
   * `r2(env.SKILLS, { prefix: 'model/' })`, or addresses or bytes by part. An address is relative to the page; outside a page it must be
   * absolute.
   * @default the files beside the script; in a Worker the static assets of the binding `ASSETS`, at their root or in `model/`
   */
  files?: ModelFiles | Pick<SkillSource, 'read'> | undefined
}

/** The files of the bundled model by part, such as `latin.bin`. A missing one is loaded from the default place. */
export type ModelFiles = {
  readonly [P in Part]?: string | URL | Uint8Array | ArrayBuffer | undefined
}

const HINT =
  'with Vite 6 or 7, set optimizeDeps: { exclude: ["skillshelf"] }; elsewhere serve the files in node_modules/skillshelf/model and pass their addresses as "files", or open the library with embedder: false'
const WORKER_HINT =
  'add this line to the top of wrangler.toml: assets = { directory = "node_modules/skillshelf/model", binding = "ASSETS" }'

/** Reads the file of a part. `undefined` if it is not there. */
type ReadPart = (part: Part) => Promise<Uint8Array<ArrayBuffer> | undefined>

/**
 * Creates `bundled` for a place with the files of the model. Loaded files are shared by all calls.
 * @param readDefault Reads files that the option `files` does not name.
 */
export function createBundled(
  readDefault: ReadPart,
): (options?: BundledOptions) => Promise<SkillModel> {
  /** Every place has the same bytes, because they are checked, so the first one that is read serves all calls. */
  const loaded = new Map<Part, Uint8Array>()
  const loadingDefault = new Map<Part, Promise<Uint8Array>>()
  const load = async (part: Part, read: ReadPart): Promise<Uint8Array> => {
    try {
      const bytes = await read(part)
      if (!bytes) throw new Error(`the file ${part}.bin is missing`)
      if ((await digestOfLarge(bytes)) !== DIGESTS[part]) {
        throw new Error('its file does not match its digest')
      }
      loaded.set(part, bytes)
      return bytes
    } catch (error) {
      const message = `The bundled model could not be loaded: ${errorMessage(error)}`
      throw new SkillshelfError(
        'source-failed',
        message,
        { subject: part, hint: isWorker() ? WORKER_HINT : HINT },
        error,
      )
    }
  }

  return async ({ parts = [], files } = {}) => {
    const read = files ? readerOf(files, readDefault) : readDefault
    const loading = files ? new Map<Part, Promise<Uint8Array>>() : loadingDefault
    const share = (part: Part): Promise<Uint8Array> => {
      // In a Worker, what one request reads may never arrive for another.
      if (isWorker()) return load(part, read)
      // A failure is not cached, so the next call retries.
      const current = loading.get(part) ?? load(part, read).finally(() => loading.delete(part))
      loading.set(part, current)
      return current
    }
    const opened = new Map<Part, Uint8Array>()
    const openParts = async (needed: readonly Part[]): Promise<void> => {
      const open = async (part: Part): Promise<void> => {
        const bytes = loaded.get(part) ?? (await share(part))
        opened.set(part, bytes)
      }
      // All of them, even if one fails: the next call needs those that were loaded.
      const results = await Promise.allSettled(needed.map(open))
      for (const result of results) {
        if (result.status === 'rejected') throw result.reason
      }
    }
    const openModel = (): StaticModel =>
      openStaticModel(Object.fromEntries(opened) as { latin: Uint8Array })
    await openParts(['latin', ...(parts === 'all' ? PARTS : parts)])
    let model = openModel()
    return {
      space: model.space,
      dimensions: model.dimensions,
      async prepare(texts) {
        const missing = [...neededParts(texts)].filter(part => !opened.has(part))
        if (missing.length === 0) return
        try {
          await openParts(missing)
        } finally {
          // If one part fails, the others are used.
          model = openModel()
        }
      },
      coverage: text => model.coverage(text),
      vectorOf: (text, into) => model.vectorOf(text, into),
      skillVector: (skill, into) => model.skillVector(skill, into),
    }
  }
}

function readerOf(files: NonNullable<BundledOptions['files']>, readDefault: ReadPart): ReadPart {
  if ('read' in files) {
    return async part => {
      const file = await files.read(`${part}.bin`)
      return file === 'unchanged' ? undefined : file?.bytes
    }
  }
  return async part => {
    const file = files[part]
    if (file === undefined) return readDefault(part)
    if (typeof file === 'string' || file instanceof URL) return fetchFile(file)
    // Copied, because the caller may change its bytes.
    return new Uint8Array(file instanceof ArrayBuffer ? file.slice(0) : file)
  }
}

/** @throws Error if the response is not a success */
export async function fetchFile(url: string | URL): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`)
  if (response.headers.get('content-type')?.startsWith('text/html')) {
    throw new Error(`${response.url} is a web page, not a file of the model`)
  }
  return new Uint8Array(await response.arrayBuffer())
}
