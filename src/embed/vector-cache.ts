import { createStore, getMany, setMany } from 'idb-keyval'
import type { VectorCache } from './types.js'

/** Vectors in IndexedDB, under a database name of one's own. Default `skillshelf-vectors`. */
export function vectorCache(name = 'skillshelf-vectors'): VectorCache {
  let store: ReturnType<typeof createStore> | undefined
  // Opened when first needed: where storage is forbidden, that is where it fails.
  const opened = () => (store ??= createStore(name, 'vectors'))
  return {
    get: async keys => getMany<Uint8Array>([...keys], opened()),
    put: async entries =>
      setMany(
        entries.map(([key, bytes]) => [key, bytes]),
        opened(),
      ),
  }
}
