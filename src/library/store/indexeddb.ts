import {
  type IndexedDbOptions,
  type IndexedDbSource,
  indexedDbSource,
} from '../../source/indexeddb/indexeddb.js'
import { type SkillStore, type StoreOptions, skillStore } from './store.js'

/**
 * A library in IndexedDB. Skills can be installed, edited and removed, and work offline. Other tabs follow every change. The database is
 * opened on first use.
 * @param database The name of the database. Use one per library.
 * @param options Options of the source and the store. `name` is the origin of the skills, by default the name of the database.
 * @returns A source for `openLibrary`, with `install`, `edit`, `remove` and `export`.
 * @example
 * ```ts
 * import { openLibrary } from 'skillshelf'
 * import { indexedDb } from 'skillshelf/sources'
 *
 * const store = indexedDb('my-skills')
 * await store.install({ 'greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nSay hello.' })
 * const library = await openLibrary(store)
 * ```
 */
export function indexedDb(
  database: string,
  { name, ...options }: IndexedDbOptions & StoreOptions = {},
): IndexedDbSource & SkillStore {
  return skillStore(indexedDbSource(database, { name }), options)
}
