import { digestOfLarge, shortDigest } from '../../core/digest.js'
import { safePath } from '../../core/paths.js'
import { CATALOG_FILE, conflictError } from '../catalog-file.js'
import type { WritableSource } from '../types.js'
import { openChangeChannel } from './broadcast.js'
import { connect } from './connection.js'
import { withLock } from './lock.js'
import { removeDatabase } from './open.js'
import { persist, type StorageQuota, storageQuota } from './quota.js'
import type { StoredFile } from './schema.js'

export interface IndexedDbOptions {
  /** Shown to users as the origin of its skills. Default: the name of the database. */
  name?: string | undefined
}

/** What is kept here, in files and bytes, and what the browser grants the whole site, where it says so. */
export interface IndexedDbUsage extends StorageQuota {
  files: number
  bytes: number
}

/**
 * Files in IndexedDB. Its `watch` calls back after each write, whoever made it: this source, another of the page, another tab, a worker.
 * Whatever is wrong with the storage is thrown by the first call, never before: `unsupported` where the page may keep nothing, or the
 * database is of a newer version; `format` where it is another program's; `source-failed` where another tab holds an older one. A `write`
 * is one transaction: where it throws (`conflict`, `storage-full`, `aborted`), or its tab is closed in the middle, all is as it was.
 */
export interface IndexedDbSource extends WritableSource {
  watch(onChange: () => void): () => void
  /**
   * Runs `work` while nobody else does so with this database, in any tab or worker, so that of two who read, change and write neither
   * loses anything. The signal ends the waiting. Not to be called in its own work, which would wait for ever; writes need no turn. Without
   * Web Locks (a page that is no secure context), turns are taken within the page.
   */
  exclusively<T>(work: () => Promise<T>, options?: { signal?: AbortSignal | undefined }): Promise<T>
  usage(): Promise<IndexedDbUsage>
  /** Asks the browser to keep it when the device runs short of space. False where it refuses, and in a worker, which cannot ask. */
  persist(): Promise<boolean>
  /**
   * Removes the database, for everybody. A later write makes it anew.
   * @throws SkillshelfError `source-failed` where a page that is not ours holds it: then it goes once that lets go
   */
  destroy(): Promise<void>
  close(): Promise<void>
}

/** Files kept by the browser, for pages and Web Workers: one database, changed in transactions. It is made by the first call. */
export function indexedDbSource(database: string, options: IndexedDbOptions = {}): IndexedDbSource {
  const name = options.name ?? database
  const connection = connect(database)
  const changes = openChangeChannel(database)
  const all = (signal?: AbortSignal): Promise<StoredFile[]> =>
    connection.transaction('readonly', transaction => transaction.objectStore('files').getAll(), { signal })

  return {
    name,
    async read(path, { ifVersion, signal } = {}) {
      const at = safePath(path)
      return connection.transaction(
        'readonly',
        async transaction => {
          const [files, bytes] = [transaction.objectStore('files'), transaction.objectStore('bytes')]
          if (ifVersion !== undefined && (await files.get(at))?.version === ifVersion) return 'unchanged'
          const [file, content] = await Promise.all([files.get(at), bytes.get(at)])
          return file && content && { bytes: new Uint8Array(content), version: file.version }
        },
        { signal },
      )
    },
    async list({ signal } = {}) {
      return all(signal)
    },
    async write({ put = {}, remove = [] }, { ifVersion, signal } = {}) {
      connection.check(signal)
      const removed = remove.map(safePath)
      // Before the transaction, which ends while somebody waits for anything else.
      const added = await Promise.all(
        Object.entries(put).map(async ([path, content]) => {
          const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content)
          const version = shortDigest(await digestOfLarge(bytes))
          return { file: { path: safePath(path), size: bytes.length, version }, content: bytes.buffer }
        }),
      )
      await connection.transaction(
        'readwrite',
        async transaction => {
          const [files, bytes] = [transaction.objectStore('files'), transaction.objectStore('bytes')]
          if (ifVersion !== undefined && ((await files.get(CATALOG_FILE))?.version ?? null) !== ifVersion)
            throw conflictError(name)
          await Promise.all([
            ...removed.flatMap(path => [files.delete(path), bytes.delete(path)]),
            ...added.flatMap(({ file, content }) => [files.put(file), bytes.put(content, file.path)]),
          ])
        },
        { signal, size: added.reduce((sum, { file }) => sum + file.size, 0) },
      )
      changes.notify()
    },
    watch(onChange) {
      connection.check()
      return changes.watch(onChange)
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
      const files = await all()
      return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0), ...(await storageQuota()) }
    },
    async persist() {
      connection.check()
      return persist()
    },
    async destroy() {
      connection.check()
      await removeDatabase(database)
      changes.notify()
    },
    async close() {
      connection.close()
      changes.close()
    },
  }
}
