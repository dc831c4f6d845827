import { describe, expect, it } from 'vitest'
import { cached, memory } from '../../src/exports/index.js'
import { sourceSuite } from '../../src/exports/testing.js'
import { indexedDbSource } from '../../src/source/indexeddb/indexeddb.js'
import type { ReadResult } from '../../src/source/source.js'
import type { Files } from '../packed-files.js'
import { openInPieces, packedOnce } from '../pieces-world.js'
import { readText as text } from '../read-text.js'
import { librarySuite } from '../suites/library-suite.js'
import { answer, newName, opened, rawOpen, texts } from './indexeddb-helpers.js'

describe('indexedDbSource', () => {
  const make = async (files: Readonly<Record<string, Uint8Array | string>>) => {
    const database = newName()
    const writer = indexedDbSource(database)
    await writer.write({ put: files as Record<string, Uint8Array<ArrayBuffer> | string> })
    await writer.close()
    return { source: indexedDbSource(database) }
  }
  for (const { name, run } of sourceSuite(make)) it(`[CARD-1] IndexedDB: ${name}`, run)

  const packed = packedOnce()
  const pieces = async (skills: Files) => {
    const copy = opened()
    return openInPieces(cached(memory(await packed(skills)), copy))
  }
  for (const { name, run } of librarySuite(pieces))
    it(`[BY-33] IndexedDB, a copy of a library in pieces: ${name}`, run)

  it('[CARD-1] source takes the name of the database or of the options', () => {
    expect(indexedDbSource('my-skills').name).toBe('my-skills')
    expect(indexedDbSource('my-skills', { name: 'mine' }).name).toBe('mine')
  })
})

describe('reading', () => {
  it('[BY-6] list and conditional reads do not read content', async () => {
    const database = newName()
    const source = opened(database)
    await source.write({ put: { 'a.md': 'one', 'b.md': 'two' } })
    const { version } = (await source.read('a.md')) as ReadResult
    const raw = await rawOpen(database)
    await answer(raw.transaction('bytes', 'readwrite').objectStore('bytes').clear())
    expect(await source.list?.()).toEqual([
      { path: 'a.md', size: 3, version },
      { path: 'b.md', size: 3, version: expect.any(String) },
    ])
    expect(await source.read('a.md', { ifVersion: version as string })).toBe('unchanged')
    expect(await source.usage()).toMatchObject({ files: 2, bytes: 6 })
  })

  it('[BY-6] write stores only the viewed part of a buffer', async () => {
    const database = newName()
    const source = opened(database)
    await source.write({ put: { 'part.bin': new Uint8Array(1_000_000).subarray(10, 12) } })
    const raw = await rawOpen(database)
    const kept = await answer(raw.transaction('bytes').objectStore('bytes').get('part.bin'))
    expect((kept as ArrayBuffer).byteLength).toBe(2)
  })
})

describe('writing', () => {
  it('[BY-6] write adds, replaces and removes files, and versions follow the content', async () => {
    const source = opened()
    await source.write({ put: { 'a.md': 'one', './b//c.md': 'two' } })
    const { version } = (await source.read('a.md')) as ReadResult
    await source.write({
      put: { 'a.md': 'uno', 'd.bin': new Uint8Array([0]) },
      remove: ['b/c.md', 'nothing.md'],
    })
    expect(await texts(source)).toEqual({ 'a.md': 'uno', 'd.bin': '\0' })
    expect(await source.read('a.md', { ifVersion: version as string })).toMatchObject({
      version: expect.any(String),
    })
    await source.write({ put: { 'a.md': 'one' }, remove: ['a.md'] })
    expect(await source.read('a.md', { ifVersion: version as string })).toBe('unchanged')
  })

  it('[BY-6] write stores the bytes at the time of the call', async () => {
    const source = opened()
    const bytes = new TextEncoder().encode('as it was')
    const writing = source.write({ put: { 'a.md': bytes } })
    bytes.fill(0)
    await writing
    expect(await text(source, 'a.md')).toBe('as it was')
  })

  it('[BY-6] write rejects with a conflict if the version differs', async () => {
    const source = opened()
    const put = (content: string) => ({ put: { 'skillshelf.json': content, [content]: '' } })
    await source.write(put('1'), { ifVersion: null })
    const { version } = (await source.read('skillshelf.json')) as ReadResult
    const ifVersion = version as string
    const conflict = { code: 'conflict', details: { subject: 'skillshelf.json' } }
    await expect(source.write(put('never'), { ifVersion: null })).rejects.toMatchObject(conflict)
    await source.write(put('2'), { ifVersion })
    await expect(source.write(put('never'), { ifVersion })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await texts(source)).toEqual({ '1': '', '2': '', 'skillshelf.json': '2' })
  })

  it('[BY-6] one of many conditional writes succeeds', async () => {
    const database = newName()
    const sources = Array.from({ length: 8 }, () => opened(database))
    const write = (source: (typeof sources)[0], index: number) =>
      source.write({ put: { 'skillshelf.json': `${index}` } }, { ifVersion: null })
    const writes = await Promise.allSettled(sources.map(write))
    const winners = writes.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []))
    expect(winners).toHaveLength(1)
    expect(await text(opened(database), 'skillshelf.json')).toBe(`${winners[0]}`)
  })

  it('[BY-6] write rejects paths that leave the root and changes nothing', async () => {
    const source = opened()
    await source.write({ put: { 'a.md': 'old', 'b.md': 'old' } })
    for (const changes of [
      { put: { 'a.md': 'new', '../c.md': 'new' }, remove: ['b.md'] },
      { put: { 'a.md': 'new' }, remove: ['%2e%2e/b.md'] },
    ])
      await expect(source.write(changes)).rejects.toMatchObject({ code: 'invalid-path' })
    expect(await texts(source)).toEqual({ 'a.md': 'old', 'b.md': 'old' })
  })
})
