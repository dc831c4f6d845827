import type { IDBPTransaction } from 'idb'
import { abortable } from '../../core/abort.js'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { abort } from './abort.js'
import { errorName, storageError } from './errors.js'
import { type Opening, openDatabase } from './open.js'
import type { Schema } from './schema.js'

const STORES = ['files', 'bytes'] as const
const VERB = { readonly: 'read', readwrite: 'written' }

type Transaction<Mode extends IDBTransactionMode> = IDBPTransaction<Schema, typeof STORES, Mode>

export interface Connection {
  /**
   * One transaction over all stores. Where it rejects, everything is as it was. `size`: bytes that it writes, which is said where there is
   * no room for them.
   */
  transaction<Mode extends 'readonly' | 'readwrite', T>(
    mode: Mode,
    work: (transaction: Transaction<Mode>) => Promise<T>,
    options?: { signal?: AbortSignal | undefined; size?: number | undefined },
  ): Promise<T>
  /** @throws SkillshelfError `closed`, `aborted` */
  check(signal?: AbortSignal): void
  /** Lets transactions under way end; nothing new begins. */
  close(): void
}

/** A connection that is opened when it is first needed, and again when somebody took it away. */
export function connect(database: string): Connection {
  let closed = false
  let opening: Opening | undefined

  const check = (signal?: AbortSignal): void => {
    if (closed) throw new SkillshelfError('closed', `The database ${database} was closed`)
    throwIfAborted(signal)
  }
  const forget = (lost: Opening): void => {
    if (opening === lost) opening = undefined
  }

  const begin = async <Mode extends 'readonly' | 'readwrite'>(
    mode: Mode,
    signal: AbortSignal | undefined,
    again = true,
  ): Promise<Transaction<Mode>> => {
    check(signal)
    opening ??= openDatabase(database)
    const now = opening
    now.db.catch(() => forget(now))
    const db = await abortable(Promise.race([now.db, now.blocked]), signal)
    try {
      // Strict costs next to nothing here, and who is told that a file is kept may throw theirs away.
      return db.transaction(STORES, mode, { durability: 'strict' })
    } catch (error) {
      // The browser closed the connection, or another tab had us close it.
      forget(now)
      if (again && errorName(error) === 'InvalidStateError') return begin(mode, signal, false)
      throw await storageError(error, database, VERB[mode])
    }
  }

  return {
    check,
    async transaction(mode, work, { signal, size } = {}) {
      const transaction = await begin(mode, signal)
      transaction.done.catch(() => {})
      const stop = (): void => abort(transaction)
      signal?.addEventListener('abort', stop, { once: true })
      try {
        throwIfAborted(signal)
        const result = await work(transaction)
        await transaction.done
        return result
      } catch (error) {
        stop()
        throwIfAborted(signal)
        throw await storageError(transaction.error ?? error, database, VERB[mode], size)
      } finally {
        signal?.removeEventListener('abort', stop)
      }
    },
    close() {
      closed = true
      opening?.db.then(
        db => db.close(),
        () => {},
      )
    },
  }
}
