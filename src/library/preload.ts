import { abortable } from '../core/abort.js'
import { loadDeclaredModules } from '../core/load-module.js'
import { checkOptionNames, type OptionNames } from '../core/text/option-names.js'
import type { SkillModel } from '../search/model/skill-model.js'

/** Options of `preload`. */
export interface PreloadOptions {
  /** A model to load with all its parts, such as `bundled()`. @default undefined */
  embedder?: SkillModel | Promise<SkillModel> | undefined
  /** Aborts with `aborted`. */
  signal?: AbortSignal | undefined
}

/** A skill in every part of the bundled model. Skills need whole parts. */
const ALL_PARTS = {
  name: '',
  description: '汉 かな 한글 привет quiero una receta para mañana',
  body: '',
}

const OPTIONS = { embedder: 1, signal: 1 } satisfies OptionNames<PreloadOptions>

/**
 * Loads every module that skillshelf otherwise loads on demand. After that, a page works without a network.
 *
 * Skills are not loaded: `cached(…, { whole: true })` keeps an offline copy of them.
 * @param options `embedder` is loaded too, with all its parts.
 * @throws SkillshelfError `module-failed` if a module is missing, `source-failed` if a part of the model is, `aborted`
 * @example
 * ```ts
 * import { openLibrary, preload } from 'skillshelf'
 * import { bundled } from 'skillshelf/model'
 *
 * const embedder = bundled()
 * const library = await openLibrary('/skills/', { embedder })
 * await preload({ embedder })
 * ```
 */
export async function preload(options: PreloadOptions = {}): Promise<void> {
  checkOptionNames(options, OPTIONS)
  const { embedder, signal } = options
  const prepare = async (): Promise<void> => (await embedder)?.prepare?.([ALL_PARTS])
  await abortable(Promise.all([prepare(), loadDeclaredModules()]), signal)
}
