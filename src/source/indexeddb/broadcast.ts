export interface ChangeChannel {
  /** Subscribes to changes made by any tab or worker. Returns a function that unsubscribes. */
  watch(onChange: () => void): () => void
  /** Notifies subscribers here and in other tabs and workers. Never throws, because the change is already committed. */
  notify(): void
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
    return new BroadcastChannel(`skillshelf ${database}`)
  } catch {
    return undefined
  }
}
