import { type IndexedDbOptions, type IndexedDbSource, indexedDbSource } from '../source/indexeddb/indexeddb.js'
import { type SkillStore, type StoreOptions, skillStore } from './store.js'

/**
 * A library in IndexedDB: skills are installed, edited and removed, work without a network, and other tabs follow. Nothing is opened
 * before it is first used.
 * @param database A name of one's own.
 */
export function indexedDb(
  database: string,
  { name, ...options }: IndexedDbOptions & StoreOptions = {},
): IndexedDbSource & SkillStore {
  return skillStore(indexedDbSource(database, name === undefined ? {} : { name }), options)
}
