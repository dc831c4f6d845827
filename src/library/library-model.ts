import { isSkillshelfError } from '../core/errors.js'
import { onDemand } from '../core/load-module.js'
import { vectorSpaceOf } from '../search/index/vectors.js'
import type { SkillModel } from '../search/model/types.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import { hasDefaultModel } from './default-model.js'
import type { LibraryIndex, LibraryModel } from './library-index.js'
import { checkEmbedder, type LibraryOptions } from './options.js'
import { addProblem, modelDiagnostic } from './problems.js'
import type { LibraryState } from './state.js'

const loadJoin = onDemand(() => import('./join-model.js'))

/** @param onFailure Called if the option `embedder` cannot be loaded, before `current` resolves. */
export function createModel(options: LibraryOptions, onFailure: (problem: Diagnostic) => void): LibraryModel {
  const { embedder, matcher, stages = 'hybrid', strict = false } = options
  let current = Promise.resolve(embedder)
    .then(checkEmbedder)
    .catch((error): undefined => {
      if (strict || isSkillshelfError(error, 'invalid-input')) throw error
      onFailure(modelDiagnostic(error, 'The bundled model'))
    })
  // Prevents an unhandled rejection; `await` still throws.
  current.catch(() => undefined)
  let joins = embedder === undefined && matcher === undefined && stages === 'hybrid' && hasDefaultModel()
  let joined: SkillModel | undefined
  let started = false
  let ready = current.then(
    model => model !== undefined,
    () => false,
  )
  /** Never rejects. If the model cannot be loaded, words go on to answer. */
  const join = async (index: LibraryIndex): Promise<boolean> => {
    const closing = index.lifetime.closing()
    try {
      // Loaded on demand, with the code of the model.
      const { joinBundledModel } = await loadJoin()
      return await joinBundledModel(index, closing, models => {
        current = Promise.resolve(models.ofSkills)
        joined = models.ofMessages
      })
    } catch (error) {
      if (closing.aborted) return false
      joins = false
      await index.reload(() =>
        index.update(state =>
          addProblem(withoutModel(state), modelDiagnostic(error, 'The bundled model'), options.onDiagnostic),
        ),
      )
      return false
    }
  }
  return {
    get current() {
      return current
    },
    get joined() {
      return joined
    },
    get joins() {
      return joins
    },
    get ready() {
      return ready
    },
    join(index) {
      if (!joins || started || index.lifetime.isClosed || !canJoin(index.state)) return
      started = true
      ready = join(index)
    },
  }
}

function canJoin({ sources }: LibraryState): boolean {
  return sources.some(
    ({ loaded }) => loaded.withModel || loaded.segments.some(({ bytes }) => vectorSpaceOf(bytes) !== undefined),
  )
}

function withoutModel(state: LibraryState): LibraryState {
  const sources = state.sources.map(source => ({ ...source, loaded: source.loaded.withoutModel?.() ?? source.loaded }))
  return { ...state, sources }
}
