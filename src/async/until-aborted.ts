import { SkillshelfError } from '../skill/error.js'

/** What `work` gives, unless the signal fires before. The work itself may go on. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stop = (): void =>
      reject(new SkillshelfError('aborted', 'The operation was aborted', {}, signal.reason as unknown))
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
