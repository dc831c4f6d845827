// A worker that ends without a word, by terminate() or self.close(), fires no event; but its locks are let go.

/** Takes a lock for as long as this worker lives, and gives its name; `undefined` where there are none. */
export async function holdLock(): Promise<string | undefined> {
  const held = locks()
  if (!held) return undefined
  const name = `skillshelf ${crypto.randomUUID()}`
  return new Promise(resolve => {
    const forEver = (): Promise<never> => {
      resolve(name)
      return new Promise(() => {})
    }
    held.request(name, forEver).catch(() => resolve(undefined))
  })
}

/** Calls back once the lock is let go; returns how to stop waiting for it. */
export function onceFree(name: string, callback: () => void): () => void {
  const stop = new AbortController()
  locks()
    ?.request(name, { signal: stop.signal }, callback)
    .catch(() => {})
  return () => stop.abort()
}

/** Missing in Node 20 and in pages that are no secure context. */
function locks(): LockManager | undefined {
  return (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks
}
