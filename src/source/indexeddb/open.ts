import { deleteDB, type IDBPDatabase, openDB } from 'idb'
import { blockedError, openError } from './errors.js'
import { checkSchema, SCHEMA_VERSION, type Schema, upgradeSchema } from './schema.js'

export interface Opening {
  db: Promise<IDBPDatabase<Schema>>
  /** Rejects if another tab blocks the upgrade by an open connection. */
  blocked: Promise<never>
}

/** Opens a database, and creates or upgrades it if needed. */
export function openDatabase(database: string): Opening {
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
    checkSchema(db)
    return db
  } catch (error) {
    throw await openError(failure ?? error, database, 'opened')
  }
}

/**
 * Deletes a database. Connections of this library close by themselves.
 * @throws SkillshelfError `source-failed` if another program blocks it; the browser deletes the database once that closes
 */
export async function removeDatabase(database: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      deleteDB(database, { blocked: () => reject(blockedError(database, 'removed yet')) }).then(resolve, reject)
    })
  } catch (error) {
    throw await openError(error, database, 'removed')
  }
}

/** Aborts a transaction, unless it has ended. */
export function abortTransaction(transaction: { abort(): void }): void {
  try {
    transaction.abort()
  } catch {
    // `abort` throws on a transaction that has ended.
  }
}
