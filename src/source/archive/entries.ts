import { basename, trySafePath } from '../../core/paths.js'
import type { FileEntry } from '../types.js'
import { broken } from './error.js'
import type { Meter } from './limits.js'

/** What was taken out of an archive. */
export interface Contents {
  files: Readonly<Record<string, Uint8Array>>
  /** Links, devices and the like, where their names are harmless. */
  unreadable: readonly FileEntry[]
}

/** Gathers the entries of one archive, in their order. */
export interface Entries {
  /** Where a file of this name may stand; `undefined`: it is left out. */
  admit(name: string): string | undefined
  /** Of two files with one path, the later one counts. */
  put(path: string, bytes: Uint8Array): void
  /** A thing that is no file: never followed, and listed as unreadable where its name is harmless. Gives its path. */
  refuse(name: string, why: string): string | undefined
  folder(): void
  /** @throws SkillshelfError `format` where every file was left out for its name */
  finish(): Contents
}

/** What macOS adds: resource forks, and how a folder was looked at. */
const JUNK = /^__MACOSX(?:\/|$)|(?:^|\/)(?:\.DS_Store|\._[^/]*)$/

/** Whether an archive's reader leaves a file of this path out. */
export function isJunk(path: string): boolean {
  return JUNK.test(path)
}

/** @param keepFolders Whether a folder that holds everything stays. */
export function gatherEntries(meter: Meter, keepFolders = false): Entries {
  const found = new Map<string, Uint8Array | string>()
  let files = 0
  let others = 0
  let left: { name: string; count: number } | undefined
  const pathOf = (name: string): string | undefined => {
    const path = trySafePath(name)
    if (path === undefined) left = { name: left?.name ?? name, count: (left?.count ?? 0) + 1 }
    return path
  }
  const put = (path: string, what: Uint8Array | string): void => {
    // Deleted first, so that the order is that of what counts.
    found.delete(path)
    found.set(path, what)
  }
  return {
    admit(name) {
      const path = pathOf(name)
      const junk = path !== undefined && isJunk(path)
      meter.files(junk ? ++others : ++files)
      return junk ? undefined : path
    },
    put,
    refuse(name, why) {
      meter.files(++others)
      const path = pathOf(name)
      if (path !== undefined) put(path, why)
      return path
    },
    folder: () => meter.files(++others),
    finish() {
      if (left && found.size === 0)
        throw broken(
          `Nothing in the archive can be read: ${left.count} names lead out of it or cannot be paths, such as ${JSON.stringify(left.name.slice(0, 100))}`,
          'make the archive again with relative names and forward slashes',
        )
      const cut = keepFolders ? 0 : topFolder([...found.keys()])
      const all = [...found].map(([name, what]) => {
        const path = name.slice(cut)
        // `note:x` was a file in the folder that is taken off, and is a scheme by itself.
        return [path, trySafePath(path) === undefined ? 'its name cannot be a path' : what] as const
      })
      return {
        files: Object.fromEntries(all.filter((one): one is [string, Uint8Array] => typeof one[1] !== 'string')),
        unreadable: all.flatMap(([path, what]) => (typeof what === 'string' ? { path, unreadable: what } : [])),
      }
    },
  }
}

/** How much stands before every path for the one folder that holds all: none where that folder is a skill's own. */
function topFolder(paths: readonly string[]): number {
  const cut = (paths[0]?.indexOf('/') ?? -1) + 1
  const top = paths[0]?.slice(0, cut) ?? ''
  const shared = cut > 0 && paths.every(path => path.startsWith(top))
  const skill = paths.some(path => /^skill\.md$/i.test(basename(path)) && path.length === cut + 'SKILL.md'.length)
  return shared && !skill ? cut : 0
}
