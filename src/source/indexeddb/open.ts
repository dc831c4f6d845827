import { deleteDB, type IDBPDatabase, openDB } from 'idb'
import { abort } from './abort.js'
import { blocked, openError } from './error.js'
import { checkLayout, LAYOUT_VERSION, type Layout, upgrade } from './layout.js'

export interface Opening {
  db: Promise<IDBPDatabase<Layout>>
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
  return { db: open(database, () => block(blocked(database, 'brought up to date'))), blocked: waits }
}

async function open(database: string, onBlocked: () => void): Promise<IDBPDatabase<Layout>> {
  let failure: unknown
  try {
    const db = await openDB<Layout>(database, LAYOUT_VERSION, {
      upgrade(db, from, _to, transaction) {
        transaction.done.catch(() => {})
        upgrade(db, from, transaction).catch(error => {
          failure = transaction.error ?? error
          abort(transaction)
        })
      },
      blocked: onBlocked,
      // Whoever wants a newer layout, or the database gone, need not wait for us.
      blocking: (_from, _to, event) => (event.target as IDBDatabase).close(),
    })
    checkLayout(db)
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
      deleteDB(database, { blocked: () => reject(blocked(database, 'removed yet')) }).then(resolve, reject)
    })
  } catch (error) {
    throw await openError(error, database, 'removed')
  }
}
