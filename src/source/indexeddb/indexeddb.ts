import type { AbortOptions } from '../../core/abort.js'
import { digestOfLarge, shortDigest } from '../../core/digest.js'
import { safePath } from '../../core/paths.js'
import { CATALOG_FILE, conflictError } from '../catalog-file.js'
import type { WritableSource } from '../source.js'
import { connect, removeDatabase, type StoredFile } from './connection.js'
import { persist, type StorageQuota, storageQuota } from './quota.js'
import { openChangeChannel, withLock } from './tabs.js'

/** Options of the IndexedDB source. */
export interface IndexedDbOptions {
  /** Name of the source: the first part of its skills' ids. @default The name of the database. */
  name?: string | undefined
}

/** Files and bytes in the database, and the quota of the site. */
export interface IndexedDbUsage extends StorageQuota {
  /** Number of files. */
  files: number
  /** Size of all files in bytes. */
  bytes: number
}

/**
 * Files in an IndexedDB database.
 *
 * Storage problems are thrown by the first call: `unsupported` if the page may not store data or the database has a newer version, `format`
 * if it belongs to another program, `source-failed` if another tab blocks an upgrade. A `write` is one transaction. If it throws
 * (`conflict`, `storage-full`, `aborted`) or its tab is closed, nothing has changed.
 */
export interface IndexedDbSource extends WritableSource {
  /** Subscribes to writes by this source, other tabs and workers. Returns a function that unsubscribes. */
  watch(onChange: () => void): () => void
  /**
   * Runs `work` under an exclusive lock of the database across tabs and workers, so that it can read, compute and write without a conflict.
   * Without Web Locks (insecure contexts) the lock covers only this page. `write` alone needs no lock. A nested call waits forever.
   * @param options `signal` aborts the wait for the lock, but not `work`.
   */
  exclusively<T>(work: () => Promise<T>, options?: AbortOptions): Promise<T>
  /** Returns the size of the database and the quota of the site. */
  usage(): Promise<IndexedDbUsage>
  /** Asks the browser to keep the data when the device runs short of space. False if it refuses, and in workers, which cannot ask. */
  persist(): Promise<boolean>
  /** Deletes the database for all tabs. @throws SkillshelfError `source-failed` if another program has it open; deleted once that closes */
  destroy(): Promise<void>
  close(): Promise<void>
}

/**
 * Stores files in IndexedDB, in pages and Web Workers. The first call creates the database.
 * @param options `name`: name of the source, default the name of the database.
 * @returns A writable source that can be watched.
 * @example
 * ```ts
 * const source = indexedDbSource('my-skills')
 * await source.write({ put: { 'pdf/SKILL.md': text } })
 * ```
 */
export function indexedDbSource(
  database: string,
  { name = database }: IndexedDbOptions = {},
): IndexedDbSource {
  const connection = connect(database)
  const channel = openChangeChannel(database)
  const listFiles = (signal?: AbortSignal): Promise<StoredFile[]> =>
    connection.transaction('readonly', files => files.getAll(), { signal })

  return {
    name,
    transactional: true,
    async read(path, { ifVersion, signal } = {}) {
      const key = safePath(path)
      return connection.transaction(
        'readonly',
        async (files, bytes) => {
          if (ifVersion !== undefined && (await files.get(key))?.version === ifVersion) {
            return 'unchanged'
          }
          const [file, content] = await Promise.all([files.get(key), bytes.get(key)])
          return file && content && { bytes: new Uint8Array(content), version: file.version }
        },
        { signal },
      )
    },
    async list({ signal } = {}) {
      return listFiles(signal)
    },
    async write({ put = {}, remove = [] }, { ifVersion, signal } = {}) {
      connection.check(signal)
      const removed = remove.map(safePath)
      // Before the transaction, which would end during the digest.
      const added = await Promise.all(
        Object.entries(put).map(async ([path, content]) => {
          const bytes =
            typeof content === 'string'
              ? new TextEncoder().encode(content)
              : new Uint8Array(content)
          const version = shortDigest(await digestOfLarge(bytes))
          return {
            file: { path: safePath(path), size: bytes.length, version },
            content: bytes.buffer,
          }
        }),
      )
      await connection.transaction(
        'readwrite',
        async (files, bytes) => {
          if (
            ifVersion !== undefined &&
            ((await files.get(CATALOG_FILE))?.version ?? null) !== ifVersion
          ) {
            throw conflictError(name)
          }
          await Promise.all([
            ...removed.flatMap(path => [files.delete(path), bytes.delete(path)]),
            ...added.flatMap(({ file, content }) => [
              files.put(file),
              bytes.put(content, file.path),
            ]),
          ])
        },
        { signal, size: added.reduce((sum, { file }) => sum + file.size, 0) },
      )
      channel.notify()
    },
    watch(onChange) {
      connection.check()
      return channel.watch(onChange)
    },
    async exclusively(work, { signal } = {}) {
      connection.check(signal)
      return withLock(
        `skillshelf ${database}`,
        async () => {
          connection.check()
          return work()
        },
        signal,
      )
    },
    async usage() {
      const files = await listFiles()
      return {
        files: files.length,
        bytes: files.reduce((sum, { size }) => sum + size, 0),
        ...(await storageQuota()),
      }
    },
    async persist() {
      connection.check()
      return persist()
    },
    async destroy() {
      connection.check()
      await removeDatabase(database)
      channel.notify()
    },
    async close() {
      connection.close()
      channel.close()
    },
  }
}
