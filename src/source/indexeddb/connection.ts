import {
  type DBSchema,
  deleteDB,
  type IDBPDatabase,
  type IDBPObjectStore,
  type IDBPTransaction,
  openDB,
} from 'idb'
import { type AbortOptions, abortable } from '../../core/abort.js'
import { digestOf, shortDigest } from '../../core/digest.js'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import type { FileEntry } from '../source.js'
import { blockedError, errorName, foreignDatabaseError, openError, storageError } from './errors.js'

const STORES = ['files', 'bytes'] as const
const VERB = { readonly: 'read', readwrite: 'written' }

type StoreName = (typeof STORES)[number]
type Access = keyof typeof VERB
type Store<Name extends StoreName, Mode extends Access> = IDBPObjectStore<
  Schema,
  typeof STORES,
  Name,
  Mode
>

/** A connection to a database. It opens on first use and reopens after the browser or another tab closed it. */
export interface Connection {
  /** @throws SkillshelfError `closed`, `aborted` */
  check(signal?: AbortSignal): void
  /**
   * Runs a transaction over all stores; nothing changes if it rejects.
   * @param options `size`: bytes to write, for the message of `storage-full`.
   */
  transaction<Mode extends Access, T>(
    mode: Mode,
    work: (files: Store<'files', Mode>, bytes: Store<'bytes', Mode>) => Promise<T>,
    options?: AbortOptions & { size?: number | undefined },
  ): Promise<T>
  /** Rejects new transactions. Running ones complete. */
  close(): void
}

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

  const begin = async <Mode extends Access>(
    mode: Mode,
    signal: AbortSignal | undefined,
    canReopen = true,
  ): Promise<IDBPTransaction<Schema, typeof STORES, Mode>> => {
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
    async transaction<Mode extends Access, T>(
      mode: Mode,
      work: (files: Store<'files', Mode>, bytes: Store<'bytes', Mode>) => Promise<T>,
      { signal, size }: AbortOptions & { size?: number | undefined } = {},
    ): Promise<T> {
      const transaction = await begin(mode, signal)
      transaction.done.catch(() => {})
      const stop = (): void => abortTransaction(transaction)
      signal?.addEventListener('abort', stop, { once: true })
      try {
        throwIfAborted(signal)
        const result = await work(
          transaction.objectStore('files'),
          transaction.objectStore('bytes'),
        )
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
      opening?.db.then(db => db.close()).catch(() => {})
    },
  }
}

/** A database that is being opened, or is open. */
interface Opening {
  db: Promise<IDBPDatabase<Schema>>
  /** Rejects if another tab blocks the upgrade by an open connection. Never resolves. */
  blocked: Promise<never>
}

/** Opens a database, and creates or upgrades it if needed. */
function openDatabase(database: string): Opening {
  let block = (_error: Error): void => {}
  const blocked = new Promise<never>((_, reject) => {
    block = reject
  })
  // Prevents an unhandled rejection; `await` still throws.
  blocked.catch(() => {})
  return { db: open(database, () => block(blockedError(database, 'upgraded'))), blocked }
}

async function open(database: string, onBlocked: () => void): Promise<IDBPDatabase<Schema>> {
  let failure: unknown
  try {
    const db = await openDB<Schema>(database, SCHEMA_VERSION, {
      upgrade(db, from, _to, transaction) {
        transaction.done.catch(() => {})
        upgradeSchema(db, from, transaction).catch(error => {
          failure = transaction.error ?? error
          abortTransaction(transaction)
        })
      },
      blocked: onBlocked,
      // Another tab wants to upgrade or delete the database.
      blocking: (_from, _to, event) => (event.target as IDBDatabase).close(),
    })
    if ([...db.objectStoreNames].join() === 'bytes,files') return db
    db.close()
    throw foreignDatabaseError(database)
  } catch (error) {
    throw await openError(failure ?? error, database, 'opened')
  }
}

/** Deletes a database. @throws SkillshelfError `source-failed` if another program blocks it; it is deleted once that closes */
export async function removeDatabase(database: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      deleteDB(database, { blocked: () => reject(blockedError(database, 'removed yet')) }).then(
        resolve,
        reject,
      )
    })
  } catch (error) {
    throw await openError(error, database, 'removed')
  }
}

/** Aborts a transaction, unless it has ended. */
function abortTransaction(transaction: { abort(): void }): void {
  try {
    transaction.abort()
  } catch {
    // `abort` throws on a transaction that has ended.
  }
}

/** The listed fields of a file. */
export type StoredFile = Required<Pick<FileEntry, 'path' | 'size' | 'version'>>

/** Keyed by path, so that listing reads no content. Content is a buffer: Blobs take more than twice as long to write. */
export interface Schema extends DBSchema {
  bytes: { key: string; value: ArrayBuffer }
  files: { key: string; value: StoredFile }
}

/** 1: only `bytes`. 2: `bytes` and `files`. */
const SCHEMA_VERSION = 2

/** Upgrades the schema from a version, 0 if new. @throws SkillshelfError `format` if the database belongs to another program */
async function upgradeSchema(
  db: IDBPDatabase<Schema>,
  from: number,
  transaction: IDBPTransaction<Schema, StoreName[], 'versionchange'>,
): Promise<void> {
  if (from < 1) db.createObjectStore('bytes')
  else if ([...db.objectStoreNames].join() !== 'bytes') throw foreignDatabaseError(db.name)

  const files = db.createObjectStore('files', { keyPath: 'path' })
  const bytes = transaction.objectStore('bytes')
  for (const path of await bytes.getAllKeys()) {
    const content = new Uint8Array((await bytes.get(path)) as ArrayBuffer)
    // A synchronous digest: the transaction would end while WebCrypto runs.
    await files.put({ path, size: content.length, version: shortDigest(digestOf(content)) })
  }
}
