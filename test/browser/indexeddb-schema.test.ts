import { describe, expect, it, vi } from 'vitest'
import { digestOf, shortDigest } from '../../src/core/digest.js'
import type { ReadResult } from '../../src/source/source.js'
import { readText as text } from '../read-text.js'
import { answer, newName, opened, rawOpen, texts, worker } from './indexeddb-helpers.js'

const bytes = (content: string): ArrayBuffer =>
  new TextEncoder().encode(content).buffer as ArrayBuffer

/** A database with schema version 1, which has only bytes. */
function old(database: string, files: Readonly<Record<string, string>>): Promise<IDBDatabase> {
  return rawOpen(database, 1, db => {
    const store = db.createObjectStore('bytes')
    for (const [path, content] of Object.entries(files)) store.put(bytes(content), path)
  })
}

describe('schema version 1', () => {
  it('[BY-6] database is upgraded with all its files', async () => {
    const database = newName()
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`s${index}/SKILL.md`, `é ${index}`]),
    )
    ;(await old(database, { ...files, 'empty.txt': '' })).close()
    const source = opened(database)
    expect(await texts(source)).toEqual({ ...files, 'empty.txt': '' })
    const { version } = (await source.read('s7/SKILL.md')) as ReadResult
    expect(version).toBe(shortDigest(digestOf('é 7')))
    expect(await source.list?.()).toContainEqual({ path: 's7/SKILL.md', size: 4, version })
    await source.write({ put: { 's7/SKILL.md': 'é 7' } })
    expect(await source.read('s7/SKILL.md', { ifVersion: version as string })).toBe('unchanged')
  })

  it('[BY-6] database is upgraded by several tabs at once', async () => {
    const database = newName()
    ;(await old(database, { 'a.md': 'one' })).close()
    const thread = worker()
    const here = [opened(database), opened(database)].map(source => text(source, 'a.md'))
    expect(await Promise.all([...here, thread.read(database, 'a.md')])).toEqual([
      'one',
      'one',
      'one',
    ])
  })

  it('[BY-6] database reports a blocked upgrade and upgrades once the other tab closes', async () => {
    const database = newName()
    const held = await old(database, { 'a.md': 'one' })
    const source = opened(database)
    const message = expect.stringContaining('another tab uses it')
    const error = { code: 'source-failed', message, details: { subject: database } }
    for (const call of [
      () => source.read('a.md'),
      async () => source.list?.(),
      () => source.write({}),
    ])
      await expect(call()).rejects.toMatchObject(error)
    // Later calls wait in the browser’s queue, but can be aborted.
    const stop = new AbortController()
    const waiting = opened(database).read('a.md', { signal: stop.signal })
    stop.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
    held.close()
    // Queued behind the upgrade.
    await rawOpen(database)
    expect(await text(source, 'a.md')).toBe('one')
  })

  for (const [name, code] of [
    ['DataError', 'source-failed'],
    ['QuotaExceededError', 'storage-full'],
  ] as const)
    it(`[BY-6] database is unchanged after a failed upgrade: ${name}, stubbed`, async () => {
      const database = newName()
      ;(await old(database, { 'a.md': 'one', 'b.md': 'two' })).close()
      const native = IDBObjectStore.prototype.put
      const put = vi.spyOn(IDBObjectStore.prototype, 'put')
      put.mockImplementation(function (this: IDBObjectStore, ...given) {
        if ((given[0] as { path: string }).path === 'b.md') throw new DOMException('stubbed', name)
        return native.apply(this, given)
      })
      const source = opened(database)
      await expect(source.read('a.md')).rejects.toMatchObject({
        code,
        cause: { message: 'stubbed' },
      })
      put.mockRestore()
      const raw = await rawOpen(database)
      expect([raw.version, [...raw.objectStoreNames]]).toEqual([1, ['bytes']])
      raw.close()
      expect(await texts(source)).toEqual({ 'a.md': 'one', 'b.md': 'two' })
    })
})

describe('foreign database', () => {
  for (const [whose, version, store, code] of [
    ['of a newer version', 9, 'bytes', 'unsupported'],
    ['of another program', 1, 'keyval', 'format'],
    ['of another program with the current version', 2, 'bytes', 'format'],
  ] as const)
    it(`[BY-6] database ${whose} is rejected and unchanged`, async () => {
      const database = newName()
      const theirs = await rawOpen(database, version, db =>
        db.createObjectStore(store).put('theirs', 'a.md'),
      )
      theirs.close()
      const source = opened(database)
      for (const call of [
        () => source.read('a.md'),
        () => source.write({ put: { 'a.md': 'ours' } }),
      ])
        await expect(call()).rejects.toMatchObject({ code, details: { subject: database } })
      const raw = await rawOpen(database)
      expect([raw.version, [...raw.objectStoreNames]]).toEqual([version, [store]])
      expect(await answer(raw.transaction(store).objectStore(store).get('a.md'))).toBe('theirs')
    })
})
