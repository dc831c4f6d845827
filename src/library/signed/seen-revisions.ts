import { createStore, get, set, type UseStore } from 'idb-keyval'

/** The highest revision seen of each library, by its address and key. A `Map` is one. Everything else may answer by a promise. */
export interface SeenRevisions {
  get(key: string): number | null | undefined | Promise<number | null | undefined>
  set(key: string, revision: number): unknown
}

const inMemory = new Map<string, number>()

/** Revisions in IndexedDB, so that the next visit knows them. In memory where there is none, or storage is denied. */
export function deviceRevisions(): SeenRevisions {
  if (globalThis.indexedDB === undefined) return inMemory
  let store: UseStore | undefined
  const open = () => (store ??= createStore('skillshelf-revisions', 'revisions'))
  const ifStored = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch {
      return undefined
    }
  }
  return {
    async get(key) {
      const stored = await ifStored(() => get<number>(key, open()))
      return Math.max(stored ?? 0, inMemory.get(key) ?? 0)
    },
    async set(key, revision) {
      inMemory.set(key, revision)
      await ifStored(() => set(key, revision, open()))
    },
  }
}
