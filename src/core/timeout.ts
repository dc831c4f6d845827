import { linkedController } from './abort.js'
import { isSkillshelfError, SkillshelfError } from './errors.js'

/** Returned by `withTimeout` in place of a result. */
export const TIMED_OUT = Symbol('timed out')
/** Longest delay of a timer; `setTimeout` fires at once for a longer one. */
const MAX_DELAY = 2 ** 31 - 1

/** The error of a source that does not answer. */
export function timeoutError(subject: string, source: string, timeout: number): SkillshelfError {
  return new SkillshelfError('source-failed', `${subject} was not read within ${timeout} ms`, {
    subject: source,
    figures: { timeout },
    hint: 'check the source, or set a longer `timeout`',
  })
}

export function isTimeoutError(error: unknown): boolean {
  return isSkillshelfError(error, 'source-failed') && error.details.figures?.['timeout'] !== undefined
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
