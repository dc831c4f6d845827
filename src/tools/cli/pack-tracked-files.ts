import { createHash } from 'node:crypto'
import { lstat, readFile, realpath, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { dirname as parentOf } from '../../core/paths.js'
import { LEGACY_FOLDER } from '../../library/store/publish/well-known.js'
import { commandError } from './errors.js'
import { openManifest } from './pack-manifest.js'

/**
 * Files of `--out` that are not named by their digest. Other programs may have written such files too, so only files in the manifest
 * with unchanged content are replaced or removed.
 */
export interface TrackedFiles {
  /** Whether the path is free, or holds an unchanged file of a pack. */
  isOurs(path: string): Promise<boolean>
  /** @throws if the path holds something that pack did not write */
  rejectForeign(path: string): Promise<void>
  /** Removes files of earlier packs that are in the way: a file where a folder is needed, or the reverse. */
  clearPath(path: string, bytes: Uint8Array): Promise<void>
  /** Adds a file to the manifest. Call it before the file is written. */
  record(path: string, bytes: Uint8Array): Promise<void>
  /** Removes unchanged files of earlier packs that are not in `written`. Returns their number. */
  removeOld(written: ReadonlySet<string>): Promise<number>
}

export async function openTrackedFiles(root: string): Promise<TrackedFiles> {
  const manifest = await openManifest(root)
  const targetOf = (path: string): string => join(root, ...path.split('/'))

  /** Whether the path holds an unchanged file of a pack. Paths through links do not count, because they may leave --out. */
  const isUnchanged = async (path: string): Promise<boolean> => {
    const target = targetOf(path)
    const folder = await realpath(dirname(target)).catch(() => undefined)
    if (folder !== dirname(target) || !(await lstat(target).catch(() => undefined))?.isFile()) return false
    return manifest.hasContent(path, digestFor(await readFile(target)))
  }
  /** Removes an unchanged file and the empty folders above it, up to and including `top`. */
  const remove = async (path: string, top: string): Promise<boolean> => {
    if (!(await isUnchanged(path))) return false
    await unlink(targetOf(path))
    for (let folder = parentOf(path); folder !== '' && (folder === top || folder.startsWith(top)); ) {
      if (!(await removeIfEmpty(targetOf(folder)))) break
      folder = parentOf(folder)
    }
    return true
  }
  return {
    isOurs: async path => (await isAbsent(targetOf(path))) || isUnchanged(path),
    async rejectForeign(path) {
      if (manifest.has(path) || (await isAbsent(targetOf(path)))) return
      throw commandError(
        `${path} in --out was not written by pack`,
        `move it away, choose another --out, or pack ${path.startsWith(LEGACY_FOLDER) ? 'without --legacy' : 'with --no-well-known'}`,
      )
    },
    async clearPath(path, bytes) {
      if (manifest.hasContent(path, digestFor(bytes))) await manifest.record(path, digestFor(bytes))
      for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder))
        if (manifest.has(folder)) await remove(folder, folder)
      const info = await lstat(targetOf(path)).catch(() => undefined)
      if (!info?.isDirectory()) return
      for (const inner of manifest.paths()) if (inner.startsWith(`${path}/`)) await remove(inner, path)
    },
    record: (path, bytes) => manifest.record(path, digestFor(bytes)),
    async removeOld(written) {
      let removed = 0
      for (const path of manifest.paths()) if (!written.has(path) && (await remove(path, ''))) removed++
      await manifest.finish(written)
      return removed
    },
  }
}

/** @returns Whether the folder was empty and is gone. */
function removeIfEmpty(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  )
}

/** Same as `shortDigest(digestOf(bytes))`, but faster with Node's own SHA-256. */
function digestFor(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}

async function isAbsent(target: string): Promise<boolean> {
  return !(await lstat(target).catch(() => undefined))
}
