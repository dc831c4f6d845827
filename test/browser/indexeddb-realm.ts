import { expose, windowEndpoint } from 'comlink'
import { type IndexedDbSource, indexedDbSource } from '../../src/source/indexeddb/indexeddb.js'
import type { Changes, WriteOptions } from '../../src/source/source.js'

// A tab or worker that uses a database on request.

const sources = new Map<string, IndexedDbSource>()

function source(database: string): IndexedDbSource {
  const known = sources.get(database) ?? indexedDbSource(database)
  sources.set(database, known)
  return known
}

/** Comlink drops the code of errors. */
async function resultOf<T>(call: Promise<T>): Promise<T | string> {
  return call.catch(error => `${error.code}`)
}

const realm = {
  write: (database: string, changes: Changes, options?: WriteOptions) =>
    resultOf(
      source(database)
        .write(changes, options)
        .then(() => 'written'),
    ),
  read: (database: string, path: string) =>
    resultOf(
      source(database)
        .read(path)
        .then(found => (typeof found === 'object' ? new TextDecoder().decode(found.bytes) : found)),
    ),
  watch(database: string, onChange: () => void) {
    source(database).watch(() => onChange())
  },
  /** Increments a number in a file `times` times. */
  async count(database: string, times: number) {
    await Promise.all(Array.from({ length: times }, () => addOne(source(database))))
  },
  /** Acquires the lock and never releases it. Resolves once it is held. */
  hold: (database: string) =>
    new Promise<void>(resolve => {
      void source(database).exclusively(() => {
        resolve()
        return new Promise(() => {})
      })
    }),
}

export type Realm = typeof realm

export function addOne(source: IndexedDbSource): Promise<void> {
  return source.exclusively(async () => {
    const found = await source.read('count')
    const count = typeof found === 'object' ? Number(new TextDecoder().decode(found.bytes)) : 0
    await source.write({ put: { count: `${count + 1}` } })
  })
}

if ('document' in globalThis && parent !== self) {
  expose(realm, windowEndpoint(parent))
  parent.postMessage('ready', '*')
} else {
  expose(realm)
}
