import { digestOfLarge } from '../../../core/digest.js'
import { errorMessage, SkillshelfError } from '../../../core/errors.js'
import { isEuropean, PARTS, type Part, partsOf } from '../parts.js'
import { openStaticModel, type StaticModel } from '../static-model.js'
import type { SkillModel } from '../types.js'
import { DIGESTS } from './digests.js'

export interface BundledOptions {
  /**
   * Parts to load at once. By default a part is loaded with the first text that needs it.
   * @default ['latin']
   */
  parts?: readonly Part[] | 'all' | undefined
  /**
   * Addresses or bytes of the files, which are in `node_modules/skillshelf/model`. An address is relative to the page; outside a page it
   * must be absolute.
   * @default the files beside the script
   */
  files?: ModelFiles | undefined
}

/** The files of the bundled model by part, such as `latin.bin`. A missing one is loaded from beside the script. */
export type ModelFiles = { readonly [P in Part]?: string | URL | Uint8Array | ArrayBuffer | undefined }

/** Lines of fewer characters decide on no language. */
const MIN_LINE = 12

/**
 * Creates `bundled` for one platform. Loaded files are shared by all calls.
 * @param read Reads one file of the model; `undefined` if the platform does not have it. Texts in that part are then matched by words.
 */
export function createBundled(
  read: (part: Part) => Promise<Uint8Array<ArrayBuffer> | undefined>,
): (options?: BundledOptions) => Promise<SkillModel> {
  const loaded = new Map<Part, Promise<Uint8Array | undefined>>()
  const readChecked = async (part: Part, file: ModelFiles[Part]): Promise<Uint8Array | undefined> => {
    const bytes = file === undefined ? await read(part) : await readFile(file)
    if (bytes && (await digestOfLarge(bytes)) !== DIGESTS[part]) throw new Error('its file does not match its digest')
    return bytes
  }
  /** Every address has the same bytes, because they are checked, so the first one that is read serves all calls. */
  const load = (part: Part, file: ModelFiles[Part]): Promise<Uint8Array | undefined> => {
    const before = loaded.get(part)
    if (before) return before
    const loading = readChecked(part, file).catch(error => {
      // A failure is not cached, so the next call retries.
      loaded.delete(part)
      throw new SkillshelfError(
        'source-failed',
        `The bundled model could not be loaded: ${errorMessage(error)}`,
        {
          subject: part,
          hint: 'serve the files in node_modules/skillshelf/model and pass their addresses as "files", or open the library without an embedder',
        },
        error,
      )
    })
    loaded.set(part, loading)
    return loading
  }

  return async ({ parts = [], files = {} } = {}) => {
    const opened = new Map<Part, Uint8Array | undefined>()
    const open = async (needed: readonly Part[]): Promise<StaticModel> => {
      await Promise.all(needed.map(async part => opened.set(part, await load(part, files[part]))))
      return openStaticModel(Object.fromEntries(opened) as { latin: Uint8Array })
    }
    let model = await open(['latin', ...(parts === 'all' ? PARTS : parts)])
    return {
      space: model.space,
      dimensions: model.dimensions,
      async prepare(text) {
        const missing = partsOfLines(text).filter(part => !opened.has(part))
        if (missing.length > 0) model = await open(missing)
      },
      coverage: text => model.coverage(text),
      vectorOf: (text, into) => model.vectorOf(text, into),
      skillVector: (skill, into) => model.skillVector(skill, into),
    }
  }
}

async function readFile(file: NonNullable<ModelFiles[Part]>): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof file === 'string' || file instanceof URL) return fetchFile(file)
  // Copied, because the caller may change its bytes.
  return new Uint8Array(file instanceof ArrayBuffer ? file.slice(0) : file)
}

/** @throws Error if the response is not a success */
export async function fetchFile(url: string | URL): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}

/** The parts of a text and of its lines: a line of an English text can be a message in another language. */
function partsOfLines(text: string): Part[] {
  const parts = new Set(partsOf(text))
  if (text.split('\n').some(line => line.length >= MIN_LINE && isEuropean(line))) parts.add('european')
  return [...parts]
}
