import { abortable, TIMED_OUT, withTimeout } from '../core/abort.js'
import { SkillshelfError, throwIfAborted } from '../core/errors.js'
import { vectorSpaceOf } from '../search/index/vectors.js'
import { bundled } from '../search/model/bundled/package.js'
import type { SkillModel } from '../search/model/types.js'
import type { LibraryIndex } from './library-index.js'
import { addProblem, modelDiagnostic } from './problems.js'
import type { LibraryState, SourceState } from './state.js'

/** Milliseconds that a message waits for the part of the model that it needs. After that, it is matched by words. */
const PART_TIMEOUT = 2_000

/**
 * Loads the bundled model and adds it to a library that is in use.
 * @param onJoined Called before the next refresh, which needs the model.
 * @returns Whether a segment has vectors of the model.
 */
export async function joinBundledModel(
  index: LibraryIndex,
  signal: AbortSignal,
  onJoined: (models: { ofSkills: SkillModel; ofMessages: SkillModel }) => void,
): Promise<boolean> {
  const model = await abortable(bundled(), signal)
  let problem: unknown
  let isJoined = false
  while (!isJoined) {
    const { sources } = index.state
    // Refreshes go on meanwhile, because files may take long.
    for (const { loaded } of sources)
      await abortable(loaded.prepare?.(model) ?? Promise.resolve(), signal).catch(error => {
        throwIfAborted(signal)
        problem ??= error
      })
    await index.reload(async () => {
      // A refresh has loaded skills that the model is not prepared for.
      if (index.state.sources !== sources) return
      await index.update(state => withModel(state, model, signal), signal)
      onJoined({ ofSkills: model, ofMessages: withPartTimeout(model) })
      isJoined = true
    })
  }
  if (problem !== undefined)
    await index.update(state =>
      addProblem(state, modelDiagnostic(problem, 'Part of the bundled model'), index.options.onDiagnostic),
    )
  return index.state.sources.some(({ loaded }) =>
    loaded.segments.some(({ bytes }) => vectorSpaceOf(bytes) === model.space),
  )
}

async function withModel(state: LibraryState, model: SkillModel, signal: AbortSignal): Promise<LibraryState> {
  const sources: SourceState[] = []
  for (const source of state.sources)
    sources.push({ ...source, loaded: (await source.loaded.withModel?.(model, signal)) ?? source.loaded })
  throwIfAborted(signal)
  return { ...state, sources }
}

function withPartTimeout(model: SkillModel): SkillModel {
  return {
    ...model,
    async prepare(text) {
      if ((await withTimeout(PART_TIMEOUT, async () => model.prepare?.(text))) === TIMED_OUT)
        throw new SkillshelfError('source-failed', 'A part of the bundled model is still loading')
    },
  }
}
