import { abortable } from '../../core/abort.js'
import { throwIfAborted } from '../../core/errors.js'
import { vectorSpaceOf } from '../../search/index/vectors.js'
import { bundled, loadParts } from '../../search/model/bundled/package.js'
import { partsOf } from '../../search/model/script-parts.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import { modelDiagnostic } from '../../skill/diagnostics.js'
import { addProblem } from '../state/problems.js'
import type { SourceState } from '../state/state.js'
import type { ModelIndex } from './model.js'

export { bundled }

/** Loads the parts of the bundled model that a message needs beside `latin`, which is being loaded. */
export async function loadOtherParts(message: string): Promise<void> {
  const parts = partsOf(message)
  parts.delete('latin')
  await loadParts(parts)
}

/**
 * Adds the bundled model to a library in use, and returns whether a segment has its vectors.
 * @param onJoined Called before the next refresh. `isWhole` is `false` if skills need a part of the model that cannot be loaded.
 */
export async function joinBundledModel(
  index: ModelIndex,
  model: SkillModel,
  signal: AbortSignal,
  onJoined: (isWhole: boolean) => void,
): Promise<boolean> {
  let problem: unknown
  let isJoined = false
  while (!isJoined) {
    const { sources } = index.state
    // Refreshes go on meanwhile, because files may take long.
    for (const { loaded } of sources) {
      await abortable(loaded.prepare?.(model) ?? Promise.resolve(), signal).catch(error => {
        throwIfAborted(signal)
        problem ??= error
      })
    }
    await index.reload(async () => {
      // A refresh has loaded skills that the model is not prepared for.
      if (index.state.sources !== sources) return
      // Only a reload changes the sources, so other updates go on while the skills are embedded.
      const joined = await withModel(sources, model, signal)
      await index.update(state => ({ ...state, sources: joined }), signal)
      onJoined(problem === undefined)
      isJoined = true
    })
  }
  if (problem !== undefined) {
    await index.update(state =>
      addProblem(
        state,
        modelDiagnostic(problem, 'Part of the bundled model'),
        index.options.onDiagnostic,
      ),
    )
  }
  return index.state.sources.some(({ loaded }) =>
    loaded.segments.some(({ bytes }) => vectorSpaceOf(bytes) === model.space),
  )
}

async function withModel(
  sources: readonly SourceState[],
  model: SkillModel,
  signal: AbortSignal,
): Promise<readonly SourceState[]> {
  const joined: SourceState[] = []
  for (const source of sources) {
    joined.push({
      ...source,
      loaded: (await source.loaded.withModel?.(model, signal)) ?? source.loaded,
    })
  }
  throwIfAborted(signal)
  return joined
}
