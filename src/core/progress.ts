/** A step of a long operation. */
export interface Progress {
  /**
   * The current stage: `read` (files of skills), `write` (files of a packed library), `load` (files of a model), `embed` (vectors of
   * skills), `enrich` (skills that a model writes messages for), `download` (one file or archive), `update` (segments of a matcher) or
   * `test` (trigger tests).
   */
  phase: 'read' | 'write' | 'load' | 'embed' | 'enrich' | 'download' | 'update' | 'test'
  /** Finished units: bytes for `load` and `download`, items otherwise. */
  done: number
  /** Total units, `undefined` while unknown. It can grow while more work is found. */
  total: number | undefined
  /** The current item: a source, URL or file. */
  item?: string | undefined
}

/** Called after each step. Errors it throws reject the operation unchanged; they are never retried or wrapped. */
export type OnProgress = (progress: Progress) => void

const callbackErrors = new WeakSet<object>()

/** Invokes a user callback and marks the error that it throws. */
export function invokeCallback<Arguments extends unknown[]>(
  callback: ((...args: Arguments) => void) | undefined,
  ...args: Arguments
): void {
  try {
    callback?.(...args)
  } catch (error) {
    if (typeof error === 'object' && error !== null) callbackErrors.add(error)
    throw error
  }
}

/** Rethrows an error that a user callback threw. Call it first in a `catch` that retries, wraps or reports errors. */
export function rethrowCallbackError(error: unknown): void {
  if (callbackErrors.has(error as object)) throw error
}
