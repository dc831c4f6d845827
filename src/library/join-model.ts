import { onDemand } from '../core/load-module.js'
import { vectorSpaceOf } from '../search/index/vectors.js'
import { modelDiagnostic } from './diagnostics.js'
import type { LibraryOptions } from './options.js'
import { addProblem } from './problems.js'
import type { LibraryState, OpenLibrary } from './state.js'

const loadAddModel = onDemand(() => import('./add-model.js'))

/**
 * Whether the bundled model joins by itself. Workers do no work outside of requests, and their upload is small: they pass
 * `embedder: bundled()`. Most tests turn it off, so that results do not depend on when the model is loaded.
 */
export const joining = { byDefault: globalThis.navigator?.userAgent !== 'Cloudflare-Workers' }

/** Whether the bundled model joins a library by itself. */
export function modelJoins({ embedder, matcher, stages = 'hybrid' }: LibraryOptions): boolean {
  return embedder === undefined && matcher === undefined && stages === 'hybrid' && joining.byDefault
}

/**
 * Starts to add the bundled model to a library that is in use. Called after each refresh too: a library without skills, or packed without
 * vectors, has no use for the model.
 */
export function startJoin(library: OpenLibrary): void {
  if (!library.modelJoins || library.joining || library.closed || !canJoin(library.state)) return
  library.joining = true
  library.ready = join(library)
}

function canJoin({ sources }: LibraryState): boolean {
  return sources.some(
    ({ loaded }) => loaded.withModel || loaded.segments.some(({ bytes }) => vectorSpaceOf(bytes) !== undefined),
  )
}

/** Never rejects. If the model cannot be loaded, words go on to answer. */
async function join(library: OpenLibrary): Promise<boolean> {
  const closing = library.closing()
  try {
    // Loaded on demand, with the code of the model.
    const { addBundledModel } = await loadAddModel()
    return await addBundledModel(library, closing.signal)
  } catch (error) {
    if (closing.signal.aborted) return false
    library.modelJoins = false
    await library.reloads(async () => {
      const sources = library.state.sources.map(source => ({
        ...source,
        loaded: source.loaded.withoutModel?.() ?? source.loaded,
      }))
      library.state = { ...library.state, sources }
      addProblem(library, modelDiagnostic(error, 'The bundled model'))
    })
    return false
  }
}
