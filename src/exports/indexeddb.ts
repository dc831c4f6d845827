/**
 * Skills, vectors and learned messages in the IndexedDB of a browser.
 *
 * @packageDocumentation
 * @module skillshelf/indexeddb
 */

export { vectorCache } from '../embed/vector-cache.js'
export { learnedDatabase } from '../library/learning/database.js'
export type { IndexedDbOptions, IndexedDbSource, IndexedDbUsage } from '../source/indexeddb/indexeddb.js'
export { indexedDb } from '../store/indexeddb.js'
