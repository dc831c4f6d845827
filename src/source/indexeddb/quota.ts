/** Storage quota of the whole site, not of one database. Fields are absent if the browser does not report them. */
export interface StorageQuota {
  /** Bytes the site may use. Chromium may report more than the device has. */
  quota?: number
  /** Remaining bytes of the quota, which all databases and caches of the site share. */
  free?: number
  /** Whether the browser keeps the data when the device runs short of space. */
  persisted?: boolean
}

export async function storageQuota(): Promise<StorageQuota> {
  const [estimate, persisted] = await Promise.all([
    ignoreError(storage()?.estimate?.()),
    ignoreError(storage()?.persisted?.()),
  ])
  const { quota, usage } = estimate ?? {}
  return {
    ...(quota === undefined ? {} : { quota }),
    ...(quota === undefined || usage === undefined ? {} : { free: Math.max(0, quota - usage) }),
    ...(persisted === undefined ? {} : { persisted }),
  }
}

/** Requests persistent storage. False if the browser refuses, and in workers, which cannot request it. */
export async function persist(): Promise<boolean> {
  return (await ignoreError(storage()?.persist?.())) ?? false
}

/** `persist` is missing in workers. */
type SiteStorage = Partial<StorageManager & { persist(): Promise<boolean> }>

/** Missing in insecure contexts. */
function storage(): SiteStorage | undefined {
  return (globalThis as { navigator?: { storage?: SiteStorage } }).navigator?.storage
}

async function ignoreError<T>(result: Promise<T> | undefined): Promise<T | undefined> {
  return result?.catch(() => undefined)
}
