import type { FileEntry } from '../../source/types.js'

/** Which files of a copy may go when room is short: resources, the one first that was not read for longest. */
export interface Resources {
  /** What no eviction takes: the instructions and details of the skills that are on the shelf. */
  pin(paths: Iterable<string>): void
  isPinned(path: string): boolean
  touch(path: string): void
  /** A file that is about to be kept. Gives what must go for it; `undefined` where it finds no room at all. */
  admit(path: string, size: number): string[] | undefined
  /** Bytes that resources may still take before any must go. */
  room(): number
  /** Resources that are over the bound as it is; with a share, over that share of it. */
  surplus(share?: number): string[]
  forget(paths: readonly string[]): void
  /** Paths of what is not pinned, the one first that was not read for longest. */
  order(): string[]
}

/** @param used The order of an earlier visit; what it does not know was never read since. */
export function createResources(listing: readonly FileEntry[], used: readonly string[], maxBytes: number): Resources {
  const known = new Map(
    listing.filter(({ path }) => path.startsWith('files/')).map(({ path, size = 0 }) => [path, size]),
  )
  const late = new Set(used)
  const sizes = new Map<string, number>()
  for (const path of [...[...known.keys()].filter(one => !late.has(one)), ...used])
    if (known.has(path)) sizes.set(path, known.get(path) as number)
  let pinned: ReadonlySet<string> = new Set()
  /** Bytes of what is not pinned, kept as it changes: there may be 10,000 files, each admitted by itself. */
  let loose = [...sizes.values()].reduce((sum, size) => sum + size, 0)

  const drop = (path: string): void => {
    if (!pinned.has(path)) loose -= sizes.get(path) ?? 0
    sizes.delete(path)
  }
  const put = (path: string, size: number): void => {
    drop(path)
    sizes.set(path, size)
    if (!pinned.has(path)) loose += size
  }
  const over = (room: number, bound: number): string[] => {
    let total = room + loose
    const gone: string[] = []
    for (const [path, size] of sizes) {
      if (total <= bound) break
      if (pinned.has(path)) continue
      gone.push(path)
      total -= size
    }
    return gone
  }

  return {
    pin(paths) {
      pinned = new Set(paths)
      loose = [...sizes].reduce((sum, [path, size]) => sum + (pinned.has(path) ? 0 : size), 0)
    },
    touch(path) {
      const size = sizes.get(path)
      if (size !== undefined) put(path, size)
    },
    admit(path, size) {
      if (pinned.has(path)) {
        put(path, size)
        return []
      }
      if (size > maxBytes) return undefined
      const gone = over(size, maxBytes)
      put(path, size)
      return gone
    },
    room: () => maxBytes - loose,
    surplus: (share = 1) => over(0, maxBytes * share),
    forget(paths) {
      for (const path of paths) drop(path)
    },
    isPinned: path => pinned.has(path),
    order: () => [...sizes.keys()].filter(path => !pinned.has(path)),
  }
}
