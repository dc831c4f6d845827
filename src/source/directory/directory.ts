import { open, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mapParallel } from '../../core/concurrency.js'
import { asSkillshelfError, errorMessage, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { safePath } from '../../core/paths.js'
import type { FileEntry, SkillSource } from '../types.js'
import { watchFolder } from './watch.js'

export interface DirectoryOptions {
  /** Default: the folder's own name. */
  name?: string | undefined
  /** Names of files and folders that are passed over. */
  ignore?: readonly string[] | undefined
  /**
   * Libraries follow what changes in the folder, without a restart, also where it comes later or is made again. Default false. A process may
   * still end by itself.
   */
  watch?: boolean | undefined
}

const IGNORED = ['.git', 'node_modules', '.DS_Store', '__MACOSX', '__pycache__']
const PARALLEL = 16

/** A folder on disk, in Node. Links are followed only where they stay inside it. */
export function directory(path: string | URL, options: DirectoryOptions = {}): SkillSource {
  const root = rootOf(path)
  const ignored = new Set(options.ignore ?? IGNORED)

  /** The real path of a file, if it is inside the root. */
  const inside = async (file: string): Promise<string> => {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(file)])
    if (real !== realRoot && !real.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep)) {
      throw new SkillshelfError(
        'invalid-path',
        `Invalid path ${JSON.stringify(file)}: it is a link that leaves ${root}`,
        {
          subject: file,
        },
      )
    }
    return real
  }

  const walk = async (folder: string, found: FileEntry[], signal: AbortSignal | undefined): Promise<void> => {
    throwIfAborted(signal)
    const entries = (await readdir(join(root, folder), { withFileTypes: true })).filter(
      entry => !ignored.has(entry.name),
    )
    await mapParallel(entries, PARALLEL, async entry => {
      const at = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) return walk(at, found, signal).catch(error => found.push(unreadable(at, error)))
      try {
        if (entry.isSymbolicLink()) await inside(join(root, at))
        const info = await stat(join(root, at))
        if (info.isFile()) found.push({ path: at, size: info.size, version: versionOf(info) })
        // A link to a folder could lead round in a circle.
        else if (info.isDirectory()) found.push({ path: at, unreadable: 'links to folders are not followed' })
      } catch (error) {
        found.push(unreadable(at, error))
      }
      return undefined
    })
  }

  return {
    name: options.name ?? (basename(root) || 'directory'),
    root: at => (at === '' ? root : join(root, safePath(at))),
    async read(at, { ifVersion, range, signal } = {}) {
      throwIfAborted(signal)
      const wanted = join(root, safePath(at))
      try {
        const file = await inside(wanted)
        const info = await stat(file)
        if (!info.isFile()) return undefined
        const version = versionOf(info)
        if (ifVersion === version) return 'unchanged'
        if (!range) return { bytes: new Uint8Array(await readFile(file, signal ? { signal } : {})), version }
        const offset = Math.min(range.offset, info.size)
        const bytes = new Uint8Array(Math.min(range.length ?? info.size, info.size - offset))
        const handle = await open(file)
        try {
          const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset)
          if (bytesRead < bytes.length) throw new Error('it was cut while it was read')
        } finally {
          await handle.close()
        }
        return { bytes, version, partial: { offset, total: info.size } }
      } catch (error) {
        if (isMissing(error)) return undefined
        throw asSkillshelfError(error, 'source-failed', `${wanted} could not be read`, { subject: at })
      }
    },
    async list({ signal } = {}) {
      const found: FileEntry[] = []
      try {
        await walk('', found, signal)
      } catch (error) {
        if (isMissing(error))
          throw new SkillshelfError('source-not-found', `There is no folder ${root}`, { subject: root }, error)
        throw asSkillshelfError(error, 'source-failed', `${root} could not be listed`, { subject: root })
      }
      return found
    },
    ...(options.watch ? { watch: onChange => watchFolder(root, ignored, onChange) } : {}),
  }
}

/** @throws SkillshelfError `invalid-input` */
function rootOf(path: string | URL): string {
  if (typeof path === 'string' && !path.startsWith('file:')) return resolve(path)
  try {
    return resolve(fileURLToPath(path))
  } catch (error) {
    throw asSkillshelfError(error, 'invalid-input', `Not a folder: ${path}`, { subject: String(path) })
  }
}

/** The time of the last change to the file's place too: a copy can bring its old time along. */
function versionOf({ mtimeMs, ctimeMs, size }: { mtimeMs: number; ctimeMs: number; size: number }): string {
  return `${mtimeMs}-${ctimeMs}-${size}`
}

function unreadable(path: string, error: unknown): FileEntry {
  if (error instanceof SkillshelfError && error.code === 'aborted') throw error
  return { path, unreadable: errorMessage(error) }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
