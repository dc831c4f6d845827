import { abortable } from './abort.js'
import { throwIfAborted } from './errors.js'

/** Does one piece of work after the other, in the order they come; one that fails holds up none. */
export function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const next = last.then(work)
    last = next.catch(() => undefined)
    return next
  }
}

/** Made when it is first asked for, and kept. What fails is tried again by the next who asks. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Runs `work` once at a time. Calls while it runs lead to one more run after it, which all of them wait for. */
export function rerunIfCalled(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let again = false
  const run = async (): Promise<void> => {
    try {
      do {
        again = false
        await work()
      } while (again)
    } finally {
      running = undefined
    }
  }
  return () => {
    again = true
    running ??= run()
    return running
  }
}

/** `Promise.all` over `items` with at most `limit` under way; results in order. The first failure rejects, and nothing new is started. */
export async function mapParallel<T, R>(
  items: readonly T[],
  limit: number,
  each: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length)
  let next = 0
  let failed = false
  const lane = async (): Promise<void> => {
    while (!failed && next < items.length) {
      const index = next++
      try {
        results[index] = await each(items[index] as T, index)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane))
  return results
}

/**
 * Work that all who ask for it before it begins share. Whoever asks while it is under way may know of what it did not see: they share the
 * next, which begins when it ends. Each leaves with its own signal; when the last has left, it is aborted.
 */
export function coalesce<T>(run: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal | undefined) => Promise<T> {
  const turn = createQueue()
  let next: { done: Promise<T>; abort: AbortController; waiting: number } | undefined
  return async signal => {
    // One that everybody has left is not gone on with.
    if (!next || next.abort.signal.aborted) {
      const abort = new AbortController()
      const done = turn(() => {
        if (next?.abort === abort) next = undefined
        throwIfAborted(abort.signal)
        return run(abort.signal)
      })
      next = { done, abort, waiting: 0 }
    }
    const shared = next
    shared.waiting++
    try {
      return await abortable(shared.done, signal)
    } finally {
      if (--shared.waiting === 0 && signal?.aborted) shared.abort.abort()
    }
  }
}
