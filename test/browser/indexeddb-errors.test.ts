/// <reference types="@vitest/browser-playwright" />
import { describe, expect, it, vi } from 'vitest'
import { cdp } from 'vitest/browser'
import { indexedDbSource } from '../../src/source/indexeddb/indexeddb.js'
import { isChromium } from '../engine.js'
import { fails } from '../fails.js'
import { readText as text } from '../read-text.js'
import { atEnd, newName, opened, rawOpen, texts, worker } from './indexeddb-helpers.js'
import { onPut } from './indexeddb-puts.js'

/** Random bytes, which do not compress. */
function noise(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}

/** Replaces the default storage bucket by one with a real quota. */
async function limited(quota: number): Promise<StorageManager> {
  const { storageBuckets } = navigator as unknown as { storageBuckets: Buckets }
  const name = `test-${crypto.randomUUID()}`
  const bucket = await storageBuckets.open(name, { quota })
  atEnd(() => storageBuckets.delete(name))
  vi.stubGlobal('indexedDB', bucket.indexedDB)
  return bucket
}

interface Buckets {
  open(
    name: string,
    options: { quota: number },
  ): Promise<StorageManager & { indexedDB: IDBFactory }>
  delete(name: string): Promise<void>
}

// Other browsers have no quota that a test can set.
describe.skipIf(!('storageBuckets' in navigator))('a full disk', () => {
  it('[BY-6] write reports the sizes when the quota is exceeded, and changes nothing', async () => {
    const storage = await limited(3_000_000)
    vi.stubGlobal('navigator', { storage })
    const source = opened()
    let calls = 0
    source.watch(() => calls++)
    await source.write({ put: { 'a.md': 'old', 'b.md': 'old' } })
    const put = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`new/${index}.bin`, noise(100_000)]),
    )
    const error = await source
      .write({ put: { 'a.md': 'new', ...put }, remove: ['b.md'] })
      .catch(error => error)
    expect(error).toMatchObject({ code: 'storage-full', details: { hint: expect.any(String) } })
    expect(error.message).toMatch(
      /no room for 4\.0 MB more in test .*: the quota of the site is 3\.0 MB/,
    )
    expect(error.cause.name).toBe('QuotaExceededError')
    expect(await texts(source)).toEqual({ 'a.md': 'old', 'b.md': 'old' })
    expect(calls).toBe(1)
    expect(await source.usage()).toMatchObject({ files: 2, bytes: 6, quota: 3_000_000 })
  })

  it('[BY-6] write omits an implausible quota', async () => {
    await limited(3_000_000)
    const writing = opened().write({ put: { 'a.bin': noise(4_000_000) } })
    const error = await writing.catch(error => error)
    expect(error).toMatchObject({ code: 'storage-full' })
    expect(error.message).not.toContain('is given')
  })
})

describe('forbidden storage', () => {
  it('[BY-6] the first call reports forbidden storage', async () => {
    vi.stubGlobal('indexedDB', undefined)
    const source = indexedDbSource('nowhere')
    const stop = source.watch(() => {})
    const calls = [
      () => source.read('a.md'),
      () => source.write({}),
      () => source.usage(),
      () => source.destroy(),
    ]
    for (const call of calls)
      await fails(call(), 'unsupported', { details: { hint: expect.any(String) } })
    stop()
    await source.close()
  })

  for (const [name, code] of [
    ['SecurityError', 'unsupported'],
    ['InvalidStateError', 'unsupported'],
    ['UnknownError', 'source-failed'],
  ] as const)
    it(`[BY-6] a call reports ${name} of open as ${code} and retries next time, stubbed`, async () => {
      const source = opened()
      const open = vi.spyOn(indexedDB, 'open').mockImplementation(() => {
        throw new DOMException('stubbed', name)
      })
      for (const call of [() => source.read('a.md'), () => source.write({}), () => source.usage()])
        await fails(call(), code, 'stubbed')
      open.mockRestore()
      expect(await source.read('a.md')).toBeUndefined()
    })
})

describe('lost connection', () => {
  // It takes the protocol of Chromium's tools to close one.
  it.runIf(isChromium)('[BY-6] source reopens a connection that the browser closed', async () => {
    const database = newName()
    const source = opened(database)
    const connected = new Promise<IDBDatabase>(resolve => {
      atEnd(onPut(1, request => resolve((request.transaction as IDBTransaction).db)))
    })
    await source.write({ put: { 'a.md': 'one' } })
    const db = await connected
    const closed = new Promise(resolve => db.addEventListener('close', resolve))
    // Like "clear site data": the browser closes the connection and deletes the files.
    await cdp().send('IndexedDB.deleteDatabase', {
      securityOrigin: location.origin,
      databaseName: database,
    })
    await closed
    expect(await texts(source)).toEqual({})
    await source.write({ put: { 'b.md': 'two' } })
    expect(await texts(source)).toEqual({ 'b.md': 'two' })
  })

  it('[BY-6] source reopens once a connection that was closed without an event, stubbed as in Safari', async () => {
    const source = opened()
    await source.write({ put: { 'a.md': 'one' } })
    const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction')
    const lost = () => {
      throw new DOMException('Connection to Indexed Database server lost', 'InvalidStateError')
    }
    transaction.mockImplementationOnce(lost)
    expect(await text(source, 'a.md')).toBe('one')
    transaction.mockImplementation(lost)
    await fails(source.read('a.md'), 'source-failed')
    transaction.mockRestore()
    expect(await text(source, 'a.md')).toBe('one')
  })

  it('[BY-6] source closes its connection for a newer version in another tab or worker', async () => {
    const database = newName()
    const source = opened(database)
    await source.write({ put: { 'a.md': 'one' } })
    const thread = worker()
    expect(await thread.read(database, 'a.md')).toBe('one')
    const request = indexedDB.open(database, 3)
    await new Promise((resolve, reject) => {
      request.onsuccess = resolve
      request.onblocked = () => reject(new Error('somebody holds it'))
    })
    request.result.close()
    await fails(source.read('a.md'), 'unsupported')
    expect(await thread.read(database, 'a.md')).toBe('unsupported')
  })

  it('[BY-6] destroy reports a database held by another program and deletes it later', async () => {
    const database = newName()
    const source = opened(database)
    await source.write({ put: { 'a.md': 'one' } })
    const raw = await rawOpen(database)
    await fails(source.destroy(), 'source-failed', 'removed yet')
    raw.close()
    expect(await texts(source)).toEqual({})
  })

  it('[BY-6] destroy during reads, writes and another destroy fails for none of them', async () => {
    const database = newName()
    const source = opened(database)
    const writing = source.write({ put: { 'a.md': noise(1_000_000) } })
    const reading = source.list?.()
    await Promise.all([writing, reading, source.destroy(), opened(database).destroy()])
    expect(['', 'a.md']).toContain(Object.keys(await texts(source)).join())
  })
})
