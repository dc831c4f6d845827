import { isSkillshelfError, SkillshelfError } from './errors.js'

export interface AbortOptions {
  /** Aborts the call with `aborted`. */
  signal?: AbortSignal | undefined
}

const callbacks = new WeakMap<AbortSignal, Set<() => void>>()

/** Calls back once when a signal fires, never if it has fired. One listener per signal: Node warns above ten. Returns a remover. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const waiting = callbacks.get(signal) ?? new Set<() => void>()
  if (!callbacks.has(signal)) {
    const callAll = (): void => {
      for (const waitingCallback of waiting) waitingCallback()
    }
    signal.addEventListener('abort', callAll, { once: true })
    callbacks.set(signal, waiting)
  }
  waiting.add(callback)
  return () => {
    waiting.delete(callback)
  }
}

/** Rejects with `aborted` as soon as the signal fires, without waiting for `work`. @throws SkillshelfError `aborted` */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const abort = (): void =>
      reject(
        new SkillshelfError('aborted', 'The operation was aborted', {}, signal.reason as unknown),
      )
    const removeListener = onAbort(signal, abort)
    if (signal.aborted) abort()
    work.then(resolve, reject).finally(removeListener)
  })
}

/** A controller that follows other signals. */
export interface LinkedController {
  controller: AbortController
  /** Stops following. Call it when the work has ended: a signal that lives long keeps a listener until then. */
  unlink(): void
}

/** Creates a controller that also aborts when one of the signals does, until `unlink` is called. */
export function linkedController(...signals: (AbortSignal | undefined)[]): LinkedController {
  const controller = new AbortController()
  const removeListeners = signals
    .filter(signal => signal !== undefined)
    .map(signal => {
      if (signal.aborted) controller.abort(signal.reason)
      return onAbort(signal, () => controller.abort(signal.reason))
    })
  const unlink = (): void => {
    for (const removeListener of removeListeners) removeListener()
  }
  return { controller, unlink }
}

/** Resolves after `ms` milliseconds. @throws SkillshelfError `aborted` as soon as the signal fires */
export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const elapsed = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  try {
    await abortable(elapsed, signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Returned by `withTimeout` in place of a result. */
export const TIMED_OUT = Symbol('timed out')
/** Longest delay of a timer; `setTimeout` fires at once for a longer one. */
export const MAX_DELAY = 2 ** 31 - 1

/** The error of a source that does not answer. */
export function timeoutError(subject: string, source: string, timeout: number): SkillshelfError {
  return new SkillshelfError('source-failed', `${subject} was not read within ${timeout} ms`, {
    subject: source,
    figures: { timeout },
    hint: 'check the source, or set a longer `timeout`',
  })
}

export function isTimeoutError(error: unknown): boolean {
  return (
    isSkillshelfError(error, 'source-failed') && error.details.figures?.['timeout'] !== undefined
  )
}

/**
 * Runs `work` and returns its result, or `TIMED_OUT` when the time is up.
 * @param ms Time limit in milliseconds.
 * @param work Gets a signal that fires on timeout or with the caller's signal, and a function that restarts the time limit.
 * @param signal Signal of the caller. `work` is responsible for rejecting when it fires.
 */
export async function withTimeout<T>(
  ms: number,
  work: (signal: AbortSignal, restart: () => void) => Promise<T>,
  signal?: AbortSignal,
): Promise<T | typeof TIMED_OUT> {
  const { controller, unlink } = linkedController(signal)
  let timer: ReturnType<typeof setTimeout> | undefined
  let ended = false
  let restart = (): void => undefined
  const timeout = new Promise<typeof TIMED_OUT>(resolve => {
    const expire = (): void => {
      ended = true
      resolve(TIMED_OUT)
      controller.abort()
    }
    restart = () => {
      clearTimeout(timer)
      if (!ended) timer = setTimeout(expire, Math.min(ms, MAX_DELAY))
    }
    restart()
  })
  try {
    return await Promise.race([work(controller.signal, restart), timeout])
  } finally {
    ended = true
    clearTimeout(timer)
    unlink()
  }
}
