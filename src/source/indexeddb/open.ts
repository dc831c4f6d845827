import { deleteDB, type IDBPDatabase, openDB } from 'idb'
import { abort } from './abort.js'
import { blockedError, openError } from './errors.js'
import { checkSchema, SCHEMA_VERSION, type Schema, upgradeSchema } from './schema.js'

export interface Opening {
  db: Promise<IDBPDatabase<Schema>>
  /** Rejects once another tab holds an older layout: then `db` may be long in coming. */
  blocked: Promise<never>
}

/** Opens a database, made or brought up to date where need be. */
export function openDatabase(database: string): Opening {
  let block = (_error: Error): void => {}
  const waits = new Promise<never>((_, reject) => {
    block = reject
  })
  waits.catch(() => {})
  return { db: open(database, () => block(blockedError(database, 'brought up to date'))), blocked: waits }
}

async function open(database: string, onBlocked: () => void): Promise<IDBPDatabase<Schema>> {
  let failure: unknown
  try {
    const db = await openDB<Schema>(database, SCHEMA_VERSION, {
      upgrade(db, from, _to, transaction) {
        transaction.done.catch(() => {})
        upgradeSchema(db, from, transaction).catch(error => {
          failure = transaction.error ?? error
          abort(transaction)
        })
      },
      blocked: onBlocked,
      // Whoever wants a newer layout, or the database gone, need not wait for us.
      blocking: (_from, _to, event) => (event.target as IDBDatabase).close(),
    })
    checkSchema(db)
    return db
  } catch (error) {
    throw await openError(failure ?? error, database, 'opened')
  }
}

/**
 * Removes a database. Every connection of ours, here and elsewhere, lets go of it by itself.
 * @throws SkillshelfError `source-failed` where somebody else does not: then it goes once they do
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
