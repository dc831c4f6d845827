import { abortable } from './abort.js'
import { throwIfAborted } from './errors.js'

/** Number of reads and requests in parallel: browsers and workerd open at most six connections at once. */
export const PARALLEL_READS = 6

/** Runs tasks one at a time, in order. A task that fails does not stop the next. Returns the result of the task. */
export type Queue = <T>(task: () => Promise<T>) => Promise<T>

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return task => {
    const next = last.then(task)
    last = next.catch(() => undefined)
    return next
  }
}

/** Creates a value on first use and caches it. If `create` throws, the next use tries again. */
export function lazy<T>(create: () => T): () => T {
  let cached: { value: T } | undefined
  return () => {
    cached ??= { value: create() }
    return cached.value
  }
}

/** Runs `task` one at a time. Calls during a run share one more run after it. */
export function rerunIfCalled(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let again = false
  const run = async (): Promise<void> => {
    try {
      do {
        again = false
        await task()
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

/** Maps items in parallel, at most `limit` at a time, in order. Rejects on the first failure and starts no more items. */
export async function mapParallel<T, R>(
  items: readonly T[],
  limit: number,
  map: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length)
  let next = 0
  let failed = false
  const worker = async (): Promise<void> => {
    while (!failed && next < items.length) {
      const index = next++
      try {
        results[index] = await map(items[index] as T, index)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  return results
}

/**
 * Coalesces calls: calls that arrive before a run starts share it, and calls during a run share the next one, so that every caller sees
 * the changes made before its call. Each caller can abort its own wait; the run is aborted when all of its callers have.
 */
export function coalesce<T>(
  run: (signal: AbortSignal) => Promise<T>,
): (signal: AbortSignal | undefined) => Promise<T> {
  const queue = createQueue()
  let next: { done: Promise<T>; controller: AbortController; callers: number } | undefined
  return async signal => {
    if (!next || next.controller.signal.aborted) {
      const controller = new AbortController()
      const done = queue(() => {
        if (next?.controller === controller) next = undefined
        throwIfAborted(controller.signal)
        return run(controller.signal)
      })
      next = { done, controller, callers: 0 }
    }
    const shared = next
    shared.callers++
    try {
      return await abortable(shared.done, signal)
    } finally {
      if (--shared.callers === 0 && signal?.aborted) shared.controller.abort()
    }
  }
}
