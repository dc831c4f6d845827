import { isJunk, mayBeSkill, withoutJunk } from '../../core/content.js'
import { basename, trySafePath } from '../../core/paths.js'
import type { FileEntry } from '../source.js'
import { formatError } from './format.js'
import type { Meter } from './limits.js'

/** Collects the entries of an archive in their order. */
export interface Entries {
  /** Counts a file. Returns the safe path for its name; `undefined` to skip the file. */
  admit(name: string): string | undefined
  /** Adds a file under a path that `admit` returned. It replaces an earlier entry of the same path. */
  put(path: string, content: Uint8Array): void
  /** Adds an entry that is not a regular file, such as a link. Returns its path, or `undefined` if its name is unsafe. */
  refuse(name: string, reason: string): string | undefined
  addFolder(): void
  /** @throws SkillshelfError `format` if every file was skipped because of its name */
  finish(): CollectedEntries
}

/** The entries of a whole archive. */
export interface CollectedEntries {
  /** Content by path. */
  files: Record<string, Uint8Array>
  /** Links, devices and the like with a safe name. */
  unreadable: FileEntry[]
}

/** @param keepFolders Keeps a single top-level folder that holds everything. Default: its name is removed from all paths. */
export function createEntries(meter: Meter, keepFolders = false): Entries {
  const found = new Map<string, Uint8Array | string>()
  let files = 0
  let others = 0
  let skipped = 0
  let firstSkipped: string | undefined
  const toPath = (name: string): string | undefined => {
    const path = trySafePath(name)
    if (path !== undefined) return path
    skipped++
    firstSkipped ??= name.slice(0, 100)
    return undefined
  }
  const put = (path: string, content: Uint8Array | string): void => {
    // Deleted first: a replaced entry takes the position of the later one.
    found.delete(path)
    found.set(path, content)
  }
  return {
    admit(name) {
      const path = toPath(name)
      const ignored = path !== undefined && isJunk(path) && !path.split('/').some(mayBeSkill)
      meter.files(ignored ? ++others : ++files)
      return ignored ? undefined : path
    },
    put,
    refuse(name, reason) {
      meter.files(++others)
      const path = toPath(name)
      if (path !== undefined) put(path, reason)
      return path
    },
    addFolder: () => meter.files(++others),
    finish() {
      if (skipped > 0 && found.size === 0) {
        throw formatError(
          `The archive has no readable file: ${skipped} names leave it or are not valid paths, such as ${JSON.stringify(firstSkipped)}`,
          'create the archive with relative names and forward slashes',
        )
      }
      const listed = withoutJunk([...found].map(([path, content]) => ({ path, content })))
      const prefix = keepFolders ? 0 : topFolderLength(listed.map(({ path }) => path))
      const all = listed.map(({ path: name, content }) => {
        const path = name.slice(prefix)
        // Without its folder a name such as `note:x` becomes a URL scheme.
        return [
          path,
          trySafePath(path) === undefined ? 'its name is not a valid path' : content,
        ] as const
      })
      return {
        files: Object.fromEntries(
          all.filter((entry): entry is [string, Uint8Array] => typeof entry[1] !== 'string'),
        ),
        unreadable: all.flatMap(([path, content]): FileEntry[] =>
          typeof content === 'string' ? [{ path, unreadable: content }] : [],
        ),
      }
    },
  }
}

/** Length of the top-level folder that all paths share, with its slash. 0 if there is none, or if it is a skill's own folder. */
function topFolderLength(paths: readonly string[]): number {
  const length = (paths[0]?.indexOf('/') ?? -1) + 1
  const top = paths[0]?.slice(0, length) ?? ''
  const shared = length > 0 && paths.every(path => path.startsWith(top))
  const isSkill = paths.some(
    path => /^skill\.md$/i.test(basename(path)) && path.length === length + 'SKILL.md'.length,
  )
  return shared && !isSkill ? length : 0
}
