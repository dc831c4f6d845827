import type { FileEntry } from '../../../source/source.js'

/**
 * Tracks the sizes of files in an offline copy, and decides which resources to remove when room is short: the least recently read first.
 * It removes nothing itself.
 */
export interface Eviction {
  /** Sets the files that are never removed: instructions and details of the current skills. */
  pin(paths: Iterable<string>): void
  isPinned(path: string): boolean
  /** Marks a file as just read. */
  touch(path: string): void
  /** Adds a file. Returns the files to remove for it, or `undefined` if it is larger than the limit. */
  admit(path: string, size: number): string[] | undefined
  /** Bytes that can be added without removing a file. */
  room(): number
  /** Resources to remove until the rest takes this share of the limit. @param share From 0 to 1. @default 1 */
  surplus(share?: number): string[]
  /** Drops files that were removed. */
  forget(paths: readonly string[]): void
  /** Paths that are not pinned, least recently read first. */
  order(): string[]
}

/**
 * @param used The order of an earlier session. Files it does not list were never read.
 * @param maxBytes Limit for files that are not pinned.
 */
export function createEviction(
  listing: readonly FileEntry[],
  used: readonly string[],
  maxBytes: number,
): Eviction {
  const listed = new Map(
    listing
      .filter(({ path }) => path.startsWith('files/'))
      .map(({ path, size = 0 }) => [path, size]),
  )
  const wasUsed = new Set(used)
  /** In order of use. */
  const sizes = new Map<string, number>()
  for (const path of [...[...listed.keys()].filter(one => !wasUsed.has(one)), ...used]) {
    if (listed.has(path)) sizes.set(path, listed.get(path) as number)
  }
  let pinned: ReadonlySet<string> = new Set()
  /** Bytes of files that are not pinned. Kept up to date, because a whole copy admits thousands of files one by one. */
  let looseBytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)

  const drop = (path: string): void => {
    if (!pinned.has(path)) looseBytes -= sizes.get(path) ?? 0
    sizes.delete(path)
  }
  const put = (path: string, size: number): void => {
    drop(path)
    sizes.set(path, size)
    if (!pinned.has(path)) looseBytes += size
  }
  const evict = (needed: number, limit: number): string[] => {
    let total = needed + looseBytes
    const evicted: string[] = []
    for (const [path, size] of sizes) {
      if (total <= limit) break
      if (pinned.has(path)) continue
      evicted.push(path)
      total -= size
    }
    return evicted
  }

  return {
    pin(paths) {
      pinned = new Set(paths)
      looseBytes = [...sizes].reduce((sum, [path, size]) => sum + (pinned.has(path) ? 0 : size), 0)
    },
    isPinned: path => pinned.has(path),
    touch(path) {
      const size = sizes.get(path)
      if (size !== undefined) put(path, size)
    },
    admit(path, size) {
      if (!pinned.has(path) && size > maxBytes) return undefined
      const evicted = pinned.has(path) ? [] : evict(size, maxBytes)
      put(path, size)
      return evicted
    },
    room: () => maxBytes - looseBytes,
    surplus: (share = 1) => evict(0, maxBytes * share),
    forget(paths) {
      for (const path of paths) drop(path)
    },
    order: () => [...sizes.keys()].filter(path => !pinned.has(path)),
  }
}
