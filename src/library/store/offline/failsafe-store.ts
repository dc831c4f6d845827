import { errorMessage, isSkillshelfError, throwIfAborted } from '../../../core/errors.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import { memory } from '../../../source/memory.js'
import type { WritableSource } from '../../../source/source.js'

/** The store of an offline copy: the user's, and memory once that fails. */
export interface FailsafeStore {
  source: WritableSource
  /** Why the copy is in memory. `undefined` while the user's store works. */
  problem(): Diagnostic | undefined
  /** Continues in memory, with an empty copy. @returns `false` if it already does */
  abandon(error: unknown): boolean
}

/**
 * A store that cannot be read counts as absent, so that the source answers. A write that fails is thrown: the caller decides.
 * @param onAbandon Called when the copy moves to memory.
 */
export function failsafeStore(store: WritableSource, onAbandon: () => void): FailsafeStore {
  let inMemory: WritableSource | undefined
  let problem: Diagnostic | undefined

  const abandon = (error: unknown): boolean => {
    if (inMemory) return false
    inMemory = memory({}, { name: store.name })
    problem = {
      code: 'copy-not-stored',
      severity: 'warning',
      message: `The offline copy cannot be stored in ${store.name}: ${errorMessage(error)}`,
      path: store.name,
      hint: 'the skills are read from their source, and kept until the page is closed',
    }
    onAbandon()
    return true
  }
  /** Reads the user's store, or memory if that fails. */
  const attempt = async <T>(
    read: (from: WritableSource) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    if (inMemory) return read(inMemory)
    try {
      return await read(store)
    } catch (error) {
      throwIfAborted(signal)
      if (isSkillshelfError(error, 'closed')) throw error
      abandon(error)
      return read((inMemory as WritableSource | undefined) ?? store)
    }
  }

  const { watch } = store
  const source: WritableSource = {
    name: store.name,
    async read(path, options = {}) {
      const found = await attempt(from => from.read(path, options), options.signal)
      if (found !== undefined || !inMemory || !path.startsWith('files/')) return found
      // These are named by their digests, and a store that is full can be read.
      return store.read(path, options).catch(() => undefined)
    },
    write: (change, options) => (inMemory ?? store).write(change, options),
    ...(store.list
      ? {
          list: async (options = {}) =>
            attempt(async from => (await from.list?.(options)) ?? [], options.signal),
        }
      : {}),
    ...(watch ? { watch: watch.bind(store) } : {}),
    close: async () => store.close?.(),
  }
  return { source, problem: () => problem, abandon }
}
