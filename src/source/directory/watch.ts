import {
  type FSWatcher as EntriesWatcher,
  existsSync,
  lstatSync,
  realpathSync,
  watch as watchEntries,
} from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { FSWatcher } from 'chokidar'

/** Milliseconds without an event before `onChange` is called: editors write a file in several steps. */
const QUIET = 40
/** Keeps the process running, on Windows only: without it chokidar has no `error` listener, and a deleted folder crashes the process. */
const PERSISTENT = process.platform === 'win32'

/** Whether a file or folder is skipped. @param folder The folder that it is in. */
export type NameRule = (name: string, folder: string) => boolean

export interface FolderWatcher {
  /** Watches a folder outside, to which a link leads. */
  add(folder: string): void
  stop(): void
}

/** Watches a folder that may be missing or replaced, also by a link above it. `onChange` follows every change, and the start. */
export function watchFolder(
  root: string,
  isSkipped: NameRule,
  onChange: () => void,
): FolderWatcher {
  /** Folders outside. */
  const outside = new Set<string>()
  let watcher: FSWatcher | undefined
  let realRoot: string | undefined
  let outdated = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  const notify = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (outdated || (realRoot === undefined && existsSync(root))) void start()
      else onChange()
    }, QUIET).unref()
  }
  const roots = (): string[] =>
    realRoot === undefined || realRoot === root ? [root] : [root, realRoot]
  const isIgnored = (path: string): boolean => {
    const folder = [...roots(), ...outside].find(target => isInside(path, target))
    return folder !== undefined && hasPart(relative(folder, path), isSkipped, folder)
  }
  /** chokidar does not notice that another folder has taken the place of a watched one, so a rename starts a new watcher. */
  const onRename = (folder: string, name: string): void => {
    // A folder reports its own removal under its own name.
    const renamed = [join(folder, name), join(dirname(folder), name)]
    const isAffected = (target: string): boolean =>
      renamed.some(path => isInside(target, path)) ||
      (isInside(folder, target) && !isSkipped(name, folder))
    if (!roots().some(isAffected)) return
    outdated = true
    notify()
  }
  /** A deployment replaces a link above: `current` leads to `release-2`. Only the folder of a link tells that it is another one. */
  let entries: EntriesWatcher[] = []
  const watchLinksAbove = (): void => {
    for (const one of entries) one.close()
    entries = linksAbove(root).flatMap(link => {
      try {
        const one = watchEntries(dirname(link), { persistent: PERSISTENT }, (_, name) => {
          if (name !== null && name !== basename(link)) return
          outdated = true
          notify()
        })
        return [one.on('error', () => one.close())]
      } catch {
        return []
      }
    })
  }
  const start = async (): Promise<void> => {
    const { watch } = await import('chokidar')
    if (stopped) return
    void watcher?.close()
    outdated = false
    realRoot = realPath(root)
    watchLinksAbove()
    watcher = watch([...roots(), ...outside], {
      persistent: PERSISTENT,
      ignoreInitial: true,
      followSymlinks: false,
      ignored: isIgnored,
    })
    watcher.on('all', notify).on('ready', notify).on('error', notify)
    watcher.on('raw', (event, name, details) => {
      if (event === 'rename' && name) {
        onRename((details as { watchedPath: string }).watchedPath, name)
      }
    })
  }

  void start()
  return {
    add(folder) {
      if (outside.has(folder)) return
      outside.add(folder)
      watcher?.add(folder)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      void watcher?.close()
      for (const one of entries) one.close()
    },
  }
}

/** The links on the path of a folder, without the folder itself. */
function linksAbove(root: string): string[] {
  const links: string[] = []
  for (let folder = dirname(root); folder !== dirname(folder); folder = dirname(folder)) {
    if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) links.push(folder)
  }
  return links
}

/** Whether a file or folder on a relative path is skipped. */
export function hasPart(path: string, isSkipped: NameRule, root: string): boolean {
  const names = path.split(sep)
  return names.some((name, index) => isSkipped(name, join(root, ...names.slice(0, index))))
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** A path without links. `undefined`: nothing is there. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
