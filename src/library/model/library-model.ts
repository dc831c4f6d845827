import { abortable, withTimeout } from '../../core/abort.js'
import { isSkillshelfError } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { vectorSpaceOf } from '../../search/index/vectors.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import { type Diagnostic, modelDiagnostic } from '../../skill/diagnostics.js'
import { checkEmbedder, type LibraryOptions } from '../api/options.js'
import { addProblem } from '../state/problems.js'
import type { LibraryState } from '../state/state.js'
import { defaultModel } from './default-model.js'
import type { LibraryModel, ModelIndex, Mutable } from './model.js'

const loadJoin = onDemand(() => import('./join-model.js'))

/** Milliseconds: see the option `modelTimeout`. */
export const MODEL_TIMEOUT = 2_000

/** @param onFailure Called if a model that opens with the library cannot be loaded, before `current` resolves. */
export function createModel(
  options: LibraryOptions,
  onFailure: (problem: Diagnostic) => void,
): LibraryModel {
  const {
    embedder,
    matcher,
    stages = 'hybrid',
    strict = false,
    modelTimeout = MODEL_TIMEOUT,
  } = options
  const isDefault = embedder === undefined && matcher === undefined && stages === 'hybrid'
  const byDefault = isDefault ? defaultModel() : undefined
  const load = async (): Promise<SkillModel> => (await loadJoin()).bundled()
  const current = Promise.resolve(byDefault === 'opens' ? load() : embedder)
    // The files of the bundled model have been checked.
    .then(model => (byDefault && model ? (model as SkillModel) : checkEmbedder(model)))
    .catch((error): undefined => {
      if ((strict && !isDefault) || isSkillshelfError(error, 'invalid-input')) throw error
      model.takesPart = false
      onFailure(modelDiagnostic(error, 'The bundled model'))
    })
  // Prevents an unhandled rejection; `await` still throws.
  current.catch(() => undefined)
  let started = false
  let waiting: Promise<unknown> | undefined
  // In parallel with the sources.
  let loading = byDefault === 'joins' ? load() : undefined
  loading?.catch(() => {
    loading = undefined
  })
  /** Never rejects. If the model cannot be loaded, words go on to answer. */
  const join = async (index: ModelIndex): Promise<boolean> => {
    const closing = index.lifetime.closing()
    try {
      const joined = await abortable(loading ?? load(), closing)
      // Loaded on demand, with the code of the model.
      const { joinBundledModel } = await loadJoin()
      return await joinBundledModel(index, joined, closing, isWhole => {
        model.current = Promise.resolve(joined)
        model.joined = joined
        model.takesPart = isWhole
      })
    } catch (error) {
      if (closing.aborted) return false
      model.joins = false
      await index.reload(() =>
        index.update(state =>
          addProblem(
            withoutModel(state),
            modelDiagnostic(error, 'The bundled model'),
            options.onDiagnostic,
          ),
        ),
      )
      return false
    }
  }
  const model: Mutable<LibraryModel> = {
    current,
    joined: undefined,
    joins: byDefault === 'joins',
    ready: current.then(Boolean, () => false),
    takesPart: true,
    async wait(message, { wait = true, signal }) {
      const limit = wait ? modelTimeout : 0
      if (!model.joins || model.joined || !started) return limit
      void loadJoin()
        .then(({ loadOtherParts }) => loadOtherParts(message))
        .catch(() => undefined)
      if (limit === 0) return 0
      const from = Date.now()
      waiting ??= withTimeout(modelTimeout, () => model.ready)
      await abortable(waiting, signal)
      return Math.max(0, limit - (Date.now() - from))
    },
    join(index) {
      if (!model.joins || started || index.lifetime.isClosed || !canJoin(index.state)) return
      started = true
      model.takesPart = false
      model.ready = join(index)
    },
  }
  return model
}

function canJoin({ sources }: LibraryState): boolean {
  return sources.some(
    ({ loaded }) =>
      loaded.withModel || loaded.segments.some(({ bytes }) => vectorSpaceOf(bytes) !== undefined),
  )
}

function withoutModel(state: LibraryState): LibraryState {
  const sources = state.sources.map(source => ({
    ...source,
    loaded: source.loaded.withoutModel?.() ?? source.loaded,
  }))
  return { ...state, sources }
}
