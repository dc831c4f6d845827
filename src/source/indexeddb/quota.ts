/** What the browser grants the whole site, not this database alone. Chromium may say more than there is. */
export interface StorageQuota {
  /** Bytes. */
  quota?: number
  /** Bytes of it that are left: other databases and caches of the site count too. */
  free?: number
  /** Whether it is kept when the device runs short of space. */
  persisted?: boolean
}

interface StorageLike {
  estimate?(): Promise<{ quota?: number; usage?: number }>
  persisted?(): Promise<boolean>
  persist?(): Promise<boolean>
}

export async function storageQuota(): Promise<StorageQuota> {
  const [estimate, persisted] = await Promise.all([known(storage()?.estimate?.()), known(storage()?.persisted?.())])
  const { quota, usage } = estimate ?? {}
  return {
    ...(quota === undefined ? {} : { quota }),
    ...(quota === undefined || usage === undefined ? {} : { free: Math.max(0, quota - usage) }),
    ...(persisted === undefined ? {} : { persisted }),
  }
}

/** False where the browser refuses, and in a worker, which cannot ask. */
export async function persist(): Promise<boolean> {
  return (await known(storage()?.persist?.())) ?? false
}

/** Missing in pages that are no secure context. */
function storage(): StorageLike | undefined {
  return (globalThis as { navigator?: { storage?: StorageLike } }).navigator?.storage
}

/** Figures are a help: where there are none, that is no failure. */
async function known<T>(asked: Promise<T> | undefined): Promise<T | undefined> {
  return asked?.catch(() => undefined)
}
