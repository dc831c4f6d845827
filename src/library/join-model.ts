import { isSkillshelfError } from '../core/errors.js'
import { loadModule } from '../core/load-module.js'
import type { SkillModel } from '../embed/types.js'
import { modelDiagnostic } from './diagnostics.js'
import { reportProblems } from './problems.js'
import type { Refresh } from './refresh.js'
import { createState, type OpenLibrary } from './state.js'

/** A skill model that is not loaded yet. Until `join`, it has no space, so messages are matched by words. */
export interface LateModel extends SkillModel {
  join(model: SkillModel): void
}

export function createLateModel(): LateModel {
  let joined: SkillModel | undefined
  const model = (): SkillModel => joined as SkillModel
  return {
    get space() {
      return joined?.space ?? ''
    },
    get dimensions() {
      return joined?.dimensions ?? 0
    },
    coverage: text => model().coverage?.(text) ?? 1,
    prepare: async text => model().prepare?.(text),
    vectorOf: (text, into) => model().vectorOf(text, into),
    skillVector: (skill, into) => model().skillVector(skill, into),
    join(loaded) {
      joined = loaded
    },
  }
}

/**
 * Whether the bundled model joins by itself. Workers do no work outside of requests, and their upload is small: they pass
 * `embedder: bundled()`. Most tests turn it off, so that results do not depend on when the model is loaded.
 */
export const joining = { byDefault: globalThis.navigator?.userAgent !== 'Cloudflare-Workers' }

/**
 * Loads the bundled model in the background. Skill folders are read again for their vectors; packed libraries hold them already.
 * @returns Whether the model is in use. A model that cannot be loaded is reported once.
 */
export async function joinModel(library: OpenLibrary, late: LateModel, refresh: Refresh): Promise<boolean> {
  try {
    const { bundled } = await loadModule(import('../embed/bundled/package.js'))
    const model = await bundled()
    if (library.closed) return false
    library.embedder = Promise.resolve(model)
    late.join(model)
    library.rebuild = true
    await refresh(undefined)
    return true
  } catch (error) {
    if (library.closed || isSkillshelfError(error, 'closed')) return false
    const { sources, environment, diagnostics } = library.state
    const missing = modelDiagnostic(error, 'The bundled model')
    library.state = createState(sources, {
      before: library.state,
      environment,
      diagnostics: [...diagnostics, missing],
    })
    reportProblems({ ...library.state, sources: [], diagnostics: [missing] }, library.options.onDiagnostic)
    return false
  }
}
