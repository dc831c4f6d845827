import { readFile } from 'node:fs/promises'
import { isRecord, parseJson } from '../../core/plain-data.js'
import type { LearnedStore } from '../api/learned-messages.js'

/**
 * Keeps learned messages in a JSON file, for the `learn` option of `openLibrary`. Made for one process: of two that learn at the same time,
 * the last one wins.
 * @param path Path of the file. It is created with the first message, readable by its owner only; its folder must exist.
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
        if (isRecord(error) && error['code'] === 'ENOENT') return undefined
        throw error
      })
      const data = text === undefined ? undefined : parseJson(text)
      // Damaged data is reported and replaced, unlike a file that cannot be read.
      return data === undefined ? text : data
    },
    async save(messages) {
      const { default: writeFileAtomic } = await import('write-file-atomic')
      await writeFileAtomic(path, `${JSON.stringify(messages, undefined, 2)}\n`, { mode: 0o600 })
    },
  }
}
