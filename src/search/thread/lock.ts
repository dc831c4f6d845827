// terminate() and self.close() fire no event, but they release the locks of the worker.

/** Holds a lock until this worker ends, and returns its name; `undefined` without Web Locks. */
export async function holdLock(): Promise<string | undefined> {
  const manager = lockManager()
  if (!manager) return undefined
  const name = `skillshelf ${crypto.randomUUID()}`
  return new Promise(resolve => {
    const holdForever = (): Promise<never> => {
      resolve(name)
      return new Promise(() => {})
    }
    manager.request(name, holdForever).catch(() => resolve(undefined))
  })
}

/** Calls back when a lock is released. Returns a function that stops waiting. */
export function onLockReleased(name: string, callback: () => void): () => void {
  const stop = new AbortController()
  lockManager()
    ?.request(name, { signal: stop.signal }, callback)
    .catch(() => {})
  return () => stop.abort()
}

/** Missing in Node 20 and in insecure contexts. */
function lockManager(): LockManager | undefined {
  return (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks
}
