import type { AbortOptions } from '../core/abort.js'
import { coalesce } from '../core/concurrency.js'
import { isSkillshelfError } from '../core/errors.js'
import { checkEnvironment } from './arguments.js'
import { diffSnapshots } from './catalog/snapshot.js'
import type { LibraryChange } from './catalog/types.js'
import { sourceDiagnostic } from './diagnostics.js'
import { emit } from './events.js'
import { startJoin } from './join-model.js'
import { sourceOptions } from './open.js'
import { checkOpen, createState, layersOf, type OpenLibrary, type SourceState, updateMatcher } from './state.js'

export type Refresh = (signal: AbortSignal | undefined) => Promise<LibraryChange>

/** Coalesces calls that arrive before a refresh starts. A call during a refresh starts the next one. */
export function createRefresh(library: OpenLibrary): Refresh {
  return coalesce(async signal => {
    const change = await library.reloads(() => refreshSources(library, signal))
    startJoin(library)
    return change
  })
}

async function refreshSources(library: OpenLibrary, signal: AbortSignal): Promise<LibraryChange> {
  checkOpen(library)
  const { state: before, environment } = library
  const sources = await Promise.all(before.sources.map(source => refreshSource(library, source, signal)))
  const moved = environment !== before.environment
  if (!moved && sources.every((source, index) => isSame(source, before.sources[index])))
    return { revision: before.snapshot.revision, added: [], changed: [], removed: [] }

  const state = createState(sources, { before, environment })
  const change = diffSnapshots(
    { layers: layersOf(before.sources, before.environment), snapshot: before.snapshot },
    { layers: layersOf(sources, environment), snapshot: state.snapshot },
  )
  await library.queue(async () => {
    checkOpen(library)
    const reloaded = sources.some(({ loaded }, index) => loaded !== before.sources[index]?.loaded)
    // A call of `enrich` may have added messages during the refresh.
    const current = library.messageSegments?.apply(state) ?? state
    if (moved || reloaded || current !== state) await updateMatcher(library, current, signal)
    checkOpen(library)
    library.state = current
  })
  void library.upgrade?.embedNewSkills()
  if (change.added.length + change.changed.length + change.removed.length > 0) emit(library.listeners, change)
  return change
}

/** Keeps the last result of a source that cannot be read. */
async function refreshSource(
  library: OpenLibrary,
  { failure: _, ...state }: SourceState,
  signal: AbortSignal,
): Promise<SourceState> {
  try {
    return { ...state, loaded: await state.loaded.refresh(sourceOptions(library, state.source, signal)) }
  } catch (error) {
    if (isSkillshelfError(error, 'aborted')) throw error
    return { ...state, failure: sourceDiagnostic(state.source, error) }
  }
}

function isSame(state: SourceState, before: SourceState | undefined): boolean {
  return state.loaded === before?.loaded && state.failure?.message === before.failure?.message
}

/** Refreshes when a source reports a change. Returns functions that stop it. */
export function watchSources(library: OpenLibrary, refresh: Refresh): (() => void)[] {
  const onChange = async (): Promise<void> => {
    await refresh(undefined).catch(error => {
      if (!library.closed) throw error
    })
  }
  return library.state.sources.flatMap(({ source }) => source.watch?.(() => void onChange()) ?? [])
}

/** Moves to another environment. If the refresh fails, moves back. */
export async function useEnvironment(
  library: OpenLibrary,
  refresh: Refresh,
  environment: string | undefined,
  options: AbortOptions = {},
): Promise<LibraryChange> {
  checkOpen(library, options)
  library.environment = checkEnvironment(environment)
  try {
    return await refresh(options.signal)
  } catch (error) {
    // A later call may have chosen another environment.
    if (library.environment === environment) library.environment = library.state.environment
    throw error
  }
}
