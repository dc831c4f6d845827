import { proxy } from 'comlink'
import { describe, expect, it, vi } from 'vitest'
import { readText as text } from '../read-text.js'
import { atEnd, newName, opened, openedTwice, tab, worker } from './indexeddb-helpers.js'
import { onPut } from './indexeddb-puts.js'

/** Counts the calls of a watcher and waits for a number of them. */
function heard() {
  let calls = 0
  let waiting: (() => void)[] = []
  return {
    call() {
      calls++
      for (const look of waiting) look()
    },
    get calls() {
      return calls
    },
    times: (wanted: number) =>
      new Promise<void>(resolve => {
        const look = (): void => {
          if (calls >= wanted) resolve()
        }
        waiting = [...waiting, look]
        look()
      }),
  }
}

/** Counts the messages about a database until a marker message. */
function tapped(database: string): () => Promise<number> {
  const tap = new BroadcastChannel(`skillshelf ${database}`)
  const marker = new BroadcastChannel(`skillshelf ${database}`)
  atEnd(() => [tap, marker].map(channel => channel.close()))
  let messages = 0
  const marked = new Promise<void>(resolve => {
    tap.onmessage = ({ data }) => (data === 'mark' ? resolve() : messages++)
  })
  return async () => {
    marker.postMessage('mark')
    await marked
    return messages
  }
}

describe('change notifications', () => {
  it('[BY-6] watch reports writes of this source, other sources, tabs and workers', async () => {
    const { database, source, other } = openedTwice()
    const [frame, thread] = [(await tab()).realm, worker()]
    const [here, there, inTab, inThread] = [heard(), heard(), heard(), heard()]
    const ears = [here, there, inTab, inThread]
    source.watch(here.call)
    other.watch(there.call)
    await frame.watch(database, proxy(inTab.call))
    await thread.watch(database, proxy(inThread.call))
    const writers = [
      () => source.write({ put: { 'a.md': 'source' } }),
      () => other.write({ put: { 'a.md': 'other' } }),
      () => frame.write(database, { put: { 'a.md': 'frame' } }),
      () => thread.write(database, { put: { 'a.md': 'thread' } }),
    ]
    for (const [index, write] of writers.entries()) {
      await write()
      await Promise.all(ears.map(ear => ear.times(index + 1)))
    }
    expect(ears.map(({ calls }) => calls)).toEqual([4, 4, 4, 4])
    expect(await text(source, 'a.md')).toBe('thread')
    expect(await frame.read(database, 'a.md')).toBe('thread')
  })

  it('[BY-6] watch reports only successful writes', async () => {
    const database = newName()
    const source = opened(database)
    const count = tapped(database)
    const ear = heard()
    source.watch(ear.call)
    const failing = [
      source.write({ put: { 'a.md': '' } }, { ifVersion: 'another' }),
      source.write({ put: { '../a.md': '' } }),
      source.write({ put: { 'a.md': '' } }, { signal: AbortSignal.abort() }),
    ]
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(
      failing.map(() => 'rejected'),
    )
    expect(ear.calls).toBe(0)
    await source.write({ put: { 'a.md': '' } })
    expect(ear.calls).toBe(1)
    expect(await count()).toBe(1)
  })

  it('[BY-6] watch calls remaining subscribers although one throws', async () => {
    const source = opened()
    const [first, second] = [heard(), heard()]
    const error = new Promise<ErrorEvent>(resolve => {
      const catchIt = (event: ErrorEvent): void => {
        event.preventDefault()
        event.stopImmediatePropagation()
        resolve(event)
      }
      addEventListener('error', catchIt, { capture: true, once: true })
    })
    const stop = source.watch(first.call)
    source.watch(() => {
      throw new Error('of the watcher')
    })
    source.watch(second.call)
    await source.write({ put: { 'a.md': 'one' } })
    expect((await error).message).toContain('of the watcher')
    expect([first.calls, second.calls]).toEqual([1, 1])
    await source.close()
    stop()
  })

  it('[BY-6] watch does not call a removed subscriber', async () => {
    const source = opened()
    const [first, second] = [heard(), heard()]
    const stop = source.watch(first.call)
    source.watch(second.call)
    stop()
    await source.write({ put: { 'a.md': 'one' } })
    expect([first.calls, second.calls]).toEqual([0, 1])
  })

  it('[BY-6] watch reports a write that completes after close', async () => {
    const { source, other } = openedTwice()
    const ear = heard()
    other.watch(ear.call)
    const uncount = onPut(1, () => void source.close())
    await source.write({ put: { 'a.md': 'one' } })
    uncount()
    await ear.times(1)
    expect(await text(other, 'a.md')).toBe('one')
  })

  it('[BY-6] watch covers only this source without BroadcastChannel', async () => {
    vi.stubGlobal('BroadcastChannel', undefined)
    const source = opened()
    const ear = heard()
    const stop = source.watch(ear.call)
    await source.write({ put: { 'a.md': 'one' } })
    expect(ear.calls).toBe(1)
    stop()
    await source.write({ put: { 'a.md': 'two' } })
    expect(ear.calls).toBe(1)
    expect(await text(source, 'a.md')).toBe('two')
  })
})
