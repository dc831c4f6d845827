import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SearchResult } from '../../src/exports/index.js'
import { defaultModel } from '../../src/library/model/default-model.js'
import { openLibrary } from '../../src/library/open-library.js'
import type { Diagnostic } from '../../src/skill/diagnostics.js'
import { createLoading, IDLE } from '../../src/ui/state/loaded.js'
import { searchRequest } from '../../src/ui/state/requests.js'
import { deferred } from '../deferred.js'

vi.mocked(defaultModel).mockReturnValue('joins')

const files = {
  'flights/SKILL.md':
    '---\nname: flights\ndescription: Finds airplane tickets.\n---\nInstructions.',
  'bread/SKILL.md':
    '---\nname: bread\ndescription: Bakes sourdough in an oven.\n---\nInstructions.',
}
/** Shares no word with any skill. */
const MESSAGE = 'book me a trip by plane'

/** The names of model files that the page fetches. */
function modelRequests() {
  const fetching = vi.spyOn(globalThis, 'fetch')
  return () => fetching.mock.calls.flatMap(([url]) => /\w+\.bin/.exec(String(url)) ?? [])
}

/** Lets files arrive only once it is called. */
function delayFiles(): () => void {
  const { fetch } = globalThis
  const { promise, resolve } = deferred()
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (...args) =>
    promise.then(() => fetch(...args)),
  )
  return resolve
}

afterEach(() => {
  vi.restoreAllMocks()
})

// The first test has to see the files missing: a loaded model is shared by all libraries of the page.
describe('the bundled model in a page', () => {
  it('[BY-1] without its files, keywords answer, and the page is told once', async () => {
    const missing = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation(async () => new Response('', { status: 404 }))
    const told: Diagnostic[] = []
    await using library = await openLibrary(files, {
      onDiagnostic: diagnostic => told.push(diagnostic),
    })
    const found = await library.match('bake a sourdough bread in the oven')
    expect(found).toMatchObject({ complete: false, matches: [{ name: 'bread' }] })
    expect(await library.ready()).toBe(false)
    expect(missing).toHaveBeenCalled()
    expect(told.map(({ code }) => code)).toEqual(['model-unavailable'])
    expect(library.snapshot.diagnostics.map(({ code }) => code)).toEqual(['model-unavailable'])
  })

  it('[BY-1] `embedder: false` fetches none of its files', async () => {
    const requests = modelRequests()
    await using library = await openLibrary(files, { embedder: false })
    expect(await library.ready()).toBe(false)
    await library.match(MESSAGE)
    expect(requests()).toEqual([])
  })

  it('[BY-24] words answer in time, and only the parts that messages need are fetched, at once', async () => {
    const arrive = delayFiles()
    const requests = modelRequests()
    await using library = await openLibrary(files, { modelTimeout: 50 })
    // Since the library opens, not since the message.
    await expect.poll(requests).toEqual(['latin.bin'])
    const found = await library.match('bake a sourdough bread in the oven')
    expect(found).toMatchObject({ complete: false, matches: [{ name: 'bread' }] })
    expect(await library.search('我想订机票')).toMatchObject({
      complete: false,
      abstained: 'no-common-word',
    })
    await expect.poll(requests).toEqual(['latin.bin', 'han.bin'])
    arrive()
    expect(await library.ready()).toBe(true)
    const whole = await library.search(MESSAGE, { limit: 1 })
    expect(whole).toMatchObject({ complete: true, matches: [{ name: 'flights' }] })
    const best = async () => (await library.search('我想订机票')).matches[0]?.name
    // A search waits for a part as long as `modelTimeout` says.
    await expect.poll(best).toBe('flights')
    // Beside them the rows of words, named by digest.
    const parts = requests().filter(file => !/^[0-9a-f]{16}\.bin$/.test(file))
    expect([...new Set(parts)]).toEqual(['latin.bin', 'han.bin'])
  })

  it('[BY-24] a message does not wait for a part that it may go without', async () => {
    const arrive = delayFiles()
    const requests = modelRequests()
    await using library = await openLibrary(files, { modelTimeout: Number.POSITIVE_INFINITY })
    await library.ready()
    expect(await library.search('비행기 표', { wait: false })).toMatchObject({ complete: false })
    expect(requests()).toEqual(['hangul.bin'])
    arrive()
    const whole = await library.search('비행기 표', { limit: 1 })
    expect(whole).toMatchObject({ complete: true, matches: [{ name: 'flights' }] })
  })

  it('[BY-24] a search box shows words, and what is complete once it is there', async () => {
    const arrive = delayFiles()
    await using library = await openLibrary(files, { modelTimeout: Number.POSITIVE_INFINITY })
    await library.ready()
    const loading = createLoading<SearchResult>(IDLE, () => {})
    loading.start(searchRequest({ message: 'забронировать самолёт' }).load(library))
    await expect.poll(() => loading.state.data?.complete).toBe(false)
    arrive()
    await expect.poll(() => loading.state.data?.complete).toBe(true)
    expect(loading.state.data?.matches[0]?.name).toBe('flights')
    loading.close()
  })
})
