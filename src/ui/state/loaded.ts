import { errorMessage } from '../../core/errors.js'

/** Something that loads, in the shape of a query of TanStack Query. Immutable: each change makes a new object. */
export type Loaded<Data> = {
  /** Whether it is being loaded now: for the first time, or again while `data` stays. */
  readonly isFetching: boolean
} & (
  | {
      /** `idle`: there is nothing to load. `pending`: there is no data yet. */
      readonly status: 'idle' | 'pending'
      readonly data: undefined
      readonly error: undefined
    }
  | { readonly status: 'success'; readonly data: Data; readonly error: undefined }
  | { readonly status: 'error'; readonly data: undefined; readonly error: Error }
)

const NOTHING = { data: undefined, error: undefined } as const
export const IDLE = Object.freeze({ status: 'idle', ...NOTHING, isFetching: false } as const)
export const PENDING = Object.freeze({ status: 'pending', ...NOTHING, isFetching: true } as const)

/** Loads data, and may show what it has before it is done. */
export type Load<Data> = (options: { signal: AbortSignal; show(data: Data): void }) => Promise<void>

/** Loads one thing at a time. A newer load aborts the one before it; its data stays until there is other data. */
export interface Loading<Data> {
  readonly state: Loaded<Data>
  start(load: Load<Data>): void
  /** Waits for something that `start` needs. */
  wait(): void
  fail(error: unknown): void
  /** Forgets the data. */
  reset(): void
  /** Aborts. Later changes are not reported. */
  close(): void
}

/** @param onChange Called with each state, also during the calls of the methods. */
export function createLoading<Data>(
  before: Loaded<Data>,
  onChange: (state: Loaded<Data>) => void,
): Loading<Data> {
  let state = before
  let abort: AbortController | undefined
  const set = (next: Loaded<Data>): void => {
    if (next === state) return
    state = next
    onChange(state)
  }
  const close = (): void => {
    abort?.abort()
    abort = undefined
  }
  const wait = (): void => {
    close()
    if (!state.isFetching) set(fetching(state))
  }
  const fail = (error: unknown): void => {
    close()
    set({ status: 'error', data: undefined, error: toError(error), isFetching: false })
  }
  return {
    get state() {
      return state
    },
    start(load) {
      wait()
      abort = new AbortController()
      const { signal } = abort
      const show = (data: Data): void => {
        if (!signal.aborted) set({ status: 'success', data, error: undefined, isFetching: false })
      }
      load({ signal, show }).catch(error => signal.aborted || fail(error))
    },
    wait,
    fail,
    reset() {
      close()
      set(IDLE)
    },
    close,
  }
}

/** The state while it is loaded again. */
export function fetching<Data>(state: Loaded<Data>): Loaded<Data> {
  return state.status === 'success' ? { ...state, isFetching: true } : PENDING
}

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(errorMessage(error))
}
