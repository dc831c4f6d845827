import { createQueue } from '../../core/concurrency.js'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../../core/errors.js'

/** Queues by lock name, used where Web Locks are missing. */
const queues = new Map<string, ReturnType<typeof createQueue>>()

/**
 * Runs `work` under an exclusive lock across tabs and workers. Without Web Locks the lock covers only this page.
 * @param signal Aborts the wait for the lock, but not `work`.
 */
export async function withLock<T>(name: string, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const release = await acquire(name, signal)
  try {
    return await work()
  } finally {
    release()
  }
}

/** Resolves with a function that releases the lock. */
function acquire(name: string, signal: AbortSignal | undefined): Promise<() => void> {
  return new Promise((resolve, reject) => {
    throwIfAborted(signal)
    const stop = (): void => reject(new SkillshelfError('aborted', 'The operation was aborted', {}, signal?.reason))
    signal?.addEventListener('abort', stop, { once: true })
    const hold = async (): Promise<void> => {
      if (signal?.aborted) return
      signal?.removeEventListener('abort', stop)
      await new Promise<void>(release => resolve(release))
    }
    const { locks } = (globalThis as { navigator?: { locks?: LockManager } }).navigator ?? {}
    const held = locks ? locks.request(name, signal ? { signal } : {}, hold) : queueOf(name)(hold)
    held.catch(error => reject(asSkillshelfError(error, 'source-failed', `The lock ${name} could not be acquired`)))
  })
}

function queueOf(name: string): ReturnType<typeof createQueue> {
  const queue = queues.get(name) ?? createQueue()
  queues.set(name, queue)
  return queue
}
