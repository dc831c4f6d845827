import { throwIfAborted } from '../skill/error.js'
import { inTurn } from './in-turn.js'
import { untilAborted } from './until-aborted.js'

/**
 * Work that all who ask for it before it begins share. Whoever asks while it is under way may know of what it did not see: they share the
 * next, which begins when it ends. Each leaves with its own signal; when the last has left, it is aborted.
 */
export function together<T>(run: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal | undefined) => Promise<T> {
  const turn = inTurn()
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
      return await untilAborted(shared.done, signal)
    } finally {
      if (--shared.waiting === 0 && signal?.aborted) shared.abort.abort()
    }
  }
}
