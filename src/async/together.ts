import { untilAborted } from './until-aborted.js'

/**
 * Work that all who ask for it while it is under way share. Each leaves with its own signal; when the last has left, it is aborted.
 */
export function together<T>(run: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal | undefined) => Promise<T> {
  let current: { done: Promise<T>; abort: AbortController; waiting: number } | undefined
  return async signal => {
    // One that everybody has left is on its way out.
    while (current?.abort.signal.aborted) await current.done.catch(() => undefined)
    if (!current) {
      const abort = new AbortController()
      const done = run(abort.signal).finally(() => {
        current = undefined
      })
      current = { done, abort, waiting: 0 }
    }
    const shared = current
    shared.waiting++
    try {
      return await untilAborted(shared.done, signal)
    } finally {
      if (--shared.waiting === 0 && signal?.aborted) shared.abort.abort()
    }
  }
}
