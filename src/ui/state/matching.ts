import type { AbortOptions } from '../../core/abort.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { Load, Loading } from './loaded.js'
import type { SkillsState } from './skills.js'

/** Loads something of an open library. */
export type LoadFrom<Data> = (library: SkillLibrary) => Load<Data>

/** Loads something of a library, which may still be opening. `undefined`: there is nothing to load. */
export function loadFrom<Data>(
  loading: Loading<Data>,
  { status, data, error }: SkillsState,
  load: LoadFrom<Data> | undefined,
): void {
  if (!load || status === 'idle') loading.reset()
  else if (status === 'success') loading.start(load(data.library))
  else if (status === 'error') loading.fail(error)
  else loading.wait()
}

/** Calls `search` or `match`. While a model is loading, words answer at once, and the complete result follows. */
export function loadMatches<Result extends { readonly complete: boolean }>(
  find: (library: SkillLibrary, options: AbortOptions & { wait: boolean }) => Promise<Result>,
): LoadFrom<Result> {
  return library =>
    async ({ signal, show }) => {
      const first = await find(library, { wait: false, signal })
      show(first)
      // Without `ready`, no model is to come: a server has waited for its own.
      if (first.complete || signal.aborted || !library.ready) return
      show(await find(library, { wait: true, signal }))
    }
}
