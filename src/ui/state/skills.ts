import { SkillshelfError } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import type { LibraryOptions } from '../../library/api/options.js'
import type { LocalLibrary, SkillLibrary } from '../../library/api/skill-library.js'
import type { LibraryInput } from '../../library/indexing/input.js'
import type { Matcher } from '../../search/match/skill-match.js'
import type { EmbedderLoader } from '../../search/model/skill-model.js'
import type { SkillSummary } from '../../skill/skill.js'
import { IDLE, type Loaded, PENDING, toError } from './loaded.js'

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

/** An open library for a user interface. Immutable: each change that can change matches makes a new object. */
export interface OpenSkills {
  readonly library: SkillLibrary
  /** Its skills, sorted by id. */
  readonly skills: readonly SkillSummary[]
  /** Whether messages are matched by meaning too: the bundled model or a transformer has joined. Unknown, so `false`, for a library behind HTTP. */
  readonly meaning: boolean
}

/** The state of a library: `idle` without an input, `error` if it cannot be opened, or no source of it can be read. */
export type SkillsState = Loaded<OpenSkills>

/** A library that a user interface follows. */
export interface OpenedSkills {
  readonly state: SkillsState
  /** Aborts opening, and closes what it opened. Later changes are not reported. */
  close(): void
}

/** Opens a library and follows it. `onChange` is called with each state after the first, never during this call. */
export function openSkills(
  input: SkillsInput,
  options: OpenSkillsOptions,
  onChange: (state: SkillsState) => void,
): OpenedSkills {
  const abort = new AbortController()
  const { signal } = abort
  let state: SkillsState = input === undefined ? IDLE : PENDING
  let opened: LocalLibrary | undefined
  let meaning = false
  let stopListening = (): void => {}
  const set = (next: SkillsState): void => {
    if (signal.aborted) return
    state = next
    onChange(state)
  }
  const follow = (library: SkillLibrary): void => {
    stopListening = library.on('change', () => set(stateOf(library, meaning)))
    set(stateOf(library, meaning))
  }
  const join = (library: SkillLibrary, hasJoined: boolean): void => {
    if (!hasJoined) return
    meaning = true
    set(stateOf(library, meaning))
  }
  const run = async (): Promise<void> => {
    if (isLibrary(input)) {
      // Also without `opened`: callers do not expect a change during the call.
      await input.opened?.({ signal })
      if (signal.aborted) return
      follow(input)
      join(input, (await input.ready?.({ signal })) ?? false)
      return
    }
    const library = await open(input as LibraryInput, options, signal)
    if (signal.aborted) return library.close()
    opened = library
    follow(library)
    const joined = library.ready({ signal }).then(isReady => join(library, isReady))
    const { upgrade, onProgress, onDiagnostic } = options
    const upgraded =
      upgrade &&
      library
        .upgrade(upgrade, { signal, onProgress, onFailure: onDiagnostic })
        .then(inUse => join(library, inUse))
    await Promise.all([joined, upgraded])
  }
  if (input !== undefined) run().catch(error => set(failure(error)))
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
function stateOf(library: SkillLibrary, meaning: boolean): SkillsState {
  const { skills, diagnostics } = library.snapshot
  const unread = diagnostics.find(
    ({ code }) => code === 'source-unreadable' || code === 'source-missing',
  )
  if (skills.length > 0 || !unread) {
    const data = Object.freeze({ library, skills, meaning })
    return { status: 'success', data, error: undefined, isFetching: false }
  }
  const { message, hint } = unread
  return failure(new SkillshelfError('source-failed', message, hint ? { hint } : {}))
}

function failure(error: unknown): SkillsState {
  return { status: 'error', data: undefined, error: toError(error), isFetching: false }
}

function isLibrary(input: SkillsInput): input is SkillLibrary {
  return (
    typeof input === 'object' &&
    'snapshot' in input &&
    'match' in input &&
    typeof input.match === 'function'
  )
}
