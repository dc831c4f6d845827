import type { IDBPTransaction } from 'idb'
import { type AbortOptions, abortable } from '../../core/abort.js'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { errorName, storageError } from './errors.js'
import { abortTransaction, type Opening, openDatabase } from './open.js'
import type { Schema } from './schema.js'

const STORES = ['files', 'bytes'] as const
const VERB = { readonly: 'read', readwrite: 'written' }

type Transaction<Mode extends IDBTransactionMode> = IDBPTransaction<Schema, typeof STORES, Mode>

export interface Connection {
  /**
   * Runs a transaction over all stores. If it rejects, nothing has changed. `size` is the number of bytes to write, for the message of
   * `storage-full`.
   */
  transaction<Mode extends 'readonly' | 'readwrite', T>(
    mode: Mode,
    work: (transaction: Transaction<Mode>) => Promise<T>,
    options?: AbortOptions & { size?: number | undefined },
  ): Promise<T>
  /** @throws SkillshelfError `closed`, `aborted` */
  check(signal?: AbortSignal): void
  /** Rejects new transactions. Running ones complete. */
  close(): void
}

/** Creates a connection that opens on first use and reopens after the browser or another tab closed it. */
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
    canReopen = true,
  ): Promise<Transaction<Mode>> => {
    check(signal)
    opening ??= openDatabase(database)
    const current = opening
    current.db.catch(() => forget(current))
    const db = await abortable(Promise.race([current.db, current.blocked]), signal)
    try {
      // `strict` costs little here, and callers may delete their own copy once a write resolves.
      return db.transaction(STORES, mode, { durability: 'strict' })
    } catch (error) {
      // The browser closed the connection, or another tab requested it.
      forget(current)
      if (canReopen && errorName(error) === 'InvalidStateError') return begin(mode, signal, false)
      throw await storageError(error, database, VERB[mode])
    }
  }

  return {
    check,
    async transaction(mode, work, { signal, size } = {}) {
      const transaction = await begin(mode, signal)
      transaction.done.catch(() => {})
      const stop = (): void => abortTransaction(transaction)
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
