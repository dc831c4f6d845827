import { SkillshelfError } from './errors.js'

export interface AbortOptions {
  /** Aborts the call with `aborted`. */
  signal?: AbortSignal | undefined
}

const callbacks = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls back once when a signal fires. All callbacks share one listener per signal, because Node warns of a leak above ten.
 * A signal that has already fired never calls back.
 * @returns A function that removes the callback.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let waiting = callbacks.get(signal)
  if (!waiting) {
    const added = new Set<() => void>()
    signal.addEventListener('abort', () => added.forEach(one => void one()), { once: true })
    callbacks.set(signal, added)
    waiting = added
  }
  const added = waiting
  added.add(callback)
  return () => void added.delete(callback)
}

/**
 * Rejects with `aborted` as soon as the signal fires, without waiting for `work`.
 * @throws SkillshelfError `aborted`
 */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const abort = (): void =>
      reject(new SkillshelfError('aborted', 'The operation was aborted', {}, signal.reason as unknown))
    const removeListener = onAbort(signal, abort)
    if (signal.aborted) abort()
    work.then(resolve, reject).finally(removeListener)
  })
}

/** Creates a controller that also aborts when one of the signals does, until `unlink` is called. */
export function linkedController(...signals: (AbortSignal | undefined)[]): {
  controller: AbortController
  unlink(): void
} {
  const controller = new AbortController()
  const removeListeners = signals.map(signal => {
    if (!signal) return undefined
    if (signal.aborted) controller.abort(signal.reason)
    return onAbort(signal, () => controller.abort(signal.reason))
  })
  const unlink = (): void => {
    for (const remove of removeListeners) remove?.()
  }
  return { controller, unlink }
}

/**
 * Resolves after `ms` milliseconds.
 * @throws SkillshelfError `aborted` as soon as the signal fires
 */
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
