import { randomUUID } from 'node:crypto'
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { sleep } from '../../core/abort.js'
import { mapParallel } from '../../core/concurrency.js'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { safePath } from '../../core/paths.js'
import { CATALOG_FILE, conflictError } from '../catalog-file.js'
import type { FileEntry, WritableSource, WriteOptions } from '../source.js'
import { isInside } from './watch.js'

/** Held while the catalog is compared and replaced, so that one of several processes wins. */
export const LOCK_FILE = '.skillshelf.lock'
/** Milliseconds. A lock is held for a few; an older one was left behind by a process that ended. */
const STALE_LOCK = 10_000
const LOCK_DELAY = 10
const PARALLEL = 8

/** Writes changes to a folder, each file whole, the catalog last: readers see the old library or the new one. */
export function folderWriter(
  root: string,
  name: string,
  version: (path: string) => Promise<string | undefined>,
  list: () => Promise<FileEntry[]>,
): WritableSource['write'] {
  const checkVersion = async ({ ifVersion }: WriteOptions): Promise<void> => {
    if (ifVersion !== undefined && ((await version(CATALOG_FILE)) ?? null) !== ifVersion) {
      throw conflictError(name)
    }
  }
  const writeFile = async (path: string, content: Uint8Array | string): Promise<void> => {
    const target = join(root, path)
    await resolveFolder(root, dirname(target), path)
    await mkdir(dirname(target), { recursive: true })
    await writeFileAtomic(target, typeof content === 'string' ? content : Buffer.from(content))
  }

  return async ({ put = {}, remove = [] }, options = {}) => {
    const { signal } = options
    throwIfAborted(signal)
    const added = new Map(Object.entries(put).map(([path, content]) => [safePath(path), content]))
    const removed = remove.map(path => safePath(path)).filter(path => !added.has(path))
    try {
      await mkdir(root, { recursive: true })
      await checkVersion(options)
      if (added.has(CATALOG_FILE) && (await version(CATALOG_FILE)) === undefined) {
        checkNoSkills(root, await list())
      }
      const content = [...added].filter(([path]) => path !== CATALOG_FILE)
      await mapParallel(content, PARALLEL, async ([path, bytes]) => {
        throwIfAborted(signal)
        await writeFile(path, bytes)
      })
      await locked(join(root, LOCK_FILE), signal, async () => {
        await checkVersion(options)
        const catalog = added.get(CATALOG_FILE)
        if (catalog !== undefined) await writeFile(CATALOG_FILE, catalog)
        for (const path of removed) {
          await resolveFolder(root, dirname(join(root, path)), path)
          await rm(join(root, path), { force: true })
        }
      })
    } catch (error) {
      throw asSkillshelfError(error, 'source-failed', `${root} could not be written`, {
        subject: root,
      })
    }
  }
}

/** A catalog would hide the skills that the folder has as plain files. */
function checkNoSkills(root: string, files: readonly FileEntry[]): void {
  const skill = files.find(({ path }) => /(?:^|\/)skill\.md$/i.test(path))
  if (!skill) return
  throw new SkillshelfError(
    'unsupported',
    `${root} holds skills that are not packed, such as ${skill.path}`,
    {
      subject: root,
      hint: 'choose an empty folder and install them there, or pack them with: npx skillshelf pack',
    },
  )
}

/** @throws SkillshelfError `invalid-path` if the part of the folder's path that exists leads out of the root */
async function resolveFolder(root: string, folder: string, path: string): Promise<void> {
  const real = await realpath(folder).catch(() => undefined)
  if (real === undefined) {
    return folder === root ? undefined : resolveFolder(root, dirname(folder), path)
  }
  if (!isInside(real, await realpath(root))) {
    throw new SkillshelfError(
      'invalid-path',
      `Invalid path ${JSON.stringify(path)}: a link on it leaves ${root}`,
      {
        subject: path,
      },
    )
  }
}

/** Runs a short task while no other process runs one. */
async function locked(
  lock: string,
  signal: AbortSignal | undefined,
  task: () => Promise<void>,
): Promise<void> {
  for (;;) {
    throwIfAborted(signal)
    try {
      await (await open(lock, 'wx')).close()
      break
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      await removeStale(lock)
      await sleep(LOCK_DELAY, signal)
    }
  }
  try {
    await task()
  } finally {
    await rm(lock, { force: true })
  }
}

/** Renames the lock first: only one of several processes succeeds. */
async function removeStale(lock: string): Promise<void> {
  const info = await stat(lock).catch(() => undefined)
  if (!info || Date.now() - info.mtimeMs < STALE_LOCK) return
  const old = `${lock}.${randomUUID()}`
  const isTaken = await rename(lock, old).catch(() => true)
  if (!isTaken) await rm(old, { force: true })
}
