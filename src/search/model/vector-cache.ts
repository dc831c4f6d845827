import { createStore, getMany, setMany, type UseStore } from 'idb-keyval'
import type { VectorCache } from './skill-model.js'

/**
 * Keeps the vectors of skills in IndexedDB, so that the next visit does not embed them again.
 *
 * @param name Database name. Default `skillshelf-vectors`.
 * @returns A cache for the `cache` option of `library.upgrade`. It opens the database on first use and rejects if storage is denied.
 * @example
 * await library.upgrade(transformers(), { cache: vectorCache('my-app-vectors') })
 */
export function vectorCache(name = 'skillshelf-vectors'): VectorCache {
  let store: UseStore | undefined
  // Opening here would throw before anyone can catch it.
  const open = (): UseStore => {
    store ??= createStore(name, 'vectors')
    return store
  }
  return {
    get: async keys => getMany<Uint8Array>([...keys], open()),
    put: async entries =>
      setMany(
        entries.map(([key, bytes]) => [key, bytes]),
        open(),
      ),
  }
}
