import { readCatalog } from '../../catalog/packed-catalog.js'
import { packedFile } from '../../catalog/packed-files.js'
import type { CatalogEntry } from '../../catalog/types.js'
import { isSkillshelfError } from '../../core/errors.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { ReadResult, WritableSource } from '../../source/types.js'
import { COPY_FILE, type CopyNotes, readNotes, writeNotes } from './copy-record.js'
import type { Swap } from './copy-update.js'
import { createResources, type Resources } from './eviction.js'

/** A copy of a packed library in a store, with room for a bounded amount of resources. */
export interface OfflineCopy {
  /** The catalog, where there is a copy. */
  catalog(signal?: AbortSignal): Promise<ReadResult | undefined>
  notes(): Promise<CopyNotes>
  /** Puts a swap into the store, whole, unless another tab did so meanwhile. */
  commit(swap: Swap, signal: AbortSignal): Promise<void>
  /** Keeps a file that was fetched. That there is no room for it is no failure. */
  keep(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  /** Bytes of resources that can be kept without one going for it. */
  room(): Promise<number>
  /** A file was read. */
  touch(path: string): Promise<void>
  /** Writes down what was read last, where that is not yet. */
  save(): Promise<void>
  /** Another tab changed the store. */
  forget(): void
}

/** Where a place is full, so much of what was granted stays in use. */
const SHRINK = 0.5

/** @param maxBytes Of resources. */
export function openCopy(store: WritableSource, maxBytes: number): OfflineCopy {
  let touched = false
  let opened: Promise<{ notes: CopyNotes; resources: Resources }> | undefined

  const catalog = async (signal?: AbortSignal): Promise<ReadResult | undefined> => {
    const held = await store.read(CATALOG_FILE, signal ? { signal } : {})
    return held === 'unchanged' ? undefined : held
  }

  const open = () => {
    opened ??= (async () => {
      const [notes, listing, held] = await Promise.all([readNotes(store), store.list?.() ?? [], catalog()])
      const resources = createResources(listing, notes.used, maxBytes)
      if (held) resources.pin(instructionsOf(readCatalog(held.bytes, CATALOG_FILE).skills))
      return { notes, resources }
    })()
    opened.catch(() => {
      opened = undefined
    })
    return opened
  }

  return {
    catalog,
    notes: async () => (await open()).notes,
    async commit(swap, signal) {
      const { resources } = await open()
      if (swap.catalog) {
        resources.pin(instructionsOf(swap.catalog.skills))
        resources.forget(swap.remove)
        for (const [path, bytes] of swap.put) if (path.startsWith('files/')) resources.admit(path, bytes.length)
      }
      const next: CopyNotes = { ...swap.notes, used: resources.order() }
      try {
        await store.write(
          { put: { ...Object.fromEntries(swap.put), [COPY_FILE]: writeNotes(next) }, remove: swap.remove },
          { ...(swap.before === undefined ? {} : { ifVersion: swap.before }), signal },
        )
        opened = Promise.resolve({ notes: next, resources })
      } catch (error) {
        opened = undefined
        if (!isSkillshelfError(error, 'conflict')) throw error
      }
    },
    async keep(path, bytes) {
      const { notes, resources } = await open()
      const put = async (gone: readonly string[]): Promise<void> => {
        resources.forget(gone)
        // Of what never goes nobody need know when it was read: a whole copy would write the notes for each of its skills.
        const written = resources.isPinned(path)
          ? {}
          : { [COPY_FILE]: writeNotes({ ...notes, used: resources.order() }) }
        await store.write({ put: { [path]: bytes, ...written }, remove: gone })
      }
      const gone = resources.admit(path, bytes.length)
      if (!gone) return
      try {
        await put(gone)
      } catch (error) {
        const least = isSkillshelfError(error, 'storage-full') ? resources.surplus(SHRINK) : []
        if (least.length > 0) await put(least.filter(one => one !== path)).catch(() => resources.forget([path]))
        else resources.forget([path])
      }
    },
    room: async () => (await open()).resources.room(),
    async touch(path) {
      ;(await open()).resources.touch(path)
      touched = true
    },
    async save() {
      if (!touched) return
      touched = false
      const { notes, resources } = await open()
      await store.write({ put: { [COPY_FILE]: writeNotes({ ...notes, used: resources.order() }) } })
    },
    forget() {
      opened = undefined
    },
  }
}

function instructionsOf(skills: readonly CatalogEntry[]): string[] {
  return skills.flatMap(({ digest, details }) => [packedFile(digest, '.md'), packedFile(details, '.json')])
}
