/**
 * One step of long work.
 *
 * `phase` names the current stage: `read` (files of skills), `write` (files of a packed library), `load` (files of a model), `embed`
 * (vectors of skills), `download` (one file or archive), `update` (segments of a matcher), `test` (trigger tests).
 */
export interface Progress {
  phase: 'read' | 'write' | 'load' | 'embed' | 'download' | 'update' | 'test'
  /** Units finished: bytes for `load` and `download`, items otherwise. */
  done: number
  /** Units in total. `undefined` while unknown. It may grow while work is being discovered. */
  total: number | undefined
  /** The current item: a source, URL or file. */
  item?: string | undefined
}

/** Called after each step. An error it throws propagates unchanged: it is never retried, wrapped or reported as a failure of the work. */
export type OnProgress = (progress: Progress) => void

/** Errors that user callbacks threw. */
const callbackErrors = new WeakSet<object>()

/** Invokes a user callback and marks what it throws. */
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

/** Rethrows an error of a user callback. Call it first in a `catch` that would treat any error as a failure of the work. */
export function rethrowCallbackError(error: unknown): void {
  if (callbackErrors.has(error as object)) throw error
}
