import { TIMED_OUT, withTimeout } from '../../../core/abort.js'
import {
  errorMessage,
  isSkillshelfError,
  SkillshelfError,
  throwIfAborted,
} from '../../../core/errors.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import { SOURCE_TIMEOUT } from '../../../source/guard.js'
import { memory } from '../../../source/memory.js'
import type { Changes, WritableSource, WriteOptions } from '../../../source/source.js'

/** The store of an offline copy: the user's, and memory once that fails. */
export interface FailsafeStore {
  source: WritableSource
  /** Why the copy is in memory. `undefined` while the user's store works. */
  problem(): Diagnostic | undefined
  /** Continues in memory, with an empty copy, unless it already does. */
  abandon(error: unknown): void
}

/**
 * A store that cannot be read, or does not answer a write in time, counts as absent, so that the source answers. A write that fails is thrown: the caller decides.
 * @param onAbandon Called when the copy moves to memory.
 */
export function failsafeStore(store: WritableSource, onAbandon: () => void): FailsafeStore {
  let inMemory: WritableSource | undefined
  let problem: Diagnostic | undefined

  const abandon = (error: unknown): void => {
    if (inMemory) return
    inMemory = memory({}, { name: store.name })
    problem = {
      code: 'copy-not-stored',
      severity: 'warning',
      message: `The offline copy cannot be stored in ${store.name}: ${errorMessage(error)}`,
      path: store.name,
      hint: 'the skills are read from their source, and kept until the page is closed',
    }
    onAbandon()
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
  /** What waits for a write must not wait for ever. */
  const writeInTime = async (change: Changes, options: WriteOptions = {}): Promise<void> => {
    const { timeout = SOURCE_TIMEOUT, name } = store
    const write = (signal: AbortSignal) => store.write(change, { ...options, signal })
    const done = await withTimeout(timeout, write, options.signal)
    if (done !== TIMED_OUT) return
    const error = new SkillshelfError('source-failed', `nothing was written within ${timeout} ms`, {
      subject: name,
      figures: { timeout },
    })
    abandon(error)
    throw error
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
    write: (change, options) =>
      inMemory ? inMemory.write(change, options) : writeInTime(change, options),
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
