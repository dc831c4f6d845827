import { SkillshelfError } from '../skill/error.js'
import { onAbort } from './on-abort.js'

/** What `work` gives, unless the signal fires before. The work itself may go on. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stop = (): void =>
      reject(new SkillshelfError('aborted', 'The operation was aborted', {}, signal.reason as unknown))
    const forget = onAbort(signal, stop)
    if (signal.aborted) stop()
    work.then(resolve, reject).finally(forget)
  })
}
