import { createQueue, type Queue } from '../../core/concurrency.js'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { isDenied } from './errors.js'

/** Queues by lock name, used where Web Locks are missing. */
const queues = new Map<string, Queue>()

/** Runs `work` under a lock across tabs and workers, of this page without Web Locks. `signal` aborts the wait, not `work`. */
export async function withLock<T>(
  name: string,
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
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
    const stop = (): void =>
      reject(new SkillshelfError('aborted', 'The operation was aborted', {}, signal?.reason))
    signal?.addEventListener('abort', stop, { once: true })
    const hold = async (): Promise<void> => {
      if (signal?.aborted) return
      signal?.removeEventListener('abort', stop)
      await new Promise<void>(release => resolve(release))
    }
    requestLock(name, signal, hold).catch(error =>
      reject(asSkillshelfError(error, 'source-failed', `The lock ${name} could not be acquired`)),
    )
  })
}

/** Runs `hold` under the lock of the browser, or of this page if the browser has no locks or denies them. */
async function requestLock(
  name: string,
  signal: AbortSignal | undefined,
  hold: () => Promise<void>,
): Promise<void> {
  const { locks } = (globalThis as { navigator?: { locks?: LockManager } }).navigator ?? {}
  if (!locks) return queueOf(name)(hold)
  try {
    await locks.request(name, signal ? { signal } : {}, hold)
  } catch (error) {
    // A page without access to storage. Its first read or write says so.
    if (!isDenied(error)) throw error
    await queueOf(name)(hold)
  }
}

function queueOf(name: string): Queue {
  const queue = queues.get(name) ?? createQueue()
  queues.set(name, queue)
  return queue
}

/** The change notifications of a database. */
export interface ChangeChannel {
  /** Subscribes to changes made by any tab or worker. Returns a function that unsubscribes. */
  watch(onChange: () => void): () => void
  /** Notifies subscribers here and in other tabs and workers. Never throws, because the change is already committed. */
  notify(): void
  /** Ends all subscriptions. */
  close(): void
}

/** Opens the change notifications of a database. Without BroadcastChannel they reach only this source. */
export function openChangeChannel(database: string): ChangeChannel {
  const watchers = new Set<() => void>()
  let channel: BroadcastChannel | undefined

  const notifyHere = (): void => {
    // In microtasks: an error in one watcher is reported as uncaught and does not stop the others.
    for (const watcher of watchers) queueMicrotask(watcher)
  }
  const close = (): void => {
    watchers.clear()
    channel?.close()
    channel = undefined
  }

  return {
    watch(onChange) {
      const watcher = (): void => {
        if (watchers.has(watcher)) onChange()
      }
      watchers.add(watcher)
      if (!channel) {
        channel = openChannel(database)
        channel?.addEventListener('message', notifyHere)
      }
      return () => {
        watchers.delete(watcher)
        if (watchers.size === 0) close()
      }
    },
    notify() {
      notifyHere()
      // A BroadcastChannel does not receive its own messages.
      const sender = channel ?? openChannel(database)
      sender?.postMessage('changed')
      if (sender !== channel) sender?.close()
    },
    close,
  }
}

/** `undefined` if BroadcastChannel is missing, or forbidden because the page has no storage access. */
function openChannel(database: string): BroadcastChannel | undefined {
  try {
    const channel = new BroadcastChannel(`skillshelf ${database}`)
    // In Node, a channel keeps the process alive.
    ;(channel as { unref?(): void }).unref?.()
    return channel
  } catch {
    return undefined
  }
}
