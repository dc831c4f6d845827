import { describe, expect, it, vi } from 'vitest'
import type { LibraryOptions } from '../../src/library/api/options.js'
import type { LibraryInput } from '../../src/library/indexing/input.js'
import { defaultModel } from '../../src/library/model/default-model.js'
import { openLibrary } from '../../src/library/open-library.js'
import { packToMemory } from '../../src/library/store/pack/memory-pack.js'
import { localMatcher } from '../../src/search/match/hybrid.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { memory } from '../../src/source/memory.js'
import { skill } from '../skill-file.js'

vi.mocked(defaultModel).mockReturnValue('joins')

const files = {
  'flights/SKILL.md': skill('flights', 'Finds airplane tickets.'),
  'bread/SKILL.md': skill('bread', 'Bakes sourdough in an oven.'),
}
/** Shares no word with any skill. */
const MESSAGE = 'book me a trip by plane'
/** Waits as long as it takes, so that results do not depend on the load of the machine. */
const openFrom = (input: LibraryInput, options: LibraryOptions = {}) =>
  openLibrary(input, { modelTimeout: Number.POSITIVE_INFINITY, ...options })
const open = (options: LibraryOptions = {}) => openFrom(files, options)
const first = async (library: Awaited<ReturnType<typeof open>>) =>
  (await library.search(MESSAGE)).matches.map(({ name }) => name)[0]

describe('the bundled model joins by itself', () => {
  it('[BY-24] the first message waits for it, unless it shall not', async () => {
    await using library = await open()
    const { revision } = library.snapshot
    const [words, complete] = await Promise.all([
      library.search(MESSAGE, { wait: false }),
      library.search(MESSAGE),
    ])
    expect(words).toMatchObject({ model: 'lexical/1', complete: false, revision })
    expect(complete).toMatchObject({
      model: expect.stringMatching(/^hybrid\/1 /),
      complete: true,
      revision,
    })
    expect(complete.matches[0]?.name).toBe('flights')
    expect(await library.search(MESSAGE, { wait: false })).toEqual(complete)
  })

  const MESSAGES = [
    MESSAGE,
    '我想订机票',
    '飛行機を予約して',
    'quiero reservar un vuelo para mañana',
    '비행기 표를 예약해 줘',
  ]
  it.each(MESSAGES)(
    '[BY-24] the first answer to %s is that of a model that was passed with all parts',
    async message => {
      await using passed = await open({ embedder: bundled({ parts: 'all' }) })
      const expected = await passed.search(message)
      expect([expected.complete, expected.matches[0]?.name]).toEqual([true, 'flights'])
      await using match = await open()
      expect(await match.match(message)).toEqual(await passed.match(message))
      await using search = await open()
      expect(await search.search(message)).toEqual(expected)
      await using explain = await open()
      expect(await explain.explain(message, 'flights')).toEqual(
        await passed.explain(message, 'flights'),
      )
    },
  )

  it('[BY-24] words answer when the time is up, until the model is there', async () => {
    await using library = await open({ modelTimeout: 0 })
    const found = await library.match('bake a sourdough bread in the oven')
    expect(found).toMatchObject({ complete: false, matches: [{ name: 'bread' }] })
    const explained = await library.explain('bake a sourdough bread in the oven', 'bread')
    expect(explained).toMatchObject({ matched: true, rank: 1 })
    expect(await library.ready()).toBe(true)
    expect((await library.search(MESSAGE)).complete).toBe(true)
  })

  it('[BY-24] the signal of a call ends its waiting', async () => {
    await using library = await open()
    const controller = new AbortController()
    const aborted = library.match(MESSAGE, { signal: controller.signal })
    const other = library.match(MESSAGE)
    controller.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    expect((await other).complete).toBe(true)
  })

  it('[BY-24] a library without a model is complete', async () => {
    const packed = await packToMemory(memory(files), {})
    for (const library of [
      await open({ embedder: false }),
      await open({ stages: 'keyword' }),
      await open({ matcher: localMatcher() }),
      await openFrom(memory(Object.fromEntries(packed.files))),
      await openFrom(memory({})),
    ]) {
      expect(await library.match('bake a sourdough bread in the oven')).toMatchObject({
        complete: true,
      })
      await library.close()
    }
  })

  it('[BY-24] a library whose model cannot be loaded is not complete', async () => {
    const onDiagnostic = vi.fn()
    await using library = await open({
      embedder: Promise.reject(new Error('no file')),
      onDiagnostic,
    })
    const found = await library.match('bake a sourdough bread in the oven')
    expect(found).toMatchObject({ complete: false, matches: [{ name: 'bread' }] })
    expect(onDiagnostic).toHaveBeenCalledOnce()
  })

  it('[BY-24] refuses a time that is none', () =>
    expect(open({ modelTimeout: -1 })).rejects.toMatchObject({ code: 'invalid-input' }))

  it('[BY-1] a packed library uses its vectors', async () => {
    const packed = await packToMemory(memory(files), { embedder: await bundled() })
    await using library = await openFrom(memory(Object.fromEntries(packed.files)))
    expect(await first(library)).toBe('flights')
    expect(await library.ready()).toBe(true)
  })

  it.each([
    ['that are installed later', 'bake a sourdough bread in the oven'],
    ['that are added before the model joins', undefined],
  ])('[BY-1] skills %s are found by meaning too', async (_, message) => {
    const source = memory({ 'bread/SKILL.md': files['bread/SKILL.md'] })
    await using library = await openFrom(source)
    if (message) await library.match(message)
    await source.write({ put: { 'flights/SKILL.md': files['flights/SKILL.md'] } })
    await library.refresh()
    expect(await first(library)).toBe('flights')
  })

  it('[BY-1] a library that opens empty gets the model with its first skill', async () => {
    const source = memory({})
    await using library = await openFrom(source)
    expect(await library.ready()).toBe(false)
    await source.write({ put: { 'flights/SKILL.md': files['flights/SKILL.md'] } })
    await library.refresh()
    expect(await first(library)).toBe('flights')
    expect(await library.ready()).toBe(true)
  })

  it('[BY-1] reads no source again', async () => {
    const source = memory(files)
    const read = vi.fn(source.read)
    await using library = await openFrom({ ...source, read })
    const { snapshot } = library
    const reads = read.mock.calls.length
    expect(await library.ready()).toBe(true)
    expect(read).toHaveBeenCalledTimes(reads)
    expect(library.snapshot).toBe(snapshot)
  })

  it('[BY-1] does not join a library that is packed without vectors', async () => {
    const packed = await packToMemory(memory(files), {})
    await using library = await openFrom(memory(Object.fromEntries(packed.files)))
    expect(await library.ready()).toBe(false)
    expect(library.snapshot.diagnostics).toEqual([])
  })

  it('[BY-14] learned messages are compared by meaning once it has joined', async () => {
    const store = { load: async () => undefined, save: async () => undefined }
    await using library = await open({ learn: store })
    await library.learn('weather forecast', 'bread')
    await library.search('predicting the weather', { wait: false })
    expect((await library.search('predicting the weather')).matches[0]).toMatchObject({
      name: 'bread',
      signals: { learned: { message: 'weather forecast', exact: false } },
    })
  })

  it.each([
    [{ embedder: false }, 'lexical/1'],
    [{ stages: 'hybrid', embedder: false }, 'lexical/1'],
    [{ stages: 'keyword' }, 'keyword/1'],
  ] as const)('[BY-1] does not join with %j', async (options, model) => {
    await using library = await open(options)
    expect(await library.ready()).toBe(false)
    expect((await library.search(MESSAGE)).model).toBe(model)
  })

  it('[BY-1] closing the library while the model loads is clean', async () => {
    const onDiagnostic = vi.fn()
    const library = await open({ onDiagnostic })
    const ready = library.ready()
    await library.close()
    expect(await ready).toBe(false)
    expect(onDiagnostic).not.toHaveBeenCalled()
  })

  it('[BY-1] `ready` stops waiting when its signal is aborted', async () => {
    await using library = await open()
    await expect(library.ready({ signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'aborted',
    })
  })
})
