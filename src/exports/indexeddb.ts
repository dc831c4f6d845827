export { vectorCache } from '../embed/vector-cache.js'
export type { IndexedDbOptions, IndexedDbSource, IndexedDbUsage } from '../source/indexeddb/source.js'
export { indexedDb } from '../store/indexeddb.js'
