import { createStore, get, set, type UseStore, update } from 'idb-keyval'
import { openError } from '../../source/indexeddb/errors.js'
import { openChangeChannel } from '../../source/indexeddb/tabs.js'
import type { LearnedStore } from '../api/learned-messages.js'

const KEY = 'messages'

/**
 * Keeps learned messages in IndexedDB, for the `learn` option of `openLibrary`. Tabs of a site share them.
 * @param name Database name. Default `skillshelf-learned`. Libraries whose sources have the same name need a database each.
 * @returns A store. It opens the database on first use and rejects with `source-failed` or `storage-full`.
 * @example
 * ```ts
 * import { openLibrary } from 'skillshelf'
 * import { learnedDatabase } from 'skillshelf/sources'
 *
 * const library = await openLibrary('/skills/', { learn: learnedDatabase('my-app-learned') })
 * ```
 */
export function learnedDatabase(name = 'skillshelf-learned'): LearnedStore {
  let store: UseStore | undefined
  const open = () => (store ??= createStore(name, 'learned'))
  const channel = openChangeChannel(name)
  /** Opening throws if storage is denied. */
  const attempt = async <T>(work: () => Promise<T>, verb: string): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw await openError(error, name, verb)
    }
  }
  return {
    load: () => attempt(() => get(KEY, open()), 'read'),
    async save(messages) {
      await attempt(() => set(KEY, messages, open()), 'written')
      channel.notify()
    },
    async update(change) {
      await attempt(() => update(KEY, change, open()), 'written')
      channel.notify()
    },
    watch: channel.watch,
  }
}
