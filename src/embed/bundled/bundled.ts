import { errorMessage, SkillshelfError } from '../../core/errors.js'
import { classOf, HAN, JOINED } from '../../text/character-classes.js'
import { openStatic, type StaticModel } from '../static.js'
import type { SkillModel } from '../types.js'

/** Part of the bundled model: words, and the grams of ideographs, kana, Hangul and the like. */
export type ModelPart = 'latin' | 'han'

export interface BundledOptions {
  /** Load the grams of ideographs, kana and Hangul at once, rather than with the first text that has any. Default false. */
  han?: boolean | undefined
}

/** The bundled model, on a platform where `read` gets its bytes. What is loaded once is kept for all who ask. */
export function bundledFrom(
  read: (part: ModelPart) => Promise<Uint8Array>,
): (options?: BundledOptions) => Promise<SkillModel> {
  const parts = new Map<ModelPart, Promise<Uint8Array>>()
  const load = (part: ModelPart): Promise<Uint8Array> => {
    const known = parts.get(part)
    if (known) return known
    const loading = read(part).catch(error => {
      // The next who asks tries again.
      parts.delete(part)
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
    parts.set(part, loading)
    return loading
  }

  return async ({ han = false } = {}) => {
    let model: StaticModel = openStatic({ latin: await load('latin') })
    const prepare = async (text: string): Promise<void> => {
      if (model.hasHan || !hasGrams(text)) return
      model = openStatic({ latin: await load('latin'), han: await load('han') })
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
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x0e00) continue
    const kind = classOf(unit)
    if (kind === HAN || kind === JOINED) return true
  }
  return false
}
