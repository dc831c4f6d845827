import { indexedDbSource } from '../../src/source/indexeddb/indexeddb.js'
import type { Changes } from '../../src/source/types.js'
import { onPut } from './indexeddb-puts.js'

/** What to write, and when to say that the moment has come. */
export interface Order {
  database: string
  changes: Changes
  /** Once the nth `put` is done; left out: once all is written. */
  put?: number
  /** Then keep the transaction from ending. */
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

/** One request after the other. */
function keepOpen(store: IDBObjectStore): void {
  store.get('nothing').onsuccess = () => keepOpen(store)
}
