import type { MatchOptions, SearchOptions, SkillLibrary } from '../../library/api/skill-library.js'
import type { MatcherResult, MatchQuery, SkillMatch } from '../../search/match/skill-match.js'
import { toError } from './skills.js'

/** The result of the latest message for a user interface. Immutable: each change makes a new object. */
export interface MatchState {
  /** The matches of `result`, `[]` without one. */
  readonly matches: readonly SkillMatch[]
  /** The latest result. It stays while a newer message is matched. */
  readonly result?: MatcherResult
  /** The message that `result` answers. */
  readonly message: string
  /** Whether a message is being matched, or waits for the library. */
  readonly pending: boolean
  /** Why the latest message could not be matched. */
  readonly error?: Error
}

export const NO_MATCH: MatchState = Object.freeze({ matches: [], message: '', pending: false })

export type AskOptions =
  | ({ threshold: false } & Omit<SearchOptions, 'signal'>)
  | Omit<MatchOptions, 'signal'>

/**
 * Matches messages. A newer message aborts the one before it. While a model is loading, words answer at once, and the complete
 * result follows.
 */
export interface Matching {
  readonly state: MatchState
  /** Matches a message; an empty one has no matches. Pending without a library. `threshold: false` ranks like `search`. */
  ask(library: SkillLibrary | undefined, query: string | MatchQuery, options?: AskOptions): void
  /** Aborts the message. Later changes are not reported. */
  close(): void
}

/** @param onChange Called with each state, also during `ask`. */
export function createMatching(onChange: (state: MatchState) => void): Matching {
  let state = NO_MATCH
  let abort: AbortController | undefined
  const set = (next: MatchState): void => {
    state = next
    onChange(state)
  }
  return {
    get state() {
      return state
    },
    ask(library, query, options = {}) {
      abort?.abort()
      abort = undefined
      const message = typeof query === 'string' ? query : query.message
      if (message.trim() === '') {
        if (state !== NO_MATCH) set(NO_MATCH)
        return
      }
      const { error: _, ...before } = state
      if (!state.pending || state.error) set({ ...before, pending: true })
      if (!library) return
      abort = new AbortController()
      const { signal } = abort
      const { threshold, ...rest } = options as Omit<MatchOptions, 'threshold'> & {
        threshold?: number | false | undefined
      }
      const find = async (wait: boolean): Promise<MatcherResult> => {
        const result = await (threshold === false
          ? library.search(query, { wait, ...rest, signal })
          : library.match(query, { wait, ...rest, threshold, signal }))
        if (!signal.aborted) set({ result, matches: result.matches, message, pending: false })
        return result
      }
      find(false)
        // Without `ready`, no model is to come: a server has waited for its own.
        .then(({ complete }) =>
          complete || signal.aborted || !library.ready ? undefined : find(true),
        )
        .catch((error: unknown) => {
          if (signal.aborted) return
          set({ matches: [], message, pending: false, error: toError(error) })
        })
    },
    close() {
      abort?.abort()
      abort = undefined
    },
  }
}
