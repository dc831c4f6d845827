import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from 'idb'
import { digestOf, shortDigest } from '../../core/digest.js'
import { foreignDatabaseError } from './errors.js'

/** The listed fields of a file. */
export interface StoredFile {
  path: string
  /** Size in bytes. */
  size: number
  version: string
}

/**
 * Two stores keyed by path, so that listing reads no content. Content is stored as buffers: 1,000 Blobs take more than twice as long to
 * write.
 */
export interface Schema extends DBSchema {
  bytes: { key: string; value: ArrayBuffer }
  files: { key: string; value: StoredFile }
}

/** 1: only `bytes`. 2: `bytes` and `files`. */
export const SCHEMA_VERSION = 2

/**
 * Upgrades the schema in one transaction.
 * @param from The current version. 0: a new database.
 * @throws SkillshelfError `format` if the database belongs to another program
 */
export async function upgradeSchema(
  db: IDBPDatabase<Schema>,
  from: number,
  transaction: IDBPTransaction<Schema, StoreNames<Schema>[], 'versionchange'>,
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

/**
 * Verifies the stores of a database, and closes it if they are not ours.
 * @throws SkillshelfError `format` if the database belongs to another program
 */
export function checkSchema(db: IDBPDatabase<Schema>): void {
  if ([...db.objectStoreNames].join() === 'bytes,files') return
  db.close()
  throw foreignDatabaseError(db.name)
}
