import { describe, expect, it, vi } from 'vitest'
import {
  cached,
  type LocalLibrary,
  memory,
  openLibrary,
  type SkillSource,
} from '../../src/exports/index.js'
import { fakeTimers } from '../fake-timers.js'
import { packedFiles } from '../packed-files.js'
import { skill } from '../skill-file.js'

const OPTIONS = { embedder: false, onDiagnostic: () => undefined } as const
const never = (): Promise<never> => new Promise(() => undefined)

const site = async () => {
  const files = { 'tea/SKILL.md': skill('tea', 'Brews tea.'), 'tea/pot.txt': 'a pot' }
  return memory(await packedFiles(memory(files)), { name: 'site' })
}

/** A source whose reads never end while it hangs. */
function hanging(held: SkillSource, hangs: (path: string) => boolean = () => true) {
  const state = { isHanging: true }
  const source: SkillSource = {
    name: held.name,
    read: (path, options) => (state.isHanging && hangs(path) ? never() : held.read(path, options)),
  }
  return Object.assign(state, { source })
}

/** A store whose writes never end while it hangs. */
function hangingWrites(state: { hangs: boolean }) {
  const kept = memory({}, { name: 'store' })
  const store: typeof kept = {
    ...kept,
    write: (changes, options) => (state.hangs ? never() : kept.write(changes, options)),
  }
  return { state, store }
}

/** Waits for work by a clock that passes only while nothing else is left to do. Returns the milliseconds, or the error. */
async function untilEnd<T>(work: Promise<T>): Promise<{ result: T | unknown; passed: number }> {
  const { setImmediate } = globalThis
  const start = Date.now()
  let ended: { result: T | unknown } | undefined
  work.then(
    result => {
      ended = { result }
    },
    error => {
      ended = { result: error }
    },
  )
  while (!ended) {
    await new Promise<void>(resolve => setImmediate(resolve))
    if (!ended && vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync()
  }
  return { ...ended, passed: Date.now() - start }
}

describe('[BY-41] an offline copy gives up what does not answer', () => {
  const clock = () => fakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })

  it('its source, after 60 seconds, and shows what was copied', async () => {
    const world = hanging(await site())
    world.isHanging = false
    await using library = await openLibrary(cached(world.source, memory()), OPTIONS)
    world.isHanging = true
    clock()
    const { passed } = await untilEnd(library.refresh())
    expect(passed).toBe(60_000)
    expect(library.snapshot.skills.map(({ name }) => name)).toEqual(['tea'])
    expect(library.snapshot.diagnostics).toMatchObject([
      { code: 'source-unreadable', message: expect.stringContaining('within 60000 ms') },
    ])
    world.isHanging = false
    await untilEnd(library.refresh())
    expect(library.snapshot.diagnostics).toEqual([])
  })

  it('its source after the milliseconds that this sets', async () => {
    const { source } = hanging(await site())
    clock()
    const copy = cached({ ...source, timeout: 5_000 }, memory())
    const { passed } = await untilEnd(openLibrary(copy, OPTIONS))
    expect(passed).toBe(5_000)
  })

  it('one file, which the next call reads', async () => {
    const world = hanging(await site(), path => path.endsWith('.txt'))
    await using library = await openLibrary(cached(world.source, memory()), OPTIONS)
    clock()
    const { result, passed } = await untilEnd(library.read('tea', 'pot.txt'))
    expect(result).toMatchObject({ code: 'source-failed' })
    expect(passed).toBe(60_000)
    world.isHanging = false
    expect((await library.read('tea', 'pot.txt')).text).toBe('a pot')
  })

  it('its store, and reads the source', async () => {
    clock()
    const { source } = hanging(memory({}, { name: 'store' }))
    const store = { ...memory({}, { name: 'store' }), read: source.read }
    const { result, passed } = await untilEnd(openLibrary(cached(await site(), store), OPTIONS))
    expect(passed).toBe(60_000)
    expect((result as Awaited<ReturnType<typeof openLibrary>>).snapshot).toMatchObject({
      total: 1,
      diagnostics: [{ code: 'copy-not-stored' }],
    })
  })
  it('writes to its store, and keeps the copy in memory', async () => {
    clock()
    const { store, state } = hangingWrites({ hangs: true })
    const opened = await untilEnd(openLibrary(cached(await site(), store), OPTIONS))
    expect(opened.passed).toBe(60_000)
    await using library = opened.result as LocalLibrary
    expect(library.snapshot).toMatchObject({
      total: 1,
      diagnostics: [{ code: 'copy-not-stored', message: expect.stringContaining('60000 ms') }],
    })
    expect((await library.read('tea', 'pot.txt')).text).toBe('a pot')
    await library.refresh()
    state.hangs = false
    await using next = await openLibrary(cached(await site(), store), OPTIONS)
    expect(next.snapshot.diagnostics).toEqual([])
  })

  it('a file that its store does not take, once', async () => {
    clock()
    const { store, state } = hangingWrites({ hangs: false })
    await using library = await openLibrary(cached(await site(), store), OPTIONS)
    await library.refresh()
    state.hangs = true
    const { result, passed } = await untilEnd(library.read('tea', 'pot.txt'))
    expect([(result as { text: string }).text, passed]).toEqual(['a pot', 60_000])
    const again = await untilEnd(library.read('tea', 'pot.txt'))
    expect([(again.result as { text: string }).text, again.passed]).toEqual(['a pot', 0])
  })
})
