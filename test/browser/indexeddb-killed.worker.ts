import { indexedDbSource } from '../../src/source/indexeddb/indexeddb.js'
import type { Changes } from '../../src/source/source.js'
import { onPut } from './indexeddb-puts.js'

/** Changes to write, and when to post a message. */
export interface Order {
  database: string
  changes: Changes
  /** After the nth `put`. Default: after the commit. */
  put?: number
  /** Keep the transaction open after that `put`. */
  hold?: boolean
}

addEventListener('message', async ({ data }: MessageEvent<Order>) => {
  const { database, changes, put, hold } = data
  if (put !== undefined)
    onPut(put, request =>
      request.addEventListener('success', () => {
        postMessage('now')
        if (hold) keepOpen(request.source as IDBObjectStore)
      }),
    )
  await indexedDbSource(database).write(changes)
  if (put === undefined) postMessage('now')
})

/** Issues requests in sequence. */
function keepOpen(store: IDBObjectStore): void {
  store.get('nothing').onsuccess = () => keepOpen(store)
}
