import { describe, expect, it, vi } from 'vitest'
import { indexedDbSource } from '../../src/source/indexeddb/indexeddb.js'
import { isChromium } from '../engine.js'
import { readText as text } from '../read-text.js'
import { answer, newName, opened, openedTwice, texts } from './indexeddb-helpers.js'
import { onPut } from './indexeddb-puts.js'

describe('aborting', () => {
  it('[BY-6] an aborted write changes nothing', async () => {
    const source = opened()
    await source.write({ put: { 'a.md': 'old', 'b.md': 'old' } })
    const put = { 'a.md': 'new', 'b.md': 'new', 'c.md': 'new' }
    for (const nth of [1, 3, 6]) {
      const stop = new AbortController()
      const uncount = onPut(nth, request =>
        request.addEventListener('success', () => stop.abort('enough')),
      )
      const writing = source.write({ put, remove: ['b.md'] }, { signal: stop.signal })
      await expect(writing).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
      uncount()
      expect(await texts(source)).toEqual({ 'a.md': 'old', 'b.md': 'old' })
    }
  })

  it('[BY-6] write distinguishes an abort before and after its transaction', async () => {
    const source = opened()
    const early = AbortSignal.abort('early')
    const error = { code: 'aborted', cause: 'early' }
    await expect(source.write({ put: { 'a.md': '' } }, { signal: early })).rejects.toMatchObject(
      error,
    )
    await expect(source.exclusively(async () => {}, { signal: early })).rejects.toMatchObject(error)
    const stop = new AbortController()
    const writing = source.write({ put: { 'a.md': 'one' } }, { signal: stop.signal })
    stop.abort('while digests are made')
    await expect(writing).rejects.toMatchObject({
      code: 'aborted',
      cause: 'while digests are made',
    })
    const late = new AbortController()
    await source.write({ put: { 'a.md': 'two' } }, { signal: late.signal })
    late.abort()
    expect(await texts(source)).toEqual({ 'a.md': 'two' })
  })
})

describe('closing', () => {
  it('[BY-6] every call rejects after close', async () => {
    const source = opened()
    await source.write({ put: { 'a.md': 'one' } })
    await source.close()
    await source.close()
    for (const call of [
      async () => source.watch(() => {}),
      () => source.read('a.md'),
      async () => source.list?.(),
      () => source.write({}),
      () => source.exclusively(async () => {}),
      () => source.usage(),
      () => source.persist(),
      () => source.destroy(),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'closed' })
  })

  it('[BY-6] close lets a running write complete and blocks no other tab', async () => {
    const database = newName()
    const source = indexedDbSource(database)
    let closing: Promise<void> | undefined
    const uncount = onPut(1, () => {
      closing = source.close()
    })
    await source.write({ put: { 'a.md': 'one', 'b.md': 'two' } })
    uncount()
    await closing
    expect(await texts(opened(database))).toEqual({ 'a.md': 'one', 'b.md': 'two' })
    const request = indexedDB.deleteDatabase(database)
    const blocked = new Promise((_, reject) => request.addEventListener('blocked', reject))
    await Promise.race([answer(request), blocked])
  })
})

describe('usage and destroy', () => {
  // Firefox asks its user about `persist()`, and WebKitGTK has no quota.
  it.runIf(isChromium)('[BY-6] usage counts files and bytes and reports the quota', async () => {
    const source = opened()
    await source.write({ put: { 'a.md': 'é', 'b.bin': new Uint8Array(1_000) } })
    const usage = await source.usage()
    const persisted = await navigator.storage.persisted()
    expect(usage).toEqual({
      files: 2,
      bytes: 1_002,
      quota: expect.any(Number),
      free: expect.any(Number),
      persisted,
    })
    expect(usage.free).toBeLessThan(usage.quota as number)
    expect(await source.persist()).toBe(await navigator.storage.persisted())
  })

  it('[BY-6] usage omits the quota where the browser does not report it', async () => {
    const source = opened()
    vi.stubGlobal('navigator', { locks: navigator.locks })
    expect(await source.usage()).toEqual({ files: 0, bytes: 0 })
    expect(await source.persist()).toBe(false)
    const refuse = () => Promise.reject(new TypeError('no'))
    vi.stubGlobal('navigator', {
      storage: { estimate: refuse, persisted: refuse, persist: refuse },
    })
    expect(await source.usage()).toEqual({ files: 0, bytes: 0 })
    expect(await source.persist()).toBe(false)
  })

  it('[BY-6] destroy deletes the database for all tabs, and the next write creates it again', async () => {
    const { database, source, other } = openedTwice()
    await source.write({ put: { 'a.md': 'one' } })
    expect(await text(other, 'a.md')).toBe('one')
    const changed = new Promise<void>(resolve => other.watch(resolve))
    await source.destroy()
    await changed
    expect((await indexedDB.databases()).map(({ name }) => name)).not.toContain(database)
    expect(await texts(source)).toEqual({})
    await other.write({ put: { 'b.md': 'two' } })
    expect(await texts(source)).toEqual({ 'b.md': 'two' })
  })
})
