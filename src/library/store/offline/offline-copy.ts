import { isSkillshelfError } from '../../../core/errors.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { ReadResult, WritableSource } from '../../../source/source.js'
import { readCatalog } from '../../catalog/packed-catalog.js'
import { packedFile } from '../../catalog/packed-files.js'
import type { CatalogEntry } from '../../catalog/types.js'
import { COPY_RECORD_FILE, type CopyRecord, readCopyRecord, writeCopyRecord } from './copy-record.js'
import type { CopyUpdate } from './copy-update.js'
import { createEviction, type Eviction } from './eviction.js'

/** A copy of a packed library in a store, with limited room for resources. */
export interface OfflineCopy {
  /** `undefined` if there is no copy yet. */
  catalog(signal?: AbortSignal): Promise<ReadResult | undefined>
  record(): Promise<CopyRecord>
  /** Writes an update, whole or not at all. Does nothing if another tab has updated the copy. */
  commit(update: CopyUpdate, signal: AbortSignal): Promise<void>
  /** Stores a file. Does nothing if there is no room for it. */
  keep(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  /** Bytes that can be stored without removing a resource. */
  room(): Promise<number>
  /** Marks a file as just read. */
  touch(path: string): Promise<void>
  /** Stores the order of reads, if it has changed. */
  save(): Promise<void>
  /** Drops what is cached, after another tab has changed the store. */
  reset(): void
}

/** If the storage is full, resources shrink to this share of the limit. */
const SHRINK = 0.5

/** @param maxBytes Limit for resources. */
export function openOfflineCopy(store: WritableSource, maxBytes: number): OfflineCopy {
  let isTouched = false
  let opened: Promise<{ record: CopyRecord; eviction: Eviction }> | undefined

  const catalog = async (signal?: AbortSignal): Promise<ReadResult | undefined> => {
    const found = await store.read(CATALOG_FILE, { signal })
    return found === 'unchanged' ? undefined : found
  }

  const open = () => {
    opened ??= (async () => {
      const [record, listing, found] = await Promise.all([readCopyRecord(store), store.list?.() ?? [], catalog()])
      const eviction = createEviction(listing, record.used, maxBytes)
      if (found) eviction.pin(instructionFiles((await readCatalog(found.bytes, CATALOG_FILE)).skills))
      return { record, eviction }
    })()
    opened.catch(() => {
      opened = undefined
    })
    return opened
  }

  return {
    catalog,
    record: async () => (await open()).record,
    async commit(update, signal) {
      const { eviction } = await open()
      if (update.catalog) {
        eviction.pin(instructionFiles(update.catalog.skills))
        eviction.forget(update.remove)
        for (const [path, bytes] of update.put) if (path.startsWith('files/')) eviction.admit(path, bytes.length)
      }
      const record: CopyRecord = { ...update.record, used: eviction.order() }
      try {
        await store.write(
          {
            put: { ...Object.fromEntries(update.put), [COPY_RECORD_FILE]: writeCopyRecord(record) },
            remove: update.remove,
          },
          { ifVersion: update.before, signal },
        )
        opened = Promise.resolve({ record, eviction })
      } catch (error) {
        opened = undefined
        if (!isSkillshelfError(error, 'conflict')) throw error
      }
    },
    async keep(path, bytes) {
      const { record, eviction } = await open()
      const write = async (evicted: readonly string[]): Promise<void> => {
        eviction.forget(evicted)
        // Pinned files are never evicted. Without this check, a complete copy writes the record once per skill.
        const put = eviction.isPinned(path)
          ? { [path]: bytes }
          : { [path]: bytes, [COPY_RECORD_FILE]: writeCopyRecord({ ...record, used: eviction.order() }) }
        await store.write({ put, remove: evicted })
      }
      const evicted = eviction.admit(path, bytes.length)
      if (!evicted) return
      try {
        await write(evicted)
      } catch (error) {
        const surplus = isSkillshelfError(error, 'storage-full') ? eviction.surplus(SHRINK) : []
        if (surplus.length > 0) await write(surplus.filter(one => one !== path)).catch(() => eviction.forget([path]))
        else eviction.forget([path])
      }
    },
    room: async () => (await open()).eviction.room(),
    async touch(path) {
      const { eviction } = await open()
      eviction.touch(path)
      isTouched = true
    },
    async save() {
      if (!isTouched) return
      isTouched = false
      const { record, eviction } = await open()
      await store.write({ put: { [COPY_RECORD_FILE]: writeCopyRecord({ ...record, used: eviction.order() }) } })
    },
    reset() {
      opened = undefined
    },
  }
}

function instructionFiles(skills: readonly CatalogEntry[]): string[] {
  return skills.flatMap(({ digest, details }) => [packedFile(digest, '.md'), packedFile(details, '.json')])
}
