import { abortable, withTimeout } from '../../core/abort.js'
import { isSkillshelfError } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import { type Diagnostic, modelDiagnostic } from '../../skill/diagnostics.js'
import { checkEmbedder, type LibraryOptions } from '../api/options.js'
import type { ExplainOptions } from '../api/skill-library.js'
import { defaultModel } from '../model/default-model.js'
import { MODEL_TIMEOUT } from '../model/library-model.js'

const loadBundled = onDemand(() => import('../model/join-model.js'))

/** The model of a library in pieces: the option `embedder`, or the bundled one. Its vectors lie in the pieces, so it joins nothing. */
export interface PiecesModel {
  /** Whether it is there. It never rejects. */
  readonly ready: Promise<boolean>
  /** `false` while a model loads, and if it cannot be loaded: then results are not `complete`. `true` without a model. */
  takesPart(): boolean
  /**
   * Waits for the model, as long as the option `modelTimeout` says, once.
   * @returns The model, if it is there, and the milliseconds left for the part of it that the message needs.
   */
  wait(
    message: string,
    options: Pick<ExplainOptions, 'wait' | 'signal'>,
  ): Promise<{ embedder: SkillModel | undefined; timeout: number }>
}

/** Starts to load the model; in a Worker, which works in requests only, it waits for it. */
export async function createPiecesModel(
  { embedder, modelTimeout = MODEL_TIMEOUT, signal }: LibraryOptions,
  onFailure: (problem: Diagnostic) => void,
): Promise<PiecesModel> {
  const isBundled = embedder === undefined
  let model: SkillModel | undefined
  let takesPart = embedder === false
  const load = async (): Promise<boolean> => {
    try {
      // Another kind of embedder upgrades a library that is open.
      model = isBundled
        ? await (await loadBundled()).bundled()
        : await checkEmbedder(await (embedder as SkillModel | false))
      takesPart = true
      return model !== undefined
    } catch (error) {
      if (isSkillshelfError(error, 'invalid-input')) throw error
      onFailure(modelDiagnostic(error, isBundled ? 'The bundled model' : 'The model'))
      return false
    }
  }
  const ready = load()
  ready.catch(() => undefined)
  if (!isBundled || defaultModel() === 'opens') await abortable(ready, signal)
  let waiting: Promise<unknown> | undefined
  return {
    ready,
    takesPart: () => takesPart,
    async wait(message, { wait = true, signal }) {
      const limit = wait ? modelTimeout : 0
      if (model || takesPart) return { embedder: model, timeout: limit }
      void loadBundled()
        .then(({ loadOtherParts }) => loadOtherParts(message))
        .catch(() => undefined)
      const from = Date.now()
      if (limit > 0) {
        waiting ??= withTimeout(modelTimeout, () => ready).catch(() => undefined)
        await abortable(waiting, signal)
      }
      return { embedder: model, timeout: Math.max(0, limit - (Date.now() - from)) }
    },
  }
}
