import { createQueue } from '../../core/concurrency.js'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../../core/errors.js'

/** Where there are no Web Locks: whose turn it is in this page, by name. */
const turns = new Map<string, ReturnType<typeof createQueue>>()

/**
 * Runs `work` while nobody else holds the lock of this name: in this page, other tabs, workers. Without Web Locks, in this page alone.
 * The signal ends the waiting; work that has begun is its own master.
 */
export async function withLock<T>(name: string, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const release = await acquire(name, signal)
  try {
    return await work()
  } finally {
    release()
  }
}

/** Gives how to let it go. */
function acquire(name: string, signal: AbortSignal | undefined): Promise<() => void> {
  return new Promise((granted, refused) => {
    throwIfAborted(signal)
    const stop = (): void => refused(new SkillshelfError('aborted', 'The operation was aborted', {}, signal?.reason))
    signal?.addEventListener('abort', stop, { once: true })
    const hold = async (): Promise<void> => {
      if (signal?.aborted) return
      signal?.removeEventListener('abort', stop)
      await new Promise<void>(release => granted(release))
    }
    const { locks } = (globalThis as { navigator?: { locks?: LockManager } }).navigator ?? {}
    const held = locks ? locks.request(name, signal ? { signal } : {}, hold) : turnOf(name)(hold)
    held.catch(error => refused(asSkillshelfError(error, 'source-failed', `The lock ${name} could not be had`)))
  })
}

function turnOf(name: string): ReturnType<typeof createQueue> {
  const turn = turns.get(name) ?? createQueue()
  turns.set(name, turn)
  return turn
}
