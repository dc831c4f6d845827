import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'

/** Milliseconds without a change before anybody is told: editors write a file in several steps. */
const QUIET = 40
/** Where the system watches a folder with all in it. Elsewhere Node does so itself, and loses what is replaced: a file that is saved by renaming. */
const WHOLE = process.platform === 'darwin' || process.platform === 'win32'

/**
 * Calls back once a folder has been quiet for a moment after a change. The folder itself may come later, go, and come again; a process may
 * still end by itself.
 */
export function watchFolder(root: string, ignored: ReadonlySet<string>, onChange: () => void): () => void {
  const watchers = new Map<string, FSWatcher>()
  let above: FSWatcher | undefined
  let timer: NodeJS.Timeout | undefined
  const soon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(onChange, QUIET).unref()
  }
  const open = (
    folder: string,
    onEvent: (event: string, name: string | null) => void,
    recursive = false,
  ): FSWatcher | undefined => {
    try {
      return watch(folder, { recursive, persistent: false }, onEvent).on('error', soon)
    } catch {
      // It is not there, or nobody may look into it.
      return undefined
    }
  }

  const unfollow = (folder: string): void => {
    for (const [path, watcher] of watchers)
      if (path === folder || path.startsWith(folder + sep)) {
        watcher.close()
        watchers.delete(path)
      }
  }
  /** Follows what stands there now, with all in it. */
  const follow = (folder: string): void => {
    unfollow(folder)
    const onEvent = (event: string, name: string | null): void => {
      if (name?.split(sep).some(part => ignored.has(part))) return
      // What had the name is gone, or stands elsewhere.
      if (!WHOLE && event === 'rename' && name !== null) followFolder(join(folder, name))
      soon()
    }
    const watcher = open(folder, onEvent, WHOLE)
    if (!watcher) return
    watchers.set(folder, watcher)
    if (WHOLE) return
    // After it is watched: what comes in between is heard of.
    for (const name of namesIn(folder)) if (!ignored.has(name)) followFolder(join(folder, name))
  }
  const followFolder = (path: string): void => {
    if (isFolder(path)) follow(path)
    else unfollow(path)
  }

  /** Looks out for another folder in the root's place, from the nearest one above it that is there. */
  const lookOut = (): void => {
    // From the top: what comes in between is heard of one folder up.
    for (const path of pathsTo(root)) {
      const names = [basename(path), basename(dirname(path)), null]
      const nearer = open(dirname(path), (event, name) => {
        if (event === 'rename' && names.includes(name)) start()
      })
      if (!nearer) continue
      above?.close()
      above = nearer
    }
  }
  const start = (): void => {
    lookOut()
    follow(root)
    soon()
  }

  lookOut()
  follow(root)
  return () => {
    clearTimeout(timer)
    above?.close()
    unfollow(root)
  }
}

/** The folders that lead to this one and it, the first without the top. */
function pathsTo(path: string): string[] {
  return dirname(path) === path ? [] : [...pathsTo(dirname(path)), path]
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** A link to one is none: it is not followed. */
function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    return false
  }
}
