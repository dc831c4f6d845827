import { describe, expect, it } from 'vitest'
import type { SkillSource } from '../../src/source/types.js'
import type { Order } from './indexeddb-killed.worker.js'
import { atEnd, newName, opened } from './indexeddb-world.js'

const LARGE = 600_000
const FILES = 24

const full = (size: number, value: number) => new Uint8Array(size).fill(value)
const named = (from: number, to: number, size: number, value: number) =>
  Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`${from + index}.bin`, full(size, value)]))

/** 0 to 7 are replaced, 8 and 9 removed, the others added: 13 MB. */
const OLD = { 'skillshelf.json': full(10, 1), ...named(0, 10, LARGE / 10, 1) }
const CHANGES = {
  put: { ...named(0, 8, LARGE, 2), ...named(10, FILES, LARGE, 2), 'skillshelf.json': full(10, 2) },
  remove: ['8.bin', '9.bin'],
}
/** Two for each file: what a listing says, and the bytes. */
const PUTS = 2 * Object.keys(CHANGES.put).length

const outline = (files: Readonly<Record<string, Uint8Array>>) =>
  Object.entries(files)
    .map(([path, bytes]) => `${path} ${bytes.length} of ${bytes.every(byte => byte === bytes[0]) ? bytes[0] : 'both'}`)
    .sort()

/** What is listed, and what is read: it must be the same. */
async function held(source: SkillSource): Promise<string[]> {
  const files: Record<string, Uint8Array> = {}
  for (const { path, size, version } of (await source.list?.()) ?? []) {
    const found = await source.read(path)
    if (typeof found !== 'object') throw new Error(`${path} is listed, and is ${found}`)
    expect([found.bytes.length, found.version]).toEqual([size, version])
    files[path] = found.bytes
  }
  return outline(files)
}

/** Has a worker write, and kills it when it says that the moment has come. */
async function killed(moment: Pick<Order, 'put' | 'hold'>): Promise<'old' | 'new' | string[]> {
  const database = newName()
  await opened(database).write({ put: OLD })
  const worker = new Worker(new URL('./indexeddb-killed.worker.ts', import.meta.url), { type: 'module' })
  atEnd(() => worker.terminate())
  const now = new Promise((resolve, reject) => {
    worker.onmessage = resolve
    worker.onerror = reject
  })
  worker.postMessage({ database, changes: CHANGES, ...moment } satisfies Order)
  await now
  worker.terminate()
  const after = (await held(opened(database))).join('\n')
  if (after === outline(OLD).join('\n')) return 'old'
  return after === outline(CHANGES.put).join('\n') ? 'new' : after.split('\n')
}

describe('a writer that is killed', () => {
  for (const put of [1, PUTS / 2, PUTS])
    it(`[BY-6] after put ${put} of ${PUTS}, before the end: all is as it was`, async () => {
      expect(await killed({ put, hold: true })).toBe('old')
    })

  for (const put of [1, PUTS / 2, PUTS])
    for (const run of [1, 2, 3])
      it(`[BY-6] going on after put ${put} of ${PUTS}: the old or the new, ${run}`, async () => {
        expect(['old', 'new']).toContainEqual(await killed({ put }))
      })

  it('[BY-6] when it was told that all is written: the new', async () => {
    expect(await killed({})).toBe('new')
  })
})
