import { createHash } from 'node:crypto'
import { lstat, readFile, realpath, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { dirname as folderOf } from '../core/paths.js'
import { commandError } from './errors.js'
import { openManifest } from './pack-manifest.js'

/** The files of --out whose names do not tell their bytes. Others may have put such files too: only what packs wrote is changed or removed. */
export interface TrackedFiles {
  /** Whether nothing stands there, or just what a pack put there. */
  isOurs(path: string): Promise<boolean>
  /** @throws where something stands that no pack put there */
  refuseForeign(path: string): Promise<void>
  /** Removes what earlier packs put where a folder has to be now, or a file; what is put now may stand there already. */
  clearWay(path: string, bytes: Uint8Array): Promise<void>
  /** To be called before the bytes are put. */
  note(path: string, bytes: Uint8Array): Promise<void>
  /** Removes what earlier packs put and nobody changed, but for what was put since; gives the number of files. */
  sweep(put: ReadonlySet<string>): Promise<number>
}

export async function openTrackedFiles(root: string): Promise<TrackedFiles> {
  const record = await openManifest(root)
  const targetOf = (path: string): string => join(root, ...path.split('/'))

  /** Whether a pack put the file that stands there, and nobody changed it. Not through links: those lead elsewhere. */
  const stands = async (path: string): Promise<boolean> => {
    const target = targetOf(path)
    const folder = await realpath(dirname(target)).catch(() => undefined)
    if (folder !== dirname(target) || !(await lstat(target).catch(() => undefined))?.isFile()) return false
    return record.holds(path, nameOf(await readFile(target)))
  }
  /** Removes such a file, and folders that it leaves empty: below `top`, or that too. */
  const remove = async (path: string, top: string): Promise<boolean> => {
    if (!(await stands(path))) return false
    await unlink(targetOf(path))
    for (let folder = folderOf(path); folder !== '' && (folder === top || folder.startsWith(top)); ) {
      if (!(await removeEmpty(targetOf(folder)))) break
      folder = folderOf(folder)
    }
    return true
  }
  return {
    isOurs: async path => (await isAbsent(targetOf(path))) || stands(path),
    async refuseForeign(path) {
      if (record.has(path) || (await isAbsent(targetOf(path)))) return
      throw commandError(
        `${path} in --out was not written by pack`,
        'move it away, give another --out, or pack with --no-well-known',
      )
    },
    async clearWay(path, bytes) {
      if (record.holds(path, nameOf(bytes))) await record.note(path, nameOf(bytes))
      for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder))
        if (record.has(folder)) await remove(folder, folder)
      const info = await lstat(targetOf(path)).catch(() => undefined)
      if (!info?.isDirectory()) return
      for (const inner of record.paths()) if (inner.startsWith(`${path}/`)) await remove(inner, path)
    },
    note: (path, bytes) => record.note(path, nameOf(bytes)),
    async sweep(put) {
      let removed = 0
      for (const path of record.paths()) if (!put.has(path) && (await remove(path, ''))) removed++
      await record.settle(put)
      return removed
    },
  }
}

/** Whether the folder is gone: one that holds anything stays. */
function removeEmpty(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  )
}

/** As `shortDigest(digestOf(bytes))`, and faster: every file that is put is asked for it. */
function nameOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}

async function isAbsent(target: string): Promise<boolean> {
  return !(await lstat(target).catch(() => undefined))
}
