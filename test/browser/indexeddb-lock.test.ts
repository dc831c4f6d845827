import { describe, expect, it, vi } from 'vitest'
import type { IndexedDbSource } from '../../src/source/indexeddb/indexeddb.js'
import { readText as text } from '../read-text.js'
import { newName, opened, openedTwice, tab, worker } from './indexeddb-helpers.js'
import { addOne } from './indexeddb-realm.js'

/** Removes Web Locks, as in an insecure context. */
function withoutLocks(): void {
  vi.spyOn(navigator, 'locks', 'get').mockReturnValue(undefined as unknown as LockManager)
}

describe('exclusively', () => {
  it('[BY-6] exclusively keeps all changes of tabs and workers', async () => {
    const { database, source, other } = openedTwice()
    const [frame, thread] = [(await tab()).realm, worker()]
    const here = (one: IndexedDbSource) =>
      Promise.all(Array.from({ length: 10 }, () => addOne(one)))
    await Promise.all([
      here(source),
      here(other),
      frame.count(database, 10),
      thread.count(database, 10),
    ])
    expect(await text(source, 'count')).toBe('40')
  })

  it('[BY-6] exclusively releases the lock of a closed tab', async () => {
    const database = newName()
    const { realm, close } = await tab()
    await realm.hold(database)
    const turn = opened(database).exclusively(async () => 'mine')
    close()
    expect(await turn).toBe('mine')
  })

  for (const [how, prepare] of [
    ['with Web Locks', () => {}],
    ['without them', withoutLocks],
  ] as const) {
    it(`[BY-6] ${how}: exclusively passes on results and errors and releases the lock`, async () => {
      prepare()
      const { source, other } = openedTwice()
      const error = new TypeError('of the work')
      const failing = source.exclusively(() => Promise.reject(error))
      const next = other.exclusively(async () => 'next')
      await expect(failing).rejects.toBe(error)
      expect(await next).toBe('next')
      await Promise.all(
        Array.from({ length: 10 }, (_, index) => addOne(index % 2 ? source : other)),
      )
      expect(await text(source, 'count')).toBe('10')
    })

    it(`[BY-6] ${how}: exclusively aborts the wait but not the work`, async () => {
      prepare()
      const { source, other } = openedTwice()
      const stop = new AbortController()
      let waiting: Promise<unknown> | undefined
      const held = source.exclusively(
        async () => {
          waiting = other.exclusively(async () => 'never', { signal: stop.signal })
          stop.abort('enough')
          await expect(waiting).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
          return 'done'
        },
        { signal: stop.signal },
      )
      expect(await held).toBe('done')
      expect(await other.exclusively(async () => 'next')).toBe('next')
    })

    it(`[BY-6] ${how}: exclusively does not start work after close`, async () => {
      prepare()
      const { source, other } = openedTwice()
      let waiting: Promise<unknown> | undefined
      await source.exclusively(async () => {
        waiting = other.exclusively(async () => 'never').catch(error => error)
        await other.close()
      })
      expect(await waiting).toMatchObject({ code: 'closed' })
    })
  }
})
