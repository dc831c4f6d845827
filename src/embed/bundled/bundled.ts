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
}

/**
 * Creates `bundled` for one platform. Loaded files are shared by all calls.
 * @param read Reads one file of the model.
 */
export function createBundled(
  read: (part: Part) => Promise<Uint8Array<ArrayBuffer>>,
): (options?: BundledOptions) => Promise<SkillModel> {
  const files = new Map<Part, Promise<Uint8Array>>()
  const readChecked = async (part: Part): Promise<Uint8Array> => {
    const bytes = await read(part)
    if ((await digestOfLarge(bytes)) !== DIGESTS[part]) throw new Error('its file does not match its digest')
    return bytes
  }
  const load = (part: Part): Promise<Uint8Array> => {
    const loaded = files.get(part)
    if (loaded) return loaded
    const loading = readChecked(part).catch(error => {
      // A failure is not cached, so the next call retries.
      files.delete(part)
      throw new SkillshelfError(
        'source-failed',
        `The bundled model could not be loaded: ${errorMessage(error)}`,
        {
          subject: part,
          hint: 'serve the files of skillshelf/model beside the script, or open the library without an embedder',
        },
        error,
      )
    })
    files.set(part, loading)
    return loading
  }

  return async ({ han = false } = {}) => {
    let model: StaticModel = openStaticModel({ latin: await load('latin') })
    const prepare = async (text: string): Promise<void> => {
      if (model.hasHan || !hasGrams(text)) return
      model = openStaticModel({ latin: await load('latin'), han: await load('han') })
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

function hasGrams(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x0e00) continue
    const kind = classOf(unit)
    if (kind === HAN || kind === JOINED) return true
  }
  return false
}
