import { describe, expect, it } from 'vitest'
import type { SkillSource } from '../../src/source/source.js'
import { atEnd, newName, opened } from './indexeddb-helpers.js'
import type { Order } from './indexeddb-killed.worker.js'

const LARGE = 600_000
const FILES = 24

const full = (size: number, value: number) => new Uint8Array(size).fill(value)
const named = (from: number, to: number, size: number, value: number) =>
  Object.fromEntries(
    Array.from({ length: to - from }, (_, index) => [`${from + index}.bin`, full(size, value)]),
  )

/** Replaces 0 to 7, removes 8 and 9, adds the others: 13 MB. */
const OLD = { 'skillshelf.json': full(10, 1), ...named(0, 10, LARGE / 10, 1) }
const CHANGES = {
  put: { ...named(0, 8, LARGE, 2), ...named(10, FILES, LARGE, 2), 'skillshelf.json': full(10, 2) },
  remove: ['8.bin', '9.bin'],
}
/** Two per file: the listed fields and the bytes. */
const PUTS = 2 * Object.keys(CHANGES.put).length

const outline = (files: Readonly<Record<string, Uint8Array>>) =>
  Object.entries(files)
    .map(
      ([path, bytes]) =>
        `${path} ${bytes.length} of ${bytes.every(byte => byte === bytes[0]) ? bytes[0] : 'both'}`,
    )
    .sort()

/** The listing and the content, which must agree. */
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

/** Lets a worker write, and terminates it at the given moment. */
async function killed(moment: Pick<Order, 'put' | 'hold'>): Promise<'old' | 'new' | string[]> {
  const database = newName()
  await opened(database).write({ put: OLD })
  const worker = new Worker(new URL('./indexeddb-killed.worker.ts', import.meta.url), {
    type: 'module',
  })
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

describe('terminated writer', () => {
  for (const put of [1, PUTS / 2, PUTS])
    it(`[BY-6] nothing changes when a worker is terminated after put ${put} of ${PUTS} before the commit`, async () => {
      expect(await killed({ put, hold: true })).toBe('old')
    })

  for (const put of [1, PUTS / 2, PUTS]) {
    for (const run of [1, 2, 3])
      it(`[BY-6] all or nothing changes when a worker is terminated after put ${put} of ${PUTS}, run ${run}`, async () => {
        expect(['old', 'new']).toContainEqual(await killed({ put }))
      })
  }

  it('[BY-6] everything has changed when a worker is terminated after its write resolved', async () => {
    expect(await killed({})).toBe('new')
  })
})
