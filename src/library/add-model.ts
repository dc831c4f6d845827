import { abortable, TIMED_OUT, withTimeout } from '../core/abort.js'
import { SkillshelfError, throwIfAborted } from '../core/errors.js'
import { vectorSpaceOf } from '../search/index/vectors.js'
import { bundled } from '../search/model/bundled/package.js'
import type { SkillModel } from '../search/model/types.js'
import { modelDiagnostic } from './diagnostics.js'
import { addProblem } from './problems.js'
import { type OpenLibrary, type SourceState, updateMatcher } from './state.js'

/** Milliseconds that a message waits for the part of the model that it needs. After that, it is matched by words. */
const PART_TIMEOUT = 2_000

/**
 * Loads the bundled model and adds it to a library that is in use.
 * @returns Whether a segment has vectors of the model.
 */
export async function addBundledModel(library: OpenLibrary, signal: AbortSignal): Promise<boolean> {
  const model = await abortable(bundled(), signal)
  let problem: unknown
  for (;;) {
    const { sources } = library.state
    // Refreshes go on meanwhile, because files may take long.
    for (const { loaded } of sources)
      await abortable(loaded.prepare?.(model) ?? Promise.resolve(), signal).catch(error => {
        throwIfAborted(signal)
        problem ??= error
      })
    const joined = await library.reloads(async () =>
      library.state.sources === sources ? addModel(library, model, signal) : undefined,
    )
    if (joined === undefined) continue
    if (problem !== undefined) addProblem(library, modelDiagnostic(problem, 'Part of the bundled model'))
    return joined
  }
}

async function addModel(library: OpenLibrary, model: SkillModel, signal: AbortSignal): Promise<boolean> {
  const sources: SourceState[] = []
  for (const source of library.state.sources)
    sources.push({ ...source, loaded: (await source.loaded.withModel?.(model, signal)) ?? source.loaded })
  return library.queue(async () => {
    throwIfAborted(signal)
    const state = { ...library.state, sources }
    await updateMatcher(library, state, signal)
    library.state = state
    library.embedder = Promise.resolve(model)
    library.joined = withPartTimeout(model)
    void library.upgrade?.embedNewSkills()
    return sources.some(({ loaded }) => loaded.segments.some(({ bytes }) => vectorSpaceOf(bytes) === model.space))
  })
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
