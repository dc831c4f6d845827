import { randomBytes } from 'node:crypto'
import { open, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'

/** Writes a file under another name first, so that a reader never sees half of it; a link at the target is replaced, not followed. */
export async function writeWhole(target: string, bytes: Uint8Array): Promise<void> {
  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(4).toString('hex')}.tmp`)
  try {
    const handle = await open(draft, 'wx')
    try {
      await handle.writeFile(bytes)
    } finally {
      await handle.close()
    }
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** The real path of what exists, with the rest as it was given. */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || dirname(path) === path) throw error
    return join(await realPathOf(dirname(path)), basename(path))
  }
}

export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
