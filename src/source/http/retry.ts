import { sleep, TIMED_OUT, withTimeout } from '../../core/abort.js'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { rethrowCallbackError } from '../../core/progress.js'
import type { HttpResponse, RetryOptions } from './options.js'

/** A failure that a retry may solve. */
export interface Retry {
  /** Delay that the server asks for, in milliseconds. */
  delay?: number | undefined
}

const MAX_RETRIES = 2
const BACKOFF = 250
const TIMEOUT = 30_000
/** Milliseconds. A longer `Retry-After` ends the retries. */
const MAX_DELAY = 10_000

/** Runs `attempt` until it succeeds, fails for good, or retries run out: returns the last result or throws the last error. */
export async function withRetries<T>(
  attempt: (signal: AbortSignal, restartTimeout: () => void) => Promise<T>,
  shouldRetry: (result: T) => Retry | undefined,
  { maxRetries = MAX_RETRIES, backoff = BACKOFF, timeout = TIMEOUT }: RetryOptions,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let left = maxRetries; ; left--) {
    throwIfAborted(signal)
    let delay = backoff * 2 ** (maxRetries - left)
    try {
      const result = await withTimeout(timeout, attempt, signal)
      if (result === TIMED_OUT) throw new Error(`timed out after ${timeout} ms`)
      const retry = left > 0 ? shouldRetry(result) : undefined
      if (!retry || (retry.delay ?? 0) > MAX_DELAY) return result
      delay = retry.delay ?? delay
    } catch (error) {
      throwIfAborted(signal)
      rethrowCallbackError(error)
      if (left === 0 || error instanceof SkillshelfError) throw error
    }
    await sleep(Math.min(delay, MAX_DELAY), signal)
  }
}

/** Whether a response is a temporary failure. */
export function shouldRetryResponse({
  response: { status, headers },
}: {
  response: HttpResponse
}): Retry | undefined {
  if (status !== 408 && status !== 429 && (status < 500 || status === 501)) return undefined
  // A date in `Retry-After` is relative to the server's clock.
  const now = Date.parse(headers.get('date') ?? '')
  return {
    delay: parseRetryAfter(headers.get('retry-after'), Number.isNaN(now) ? Date.now() : now),
  }
}

/** Milliseconds of a `Retry-After` header, which holds seconds or a date. */
export function parseRetryAfter(header: string | null, now = Date.now()): number | undefined {
  if (!header) return undefined
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
