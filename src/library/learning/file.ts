import { lstat, readdir, readFile, realpath, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isRecord, parseJson } from '../../core/plain-data.js'
import type { LearnedStore } from '../api/learned-messages.js'

/** Times that a file is written if another process removes the temporary file meanwhile. */
const ATTEMPTS = 3

/**
 * Keeps learned messages in a JSON file, for the `learn` option of `openLibrary`. Made for one process: of two that learn at the same time,
 * the last one wins.
 * @param path Path of the file. It is created with the first message, readable by its owner only; its folder must exist. Files beside it with
 * its name, a dot and a number are what a killed process left of it. The next change removes them.
 * @example
 * ```ts
 * import { openLibrary } from 'skillshelf'
 * import { directory, learnedFile } from 'skillshelf/node'
 *
 * const library = await openLibrary(directory('./skills'), { learn: learnedFile('./learned.json') })
 * ```
 */
export function learnedFile(path: string): LearnedStore {
  return {
    async load() {
      const text = await readFile(path, 'utf8').catch(error => {
        if (isMissing(error)) return undefined
        throw error
      })
      const data = text === undefined ? undefined : parseJson(text)
      // Damaged data is reported and replaced, unlike a file that cannot be read.
      return data === undefined ? text : data
    },
    async save(messages) {
      await writeWhole(path, `${JSON.stringify(messages, undefined, 2)}\n`)
      await removeLeftovers(path)
    },
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic')
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeFileAtomic(path, text, { mode: 0o600 })
    } catch (error) {
      if (!isMissing(error) || attempt === ATTEMPTS) throw error
    }
  }
}

/** S17: removes the temporary files of processes that were killed while they wrote, because they have messages that may be forgotten. */
async function removeLeftovers(path: string): Promise<void> {
  // Temporary files are beside the file that a link leads to.
  const file = await realpath(path)
  const [folder, name] = [dirname(file), basename(file)]
  const left = (await readdir(folder)).filter(
    other => other.startsWith(`${name}.`) && /^\d+$/.test(other.slice(name.length + 1)),
  )
  for (const other of left) {
    const leftover = join(folder, other)
    try {
      const stats = await lstat(leftover)
      const isOwn = stats.uid === (process.getuid?.() ?? stats.uid)
      if (isOwn && stats.isFile()) await unlink(leftover)
    } catch (error) {
      // Another process has removed it, or has written its file.
      if (!isMissing(error)) throw error
    }
  }
}

function isMissing(error: unknown): boolean {
  return isRecord(error) && error['code'] === 'ENOENT'
}
