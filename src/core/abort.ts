import { SkillshelfError } from './errors.js'

const listening = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls back when a signal fires that has not yet; returns how to stop that. However many wait for it, the signal has one listener: Node
 * takes more than ten for a leak, and says so.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let waiting = listening.get(signal)
  if (!waiting) {
    const all = new Set<() => void>()
    signal.addEventListener('abort', () => all.forEach(one => void one()), { once: true })
    listening.set(signal, all)
    waiting = all
  }
  const all = waiting
  all.add(callback)
  return () => void all.delete(callback)
}

/** What `work` gives, unless the signal fires before. The work itself may go on. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stop = (): void =>
      reject(new SkillshelfError('aborted', 'The operation was aborted', {}, signal.reason as unknown))
    const forget = onAbort(signal, stop)
    if (signal.aborted) stop()
    work.then(resolve, reject).finally(forget)
  })
}
