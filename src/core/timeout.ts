import { onAbort } from './abort.js'

/** What is given in place of an outcome that did not come in time. */
export const TIMED_OUT = Symbol('late')
/** A timer fires at once when it is given more. */
const LONGEST = 2 ** 31 - 1

/**
 * What `work` gives, or `LATE` when it takes longer than so many milliseconds: then the signal that it got fires, as it does with the
 * caller's. Work that does not heed it may go on; nobody waits for it.
 * @param work Its second argument starts the time anew.
 */
export async function withTimeout<T>(
  ms: number,
  work: (signal: AbortSignal, anew: () => void) => Promise<T>,
  signal?: AbortSignal,
): Promise<T | typeof TIMED_OUT> {
  const stop = new AbortController()
  const abort = (): void => stop.abort(signal?.reason)
  const forget = signal && onAbort(signal, abort)
  if (signal?.aborted) abort()
  let timer: ReturnType<typeof setTimeout> | undefined
  let ended = false
  let anew = (): void => undefined
  const over = new Promise<typeof TIMED_OUT>(resolve => {
    const late = (): void => {
      ended = true
      resolve(TIMED_OUT)
      stop.abort()
    }
    anew = () => {
      clearTimeout(timer)
      if (!ended) timer = setTimeout(late, Math.min(ms, LONGEST))
    }
    anew()
  })
  try {
    return await Promise.race([work(stop.signal, anew), over])
  } finally {
    ended = true
    clearTimeout(timer)
    forget?.()
  }
}
