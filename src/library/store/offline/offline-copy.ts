import { isSkillshelfError } from '../../../core/errors.js'
import { isRecord, parseJson } from '../../../core/plain-data.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { ReadResult, SkillSource, WritableSource } from '../../../source/source.js'
import { vectorFiles } from '../../catalog/index-files.js'
import type { PackedCatalog } from '../../catalog/packed-catalog.js'
import { packedFile } from '../../catalog/packed-files.js'
import { digestOfCatalog, readCopied } from './copied-catalog.js'
import { createEviction, type Eviction } from './eviction.js'

/** What an offline copy remembers about its source. Stored beside the copied files. */
export interface CopyRecord {
  /** The digest of the catalog of the copy that it describes. Another tab may have stored a newer one. Absent in old records. */
  catalog?: string | undefined
  /** The version of the catalog. Packed libraries only. */
  version?: string
  /** The versions of the files of each skill, by folder. Trees only. */
  folders?: ReadonlyMap<string, string>
  /** Resources, least recently read first. */
  used: readonly string[]
}

/** The skills of a catalog, and their segments. */
export type CopiedSkills = Pick<PackedCatalog, 'skills' | 'segments'>

/** The changes that bring an offline copy up to date with its source. */
export interface CopyUpdate {
  /** Absent if only the record changes. */
  catalog?: CopiedSkills
  /** The whole catalog of a library in pieces, if it is part of the update. */
  whole?: string | undefined
  put: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  remove: readonly string[]
  /** Replaces the record: that of a packed library does not apply to a tree. */
  record: Omit<CopyRecord, 'used'>
  /** The version of the catalog that is replaced, `null` if there is none. `undefined` if the store has no versions. */
  before?: string | null | undefined
}

const RECORD_FILE = 'copy.json'
/** If the storage is full, resources shrink to this share of the limit. */
const SHRINK = 0.5

/** A copy of a packed library in a store. */
export interface OfflineCopy {
  /** The catalog of the copy; `undefined` if there is no copy yet. */
  catalog(signal?: AbortSignal): Promise<ReadResult | undefined>
  /** What is known of a catalog of the copy: nothing of one that another tab has stored since. */
  record(of: ReadResult | undefined): Promise<Pick<CopyRecord, 'version' | 'folders'>>
  /** Writes an update, whole or not at all. Does nothing if another tab has updated the copy. */
  commit(update: CopyUpdate, signal: AbortSignal): Promise<void>
  /** Stores a file. Does nothing if there is no room for it. */
  keep(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  /** Keeps files whatever the limit: those that find the skills. */
  pin(files: readonly string[], catalog?: CopiedSkills): Promise<void>
  /** Bytes that can be stored without removing a resource. */
  room(): Promise<number>
  /** Marks a file as just read. */
  touch(path: string): Promise<void>
  /** Stores the order of reads, if it has changed. */
  save(): Promise<void>
  /** Drops what is cached, after another tab has changed the store. */
  reset(): void
}

/** @param maxBytes Limit for resources. Instructions are always kept. */
export function openOfflineCopy(store: WritableSource, maxBytes: number): OfflineCopy {
  let isTouched = false
  let opened: Promise<{ record: CopyRecord; eviction: Eviction }> | undefined

  const catalog = async (signal?: AbortSignal): Promise<ReadResult | undefined> => {
    const found = await store.read(CATALOG_FILE, { signal })
    return found === 'unchanged' ? undefined : found
  }

  const open = () => {
    opened ??= (async () => {
      const [record, listing, found] = await Promise.all([
        readRecord(store),
        store.list?.() ?? [],
        catalog(),
      ])
      const eviction = createEviction(listing, record.used, maxBytes)
      // A catalog that cannot be read is reported when it is used. An update replaces it.
      const read = found && (await readCopied(store, found).catch(() => undefined))
      if (read) eviction.pin([...read.indexFiles, ...pinnedFiles(read.catalog)])
      return { record, eviction }
    })()
    opened.catch(() => {
      opened = undefined
    })
    return opened
  }

  return {
    catalog,
    async record(of) {
      const { record } = await open()
      if (!of) return {}
      const isOther = record.catalog !== undefined && record.catalog !== digestOfCatalog(of.bytes)
      return isOther ? {} : record
    },
    async commit(update, signal) {
      const { eviction } = await open()
      if (update.catalog) {
        const { catalog, whole } = update
        eviction.pin([...(whole === undefined ? [] : [whole]), ...pinnedFiles(catalog)])
        eviction.forget(update.remove)
        for (const [path, bytes] of update.put) {
          if (path.startsWith('files/')) eviction.admit(path, bytes.length)
        }
      }
      const record: CopyRecord = { ...update.record, used: eviction.order() }
      try {
        await store.write(
          {
            put: { ...Object.fromEntries(update.put), [RECORD_FILE]: writeRecord(record) },
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
          : { [path]: bytes, [RECORD_FILE]: writeRecord({ ...record, used: eviction.order() }) }
        await store.write({ put, remove: evicted })
      }
      const evicted = eviction.admit(path, bytes.length)
      if (!evicted) return
      try {
        await write(evicted)
      } catch (error) {
        const surplus = isSkillshelfError(error, 'storage-full') ? eviction.surplus(SHRINK) : []
        if (surplus.length > 0) {
          await write(surplus.filter(one => one !== path)).catch(() => eviction.forget([path]))
        } else eviction.forget([path])
      }
    },
    async pin(files, catalog) {
      const { eviction } = await open()
      eviction.pin([...files, ...(catalog ? pinnedFiles(catalog) : [])])
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
      await store.write({
        put: { [RECORD_FILE]: writeRecord({ ...record, used: eviction.order() }) },
      })
    },
    reset() {
      opened = undefined
    },
  }
}

/** Instructions, and vectors of a transformer, without which each visit would embed the skills. */
function pinnedFiles({ skills, segments }: CopiedSkills): string[] {
  const instructions = skills.flatMap(({ digest, details }) => [
    packedFile(digest, '.md'),
    packedFile(details, '.json'),
  ])
  return [...instructions, ...vectorFiles(segments)]
}

function writeRecord({ folders, ...record }: CopyRecord): string {
  return JSON.stringify(folders ? { ...record, folders: Object.fromEntries(folders) } : record)
}

/** A record that cannot be parsed counts as missing: then everything is compared again. */
async function readRecord(store: SkillSource): Promise<CopyRecord> {
  const found = await store.read(RECORD_FILE)
  const data = found && found !== 'unchanged' ? parseJson(found.bytes) : undefined
  if (!isRecord(data)) return { used: [] }
  const { catalog, version, folders, used } = data
  return {
    ...(typeof catalog === 'string' ? { catalog } : {}),
    ...(typeof version === 'string' ? { version } : {}),
    ...(isRecord(folders)
      ? { folders: new Map(Object.entries(folders as Record<string, string>)) }
      : {}),
    used: Array.isArray(used) ? used.filter(path => typeof path === 'string') : [],
  }
}
