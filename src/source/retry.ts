import { SkillshelfError, throwIfAborted } from '../core/errors.js'
import { rethrowCallbackError } from '../core/progress.js'
import { TIMED_OUT, withTimeout } from '../core/timeout.js'

export interface Patience {
  /** Further tries after a failure that may pass: no answer, half an answer, 408, 429, 5xx. Default 2. */
  retries?: number | undefined
  /** Milliseconds before the second try, twice as many before each after it; `Retry-After` goes before it. Default 250. */
  backoff?: number | undefined
  /** Milliseconds that one try may take, and again as many for every further 64 KiB of its body. Default 30,000. */
  timeout?: number | undefined
}

/** An answer that may be better the next time. */
export interface TryAgain {
  again: true
  /** What the server says to wait, in milliseconds. */
  after?: number | undefined
}

const RETRIES = 2
const BACKOFF = 250
const TIMEOUT = 30_000
/** Milliseconds that are waited at most between two tries: a host that says an hour is asked no more. */
const MOST = 10_000

/**
 * Tries until it succeeds, fails for good, or patience ends: then the last answer, or the last error, is the outcome.
 * @param attempt Gets a signal that fires with the caller's and when its time is over, and what starts that time anew.
 * @param isAgain What of an answer may be better the next time.
 */
export async function patiently<T>(
  attempt: (signal: AbortSignal, anew: () => void) => Promise<T>,
  isAgain: (answer: T) => TryAgain | undefined,
  { retries = RETRIES, backoff = BACKOFF, timeout = TIMEOUT }: Patience,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let left = retries; ; left--) {
    throwIfAborted(signal)
    let pause = backoff * 2 ** (retries - left)
    try {
      const answer = await withTimeout(timeout, attempt, signal)
      if (answer === TIMED_OUT) throw new Error(`no answer within ${timeout} ms`)
      const again = left > 0 ? isAgain(answer) : undefined
      if (!again || (again.after ?? 0) > MOST) return answer
      pause = again.after ?? pause
    } catch (error) {
      throwIfAborted(signal)
      rethrowCallbackError(error)
      if (left === 0 || error instanceof SkillshelfError) throw error
    }
    await rest(Math.min(pause, MOST), signal)
  }
}

/** Of a `Retry-After` header: seconds or a date. */
export function retryAfter(header: string | null, now = Date.now()): number | undefined {
  if (!header) return undefined
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

function rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    const abort = (): void => {
      clearTimeout(timer)
      reject(new SkillshelfError('aborted', 'The operation was aborted', {}, signal?.reason))
    }
    signal?.addEventListener('abort', abort, { once: true })
  })
}
