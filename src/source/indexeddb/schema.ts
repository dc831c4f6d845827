import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from 'idb'
import { digestOf, shortDigest } from '../../core/digest.js'
import { foreignDatabaseError } from './errors.js'

/** What a listing says of a file. */
export interface StoredFile {
  path: string
  /** Bytes. */
  size: number
  version: string
}

/** Two stores, both by path: a listing reads no content. Buffers, as 1,000 Blobs take more than twice as long to write. */
export interface Schema extends DBSchema {
  bytes: { key: string; value: ArrayBuffer }
  files: { key: string; value: StoredFile }
}

/** 1: the bytes alone. 2: beside them what a listing says. */
export const SCHEMA_VERSION = 2

/**
 * From the layout of `from` (0: none yet) to today's, in the transaction of the upgrade: it happens whole or not at all.
 * @throws SkillshelfError `format` where the database is another program's
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
    // Synchronous: the transaction would end while somebody waits for WebCrypto.
    await files.put({ path, size: content.length, version: shortDigest(digestOf(content)) })
  }
}

/** @throws SkillshelfError `format` where a database of today's version is another program's: then it is closed */
export function checkSchema(db: IDBPDatabase<Schema>): void {
  if ([...db.objectStoreNames].join() === 'bytes,files') return
  db.close()
  throw foreignDatabaseError(db.name)
}
