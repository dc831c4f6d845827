import { abortable } from '../../core/abort.js'
import { loadModule } from '../../core/load-module.js'
import { loadBackground } from '../../search/match/background.js'
import type { SkillModel } from '../../search/model/types.js'

/** Options of `preload`. */
export interface PreloadOptions {
  /**
   * A model to load with all its parts, such as `bundled()`.
   * @default undefined
   */
  embedder?: SkillModel | Promise<SkillModel> | undefined
  /** Aborts with `aborted`. */
  signal?: AbortSignal | undefined
}

/** Modules that are loaded on demand. `test/node/preload.test.ts` finds a missing one. */
const MODULES: readonly (() => Promise<unknown>)[] = [
  () => import('../catalog/locate-address.js'),
  () => import('../../search/model/vector-cache.js'),
  () => import('../add-model.js'),
  () => import('../learning/learning.js'),
  () => import('../enrich.js'),
  () => import('../loaded-tree.js'),
  () => import('../rebuild-segment.js'),
  () => import('../skill-file.js'),
  () => import('../upgrade.js'),
  () => import('../../search/match/embedding.js'),
  () => import('../../search/match/keyword.js'),
  () => import('../../skill/media-types.js'),
  () => import('../../skill/yaml-package.js'),
  () => import('../../source/archive/archive.js'),
  () => import('../../source/archive/tar.js'),
  () => import('../../source/archive/write.js'),
  () => import('../../source/archive/zip.js'),
  () => import('../../source/well-known/well-known.js'),
  () => import('./publish/well-known.js'),
  () => import('./write/sweep.js'),
]

/** A text in every part of the bundled model. */
const ALL_PARTS = '汉 かな 한글 привет quiero una receta para mañana'

/**
 * Loads every module that skillshelf otherwise loads on demand. After that, a page works without a network.
 *
 * Skills are not loaded: `cached(…, { whole: true })` keeps an offline copy of them.
 *
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
export async function preload({ embedder, signal }: PreloadOptions = {}): Promise<void> {
  const prepare = async (): Promise<void> => (await embedder)?.prepare?.(ALL_PARTS)
  const loading = [loadBackground(), prepare(), ...MODULES.map(load => loadModule(load()))]
  await abortable(Promise.all(loading), signal)
}
