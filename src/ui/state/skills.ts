import { errorMessage, SkillshelfError } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import type { LibraryOptions } from '../../library/api/options.js'
import type { LocalLibrary, SkillLibrary } from '../../library/api/skill-library.js'
import type { LibraryInput } from '../../library/indexing/input.js'
import type { Matcher } from '../../search/match/skill-match.js'
import type { EmbedderLoader } from '../../search/model/skill-model.js'
import type { SkillSummary } from '../../skill/skill.js'

const loadOpenLibrary = onDemand(() => import('./on-demand.js'))

/** What a user interface shows: an open library, which stays open, or where to open one. `undefined` opens nothing. */
export type SkillsInput = LibraryInput | SkillLibrary | undefined

/** Options of an opened library: those of `openLibrary`, and parts that each library needs for itself. */
export interface OpenSkillsOptions extends Omit<LibraryOptions, 'matcher' | 'signal'> {
  /** Called for each library that is opened, such as `() => threadMatcher({ worker })`. @default a matcher in this thread */
  matcher?: (() => Matcher) | undefined
  /** Loads a transformer in the background: see `LocalLibrary.upgrade`. `onProgress` reports it. @default undefined */
  upgrade?: EmbedderLoader | undefined
}

/** The state of a library for a user interface. Immutable: each change makes a new object. */
export interface SkillsState {
  /** `idle` without an input. `failed` if no source can be read; `library` is then present if it opened without skills. */
  readonly status: 'idle' | 'loading' | 'ready' | 'failed'
  /** The open library. */
  readonly library?: SkillLibrary
  /** Its skills, sorted by id. */
  readonly skills: readonly SkillSummary[]
  /** Whether messages are matched by meaning too: the bundled model or a transformer has joined. Unknown, so `false`, for a library behind HTTP. */
  readonly meaning: boolean
  /** Why the library failed. */
  readonly error?: Error
  /** Rises with each change that can change matches: a refresh, the bundled model, a transformer. */
  readonly version: number
}

/** A library that a user interface follows. */
export interface OpenedSkills {
  readonly state: SkillsState
  /** Aborts opening, and closes what it opened. Later changes are not reported. */
  close(): void
}

export const IDLE: SkillsState = Object.freeze({
  status: 'idle',
  skills: [],
  meaning: false,
  version: 0,
})
export const LOADING: SkillsState = Object.freeze({ ...IDLE, status: 'loading' })

/** Opens a library and follows it. `onChange` is called with each state after the first, never during this call. */
export function openSkills(
  input: SkillsInput,
  options: OpenSkillsOptions,
  onChange: (state: SkillsState) => void,
): OpenedSkills {
  const abort = new AbortController()
  const { signal } = abort
  let state = input === undefined ? IDLE : LOADING
  let opened: LocalLibrary | undefined
  let stopListening = (): void => {}
  const set = (change: Partial<SkillsState>): void => {
    if (signal.aborted) return
    const { error, ...rest } = state
    state = {
      ...rest,
      ...(error && !change.status ? { error } : {}),
      ...change,
      version: state.version + 1,
    }
    onChange(state)
  }
  const follow = (library: SkillLibrary): void => {
    stopListening = library.on('change', () => set(stateOf(library)))
    set({ library, ...stateOf(library) })
  }
  const run = async (): Promise<void> => {
    if (isLibrary(input)) {
      // Callers do not expect a change during the call.
      await undefined
      if (signal.aborted) return
      follow(input)
      if (await input.ready?.({ signal })) set({ meaning: true })
      return
    }
    const library = await open(input as LibraryInput, options, signal)
    if (signal.aborted) return library.close()
    opened = library
    follow(library)
    const joined = library.ready({ signal }).then(meaning => meaning && set({ meaning: true }))
    const { upgrade, onProgress, onDiagnostic } = options
    const upgraded =
      upgrade &&
      library
        .upgrade(upgrade, { signal, onProgress, onFailure: onDiagnostic })
        .then(inUse => inUse && set({ meaning: true }))
    await Promise.all([joined, upgraded])
  }
  if (input !== undefined) run().catch(error => set(failure(error, state.library)))
  return {
    get state() {
      return state
    },
    close() {
      abort.abort()
      stopListening()
      // Nobody waits for it.
      opened?.close().catch(() => undefined)
    },
  }
}

async function open(
  input: LibraryInput,
  { matcher: createMatcher, upgrade: _, ...options }: OpenSkillsOptions,
  signal: AbortSignal,
): Promise<LocalLibrary> {
  const { openLibrary } = await loadOpenLibrary()
  const matcher = signal.aborted ? undefined : createMatcher?.()
  try {
    return await openLibrary(input, { ...options, ...(matcher ? { matcher } : {}), signal })
  } catch (error) {
    await matcher?.close()
    throw error
  }
}

/** A library without skills whose source cannot be read has failed for a person who looks at it. */
function stateOf(library: SkillLibrary): Partial<SkillsState> {
  const { skills, diagnostics } = library.snapshot
  const unread = diagnostics.find(
    ({ code }) => code === 'source-unreadable' || code === 'source-missing',
  )
  if (skills.length > 0 || !unread) return { status: 'ready', skills }
  const { message, hint } = unread
  return failure(new SkillshelfError('source-failed', message, hint ? { hint } : {}), library)
}

function failure(error: unknown, library: SkillLibrary | undefined): Partial<SkillsState> {
  return { status: 'failed', skills: library?.snapshot.skills ?? [], error: toError(error) }
}

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(errorMessage(error))
}

function isLibrary(input: SkillsInput): input is SkillLibrary {
  return (
    typeof input === 'object' &&
    'snapshot' in input &&
    'match' in input &&
    typeof input.match === 'function'
  )
}
