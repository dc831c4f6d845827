import { digestOfLarge } from '../../core/digest.js'
import { errorMessage, SkillshelfError } from '../../core/errors.js'
import { classOf, HAN, JOINED } from '../../text/character-classes.js'
import type { Part } from '../format.js'
import { openStaticModel, type StaticModel } from '../static-model.js'
import type { SkillModel } from '../types.js'
import { DIGESTS } from './digests.js'

export interface BundledOptions {
  /**
   * Load the part for ideographs, kana and Hangul at once. By default it is loaded with the first text that has any.
   * @default false
   */
  han?: boolean | undefined
  /**
   * Addresses or bytes of the files, which are in `node_modules/skillshelf/model`. An address is relative to the page; outside a page it
   * must be absolute.
   * @default the files beside the script
   */
  files?: ModelFiles | undefined
}

/** The files `latin-128.bin` and `han-128.bin` of the bundled model. A missing one is loaded from beside the script. */
export interface ModelFiles {
  latin?: string | URL | Uint8Array | ArrayBuffer | undefined
  /** Ideographs, kana and Hangul. */
  han?: string | URL | Uint8Array | ArrayBuffer | undefined
}

/**
 * Creates `bundled` for one platform. Loaded files are shared by all calls.
 * @param read Reads one file of the model.
 */
export function createBundled(
  read: (part: Part) => Promise<Uint8Array<ArrayBuffer>>,
): (options?: BundledOptions) => Promise<SkillModel> {
  const loaded = new Map<Part, Promise<Uint8Array>>()
  const readChecked = async (part: Part, file: ModelFiles[Part]): Promise<Uint8Array> => {
    const bytes = file === undefined ? await read(part) : await readFile(file)
    if ((await digestOfLarge(bytes)) !== DIGESTS[part]) throw new Error('its file does not match its digest')
    return bytes
  }
  /** Every address has the same bytes, because they are checked, so the first one that is read serves all calls. */
  const load = (part: Part, file: ModelFiles[Part]): Promise<Uint8Array> => {
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

  return async ({ han = false, files = {} } = {}) => {
    const loadLatin = (): Promise<Uint8Array> => load('latin', files.latin)
    let model: StaticModel = openStaticModel({ latin: await loadLatin() })
    const prepare = async (text: string): Promise<void> => {
      if (model.hasHan || !hasGrams(text)) return
      model = openStaticModel({ latin: await loadLatin(), han: await load('han', files.han) })
    }
    if (han) await prepare('汉')
    return {
      space: model.space,
      dimensions: model.dimensions,
      prepare,
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

function hasGrams(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x0e00) continue
    const kind = classOf(unit)
    if (kind === HAN || kind === JOINED) return true
  }
  return false
}
