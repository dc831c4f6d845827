import { coalesce } from '../../core/concurrency.js'
import { isSkillshelfError } from '../../core/errors.js'
import { problemOf } from '../../source/source-problem.js'
import type { LibraryChange } from '../catalog/catalog-entry.js'
import { diffSnapshots } from '../catalog/snapshot.js'
import { checkEnvironment } from '../query/arguments.js'
import { sourceDiagnostic } from '../state/problems.js'
import { createLibraryState, layersOf, type SourceState } from '../state/state.js'
import type { LibraryIndex } from './library-index.js'
import { indexOptions } from './open-index.js'

/** Reads the sources of a library again. */
export interface Refresher {
  /** Coalesces calls that arrive before a refresh starts. A call during a refresh starts the next one. */
  refresh(signal: AbortSignal | undefined): Promise<LibraryChange>
  /** Moves to another environment. If the refresh fails, moves back. */
  use(environment: string | undefined, signal: AbortSignal | undefined): Promise<LibraryChange>
  /** Refreshes when a source reports a change. Returns functions that stop it. */
  watch(): (() => void)[]
}

export function createRefresher(index: LibraryIndex): Refresher {
  const { lifetime } = index
  /** The environment that the next refresh moves to. */
  let { environment } = index.state
  const refresh = coalesce(async signal => {
    const change = await index.reload(() => refreshSources(index, environment, signal))
    index.model.join(index)
    return change
  })
  const onChange = (): void =>
    void refresh(undefined).catch(error => {
      if (!lifetime.isClosed) throw error
    })
  return {
    refresh,
    async use(wanted, signal) {
      environment = checkEnvironment(wanted)
      try {
        return await refresh(signal)
      } catch (error) {
        // A later call may have chosen another environment.
        if (environment === wanted) environment = index.state.environment
        throw error
      }
    },
    watch: () => index.state.sources.flatMap(({ source }) => source.watch?.(onChange) ?? []),
  }
}

async function refreshSources(
  index: LibraryIndex,
  environment: string | undefined,
  signal: AbortSignal,
): Promise<LibraryChange> {
  const { lifetime, state: before } = index
  lifetime.check()
  const sources = await Promise.all(
    before.sources.map(source => refreshSource(index, source, signal)),
  )
  if (
    environment === before.environment &&
    sources.every((source, number) => isSame(source, before.sources[number]))
  ) {
    return { revision: before.snapshot.revision, added: [], changed: [], removed: [] }
  }

  const state = createLibraryState(sources, environment, { before })
  const change = diffSnapshots(
    { layers: layersOf(before.sources, before.environment), snapshot: before.snapshot },
    { layers: layersOf(sources, environment), snapshot: state.snapshot },
  )
  await index.update(() => state, signal)
  lifetime.check()
  if (change.added.length + change.changed.length + change.removed.length > 0) lifetime.emit(change)
  return change
}

/** Keeps the last result of a source that cannot be read. */
async function refreshSource(
  index: LibraryIndex,
  { failure: _, ...state }: SourceState,
  signal: AbortSignal,
): Promise<SourceState> {
  try {
    return {
      ...state,
      loaded: await state.loaded.refresh(indexOptions(index, state.source, signal)),
      warning: problemOf(state.source),
    }
  } catch (error) {
    if (isSkillshelfError(error, 'aborted')) throw error
    return { ...state, failure: sourceDiagnostic(state.source, error) }
  }
}

function isSame(state: SourceState, before: SourceState | undefined): boolean {
  return (
    state.loaded === before?.loaded &&
    state.failure?.message === before.failure?.message &&
    state.warning === before.warning
  )
}
