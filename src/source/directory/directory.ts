import { existsSync } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mapParallel } from '../../core/concurrency.js'
import { isJunkName, isSkillFile, mayBeSkill } from '../../core/content.js'
import {
  asSkillshelfError,
  errorMessage,
  invalidInput,
  SkillshelfError,
  throwIfAborted,
} from '../../core/errors.js'
import { safePath } from '../../core/paths.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { FileEntry, ListableSource, WritableSource } from '../source.js'
import { brokenLink, createLinkCheck, isMissing, type LinkPolicy } from './links.js'
import { readPart, withRegularFile } from './regular-file.js'
import { type FolderWatcher, hasPart, isInside, type NameRule, watchFolder } from './watch.js'
import { folderWriter, LOCK_FILE } from './write.js'

/** Options of `directory`. */
export interface DirectoryOptions {
  /** Name of the source: the first part of its skills' ids. @default The name of the folder. */
  name?: string | undefined
  /**
   * Names of files and folders to skip, at any depth. Given, they replace the default.
   * @default what tools write beside content, such as `.git`, `node_modules`, `.venv`, `__pycache__`, `.DS_Store`, `.vscode`, trash and caches
   */
  ignore?: readonly string[] | undefined
  /**
   * Watch the folder, so that libraries follow its changes. The folder may be missing, removed and created again. Watching does not keep
   * the process running, except on Windows, where it runs until the library is closed.
   * @default false
   */
  watch?: boolean | undefined
  /**
   * Folders outside of this one that links may lead into, or a function that decides. Skills are often links: `npx skills` makes
   * `.claude/skills/x` a link to `.agents/skills/x`. Whoever can write into the folder can plant a link, so allow no folder with secrets.
   * @default none: links stay inside the folder
   */
  links?: LinkPolicy | undefined
  /** Lets `skillStore` write a packed library into the folder, also from several processes. Creates the folder. @default false */
  writable?: boolean | undefined
}

/** A link to a folder. */
interface LinkedFolder {
  path: string
  /** The folder that it leads to. */
  target: string
  files: FileEntry[]
}

interface Walk {
  /** Collects the folders that are links. */
  links: LinkedFolder[]
  /** Links on the path. */
  depth: number
  signal: AbortSignal | undefined
}

/** Links to folders on a path, and in all: a few links between folders could list millions of files. */
const MAX_DEPTH = 2
const MAX_LINKS = 10_000
/** Begins the names of what Kubernetes and other deployments replace: `..data` leads to `..2026_01_02`. `..` itself is no entry. */
const REPLACED = '..'
const PARALLEL = 16
/** Bytes of a file that are read at once, as `http` reads. */
const MAX_BYTES = 256 * 1_048_576

const OPTIONS = {
  name: 1,
  ignore: 1,
  watch: 1,
  links: 1,
  writable: 1,
} satisfies OptionNames<DirectoryOptions>

/**
 * Reads skills from a folder on disk, in Node.
 *
 * Links to files and folders are followed if they stay inside the folder, or lead where `links` allows; links to folders behind two other
 * links are not. Skills that are linked are listed once, at their own path if that is in the folder. Names that begin with `..` are skipped:
 * deployments that replace links keep old files there. A missing folder opens as an empty library with a diagnostic: `list`
 * throws `source-not-found`. `read` throws `source-failed` if a file cannot be read, `invalid-path` for a link that leaves the folder, and
 * `too-large` for more than 256 MiB at once.
 * @param path Path of the folder, or a `file:` URL. A relative path is resolved against the current directory.
 * @returns A source, which can be written to with `writable`.
 * @throws SkillshelfError `invalid-input` for a URL that is not a `file:` URL
 * @example
 * ```ts
 * const library = await openLibrary(directory('./skills', { watch: true }))
 * ```
 */
export function directory(
  path: string | URL,
  options: DirectoryOptions & { writable: true },
): ListableSource & WritableSource
export function directory(path: string | URL, options?: DirectoryOptions): ListableSource
export function directory(path: string | URL, options: DirectoryOptions = {}): ListableSource {
  checkOptionNames(options, OPTIONS)
  const root = resolveRoot(path)
  const isIgnored = nameRule(options.ignore)
  const resolveLinks = createLinkCheck(root, options.links)

  const walk = async (folder: string, found: FileEntry[], walked: Walk): Promise<void> => {
    const { signal, links, depth } = walked
    throwIfAborted(signal)
    const entries = (await readdir(join(root, folder), { withFileTypes: true })).filter(
      ({ name }) => !isIgnored(name, join(root, folder)) && !name.startsWith(REPLACED),
    )
    await mapParallel(entries, PARALLEL, async entry => {
      const child = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        return walk(child, found, walked).catch(error => found.push(unreadable(child, error)))
      }
      try {
        const target = entry.isSymbolicLink() ? await resolveLinks(child) : undefined
        const info = await stat(join(root, child))
        if (info.isFile()) {
          found.push({
            path: child,
            size: info.size,
            version: versionOf(info),
            modified: info.mtimeMs,
          })
        } else if (target !== undefined && info.isDirectory()) {
          if (isInside(await realpath(join(root, folder)), target)) {
            found.push({ path: child, unreadable: 'it is a link to a folder that contains it' })
          } else if (depth === MAX_DEPTH || links.length === MAX_LINKS) {
            const limit =
              depth === MAX_DEPTH ? `${MAX_DEPTH} links on its path` : `${MAX_LINKS} links`
            found.push({
              path: child,
              unreadable: `after ${limit}, links to folders are not followed`,
            })
          } else {
            const files: FileEntry[] = []
            links.push({ path: child, target, files })
            await walk(child, files, { ...walked, depth: depth + 1 })
          }
        }
      } catch (error) {
        const broken = entry.isSymbolicLink() ? brokenLink(error) : undefined
        found.push(broken ? { path: child, unreadable: broken } : unreadable(child, error))
      }
      return undefined
    })
  }

  /** Whether a folder is listed at its own path. */
  const isListed = (path: string): boolean =>
    !isAbsolute(path) &&
    !hasPart(path, isIgnored, root) &&
    !path.split(sep).some(one => one.startsWith(REPLACED))

  /** The files of linked folders, without skills that are listed at their own path or through an earlier link. */
  const filesOfLinks = async (links: readonly LinkedFolder[]): Promise<FileEntry[]> => {
    const realRoot = links.length > 0 ? await realpath(root) : root
    const listed = new Set<string>()
    return [...links]
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .flatMap(({ target, files }) => {
        if (!files.some(({ path }) => isSkillFile(path))) return files
        if (listed.has(target) || isListed(relative(realRoot, target))) return []
        listed.add(target)
        return files
      })
  }

  const watchers = new Set<FolderWatcher>()
  /** Folders outside, to which links led when they were listed. */
  const outside = new Set<string>()
  const watch = (onChange: () => void): (() => void) => {
    const watcher = watchFolder(root, isIgnored, onChange)
    for (const folder of outside) watcher.add(folder)
    watchers.add(watcher)
    return () => {
      watchers.delete(watcher)
      watcher.stop()
    }
  }
  const watchLinked = async (links: readonly LinkedFolder[]): Promise<void> => {
    if (links.length === 0 || !options.watch) return
    const realRoot = await realpath(root)
    for (const { target } of links) {
      if (isInside(target, realRoot)) continue
      outside.add(target)
      for (const watcher of watchers) watcher.add(target)
    }
  }

  const list = async (signal?: AbortSignal): Promise<FileEntry[]> => {
    const found: FileEntry[] = []
    const links: LinkedFolder[] = []
    try {
      await walk('', found, { links, depth: 0, signal })
      found.push(...(await filesOfLinks(links)))
      await watchLinked(links)
    } catch (error) {
      if (isMissing(error) && options.writable) return []
      const details = {
        subject: root,
        hint: 'check the path; a relative path starts at the current folder',
      }
      if (isMissing(error)) {
        throw new SkillshelfError('source-not-found', `No such folder: ${root}`, details, error)
      }
      throw asSkillshelfError(error, 'source-failed', `${root} could not be listed`, {
        subject: root,
      })
    }
    return found
  }
  const currentVersion = (file: string): Promise<string | undefined> =>
    stat(join(root, file)).then(versionOf, error => {
      if (isMissing(error)) return undefined
      throw error
    })

  const name = options.name ?? (basename(root) || 'directory')
  return {
    name,
    root: path => (path === '' ? root : join(root, safePath(path))),
    async read(path, { ifVersion, range, signal } = {}) {
      throwIfAborted(signal)
      const location = join(root, safePath(path))
      try {
        const file = await resolveLinks(safePath(path))
        const found = await lstat(file)
        if (!found.isFile()) return undefined
        if (ifVersion === versionOf(found)) return 'unchanged'
        return await withRegularFile(file, async (opened, info) => {
          const version = versionOf(info)
          const total = info.size
          const offset = Math.min(range?.offset ?? 0, total)
          const length = Math.min(range?.length ?? total, total - offset)
          const bytes = await readPart(file, opened, { offset, length, limit: MAX_BYTES, signal })
          return range ? { bytes, version, partial: { offset, total } } : { bytes, version }
        })
      } catch (error) {
        if (isMissing(error)) return undefined
        throw asSkillshelfError(error, 'source-failed', `${location} could not be read`, {
          subject: path,
        })
      }
    },
    list: ({ signal } = {}) => list(signal),
    ...(options.writable ? { write: folderWriter(root, name, currentVersion, list) } : {}),
    ...(options.watch ? { watch } : {}),
  }
}

/** Which names are skipped. A folder that is called like junk and has a SKILL.md is a skill. */
function nameRule(ignore: readonly string[] | undefined): NameRule {
  if (ignore) {
    const names = new Set([...ignore, LOCK_FILE])
    return name => names.has(name)
  }
  return (name, folder) =>
    name === LOCK_FILE ||
    (isJunkName(name) && !(mayBeSkill(name) && existsSync(join(folder, name, 'SKILL.md'))))
}

/** @throws SkillshelfError `invalid-input` */
function resolveRoot(path: string | URL): string {
  if (typeof path === 'string' && !path.startsWith('file:')) return resolve(path)
  if (typeof path !== 'string' && !(path instanceof URL)) {
    throw invalidInput(`A folder must be a path or a file URL, not ${typeof path}`)
  }
  try {
    return resolve(fileURLToPath(path))
  } catch (error) {
    throw asSkillshelfError(error, 'invalid-input', `Not a folder: ${path}`, {
      subject: String(path),
    })
  }
}

/** Includes the ctime, because a copy may keep the mtime of the original. */
function versionOf({
  mtimeMs,
  ctimeMs,
  size,
}: {
  mtimeMs: number
  ctimeMs: number
  size: number
}): string {
  return `${mtimeMs}-${ctimeMs}-${size}`
}

function unreadable(path: string, error: unknown): FileEntry {
  if (error instanceof SkillshelfError && error.code === 'aborted') throw error
  return { path, unreadable: errorMessage(error) }
}
