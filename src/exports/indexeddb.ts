/**
 * Skills, vectors and learned messages in the IndexedDB of a browser.
 *
 * @packageDocumentation
 * @module skillshelf/indexeddb
 */

export { learnedDatabase } from '../library/learning/database.js'
export { indexedDb } from '../library/store/indexeddb.js'
export { vectorCache } from '../search/model/vector-cache.js'
export type { IndexedDbOptions, IndexedDbSource, IndexedDbUsage } from '../source/indexeddb/indexeddb.js'
