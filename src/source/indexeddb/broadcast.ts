export interface ChangeChannel {
  /** Calls back after each change, made here or elsewhere; returns how to stop it. */
  watch(onChange: () => void): () => void
  /** Tells everybody, here and in other tabs and workers. Never throws: what was changed is changed. */
  notify(): void
  close(): void
}

/** Who changes a database tells the others. Where there is no BroadcastChannel, those of this source alone. */
export function openChangeChannel(database: string): ChangeChannel {
  const watchers = new Set<() => void>()
  let channel: BroadcastChannel | undefined

  const tellHere = (): void => {
    // A watcher that throws is reported as any uncaught error, and keeps no other from hearing.
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
        channel?.addEventListener('message', tellHere)
      }
      return () => {
        watchers.delete(watcher)
        if (watchers.size === 0) close()
      }
    },
    notify() {
      tellHere()
      // A channel does not hear itself.
      const sender = channel ?? openChannel(database)
      sender?.postMessage('changed')
      if (sender !== channel) sender?.close()
    },
    close,
  }
}

/** Missing, or forbidden, where the page may keep nothing. */
function openChannel(database: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(`skillshelf ${database}`)
  } catch {
    return undefined
  }
}
