import { describe, expect, it, vi } from 'vitest'
import { hasDefaultModel } from '../../src/library/default-model.js'
import { openLibrary } from '../../src/library/library.js'
import type { LibraryOptions } from '../../src/library/options.js'
import { packToMemory } from '../../src/library/store/pack/packed-library.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { memory } from '../../src/source/memory.js'

vi.mocked(hasDefaultModel).mockReturnValue(true)

const skill = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\nInstructions.`
const files = {
  'flights/SKILL.md': skill('flights', 'Finds airplane tickets.'),
  'bread/SKILL.md': skill('bread', 'Bakes sourdough in an oven.'),
}
/** Shares no word with any skill. */
const MESSAGE = 'book me a trip by plane'
const open = (options: LibraryOptions = {}) => openLibrary(files, options)
const first = async (library: Awaited<ReturnType<typeof open>>) =>
  (await library.search(MESSAGE)).matches.map(({ name }) => name)[0]

describe('the bundled model joins by itself', () => {
  it('[BY-1] keywords answer at once, then meaning', async () => {
    await using library = await open()
    expect((await library.search(MESSAGE)).model).toBe('lexical/1')
    const before = library.snapshot
    expect(await library.ready()).toBe(true)
    expect(await first(library)).toBe('flights')
    expect((await library.search(MESSAGE)).model).toMatch(/^hybrid\/1 /)
    expect(library.snapshot.revision).toBe(before.revision)
  })

  it('[BY-1] finds by meaning as if the model had been passed', async () => {
    await using late = await open()
    await late.ready()
    await using passed = await open({ embedder: bundled() })
    expect(await passed.ready()).toBe(true)
    expect(await late.search(MESSAGE)).toEqual(await passed.search(MESSAGE))
  })

  it('[BY-1] a packed library uses its vectors', async () => {
    const packed = await packToMemory(memory(files), { embedder: await bundled() })
    await using library = await openLibrary(memory(Object.fromEntries(packed.files)))
    expect(await library.ready()).toBe(true)
    expect(await first(library)).toBe('flights')
  })

  it('[BY-1] skills that are installed later are found by meaning too', async () => {
    const source = memory({ 'bread/SKILL.md': files['bread/SKILL.md'] })
    await using library = await openLibrary(source)
    await library.ready()
    await source.write({ put: { 'flights/SKILL.md': files['flights/SKILL.md'] } })
    await library.refresh()
    expect(await first(library)).toBe('flights')
  })

  it('[BY-1] skills that are added before the model joins are found by meaning too', async () => {
    const source = memory({ 'bread/SKILL.md': files['bread/SKILL.md'] })
    await using library = await openLibrary(source)
    await source.write({ put: { 'flights/SKILL.md': files['flights/SKILL.md'] } })
    await library.refresh()
    expect(await library.ready()).toBe(true)
    expect(await first(library)).toBe('flights')
  })

  it('[BY-1] a library that opens empty gets the model with its first skill', async () => {
    const source = memory({})
    await using library = await openLibrary(source)
    expect(await library.ready()).toBe(false)
    await source.write({ put: { 'flights/SKILL.md': files['flights/SKILL.md'] } })
    await library.refresh()
    expect(await library.ready()).toBe(true)
    expect(await first(library)).toBe('flights')
  })

  it('[BY-1] reads no source again', async () => {
    const source = memory(files)
    const read = vi.fn(source.read)
    await using library = await openLibrary({ ...source, read })
    const { snapshot } = library
    const reads = read.mock.calls.length
    expect(await library.ready()).toBe(true)
    expect(read).toHaveBeenCalledTimes(reads)
    expect(library.snapshot).toBe(snapshot)
  })

  it('[BY-1] does not join a library that is packed without vectors', async () => {
    const packed = await packToMemory(memory(files), {})
    await using library = await openLibrary(memory(Object.fromEntries(packed.files)))
    expect(await library.ready()).toBe(false)
    expect(library.snapshot.diagnostics).toEqual([])
  })

  it('[BY-13] a message in another language is found by meaning', async () => {
    await using library = await open()
    await library.ready()
    expect((await library.search('我想订机票')).matches[0]?.name).toBe('flights')
  })

  it('[BY-14] learned messages are compared by meaning once it has joined', async () => {
    const store = { load: async () => undefined, save: async () => undefined }
    await using library = await open({ learn: store })
    await library.learn('weather forecast', 'bread')
    await library.search('predicting the weather')
    expect(await library.ready()).toBe(true)
    expect((await library.search('predicting the weather')).matches[0]).toMatchObject({
      name: 'bread',
      signals: { learned: { message: 'weather forecast', exact: false } },
    })
  })

  it('[BY-1] `embedder: false` loads nothing', async () => {
    await using library = await open({ embedder: false })
    expect(await library.ready()).toBe(false)
    expect((await library.search(MESSAGE)).model).toBe('lexical/1')
  })

  it.each([{ stages: 'keyword' }, { stages: 'hybrid', embedder: false }] as const)(
    '[BY-1] does not join with %j',
    async options => {
      await using library = await open(options)
      expect(await library.ready()).toBe(false)
    },
  )

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
    await expect(library.ready({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
  })
})
