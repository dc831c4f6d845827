import { afterEach, describe, expect, it, vi } from 'vitest'
import { hasDefaultModel } from '../../src/library/default-model.js'
import { openLibrary } from '../../src/library/library.js'
import type { Diagnostic } from '../../src/skill/diagnostics.js'

vi.mocked(hasDefaultModel).mockReturnValue(true)

const files = {
  'flights/SKILL.md': '---\nname: flights\ndescription: Finds airplane tickets.\n---\nInstructions.',
  'bread/SKILL.md': '---\nname: bread\ndescription: Bakes sourdough in an oven.\n---\nInstructions.',
}
/** Shares no word with any skill. */
const MESSAGE = 'book me a trip by plane'

/** The addresses of model files that the page fetches. */
function modelRequests() {
  const fetching = vi.spyOn(globalThis, 'fetch')
  return () => fetching.mock.calls.map(([url]) => String(url)).filter(url => /\.bin/.test(url))
}

afterEach(() => {
  vi.restoreAllMocks()
})

// The first test has to see the files missing: a loaded model is shared by all libraries of the page.
describe('the bundled model in a page', () => {
  it('[BY-1] without its files, keywords answer, and the page is told once', async () => {
    const missing = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('', { status: 404 }))
    const told: Diagnostic[] = []
    await using library = await openLibrary(files, { onDiagnostic: diagnostic => told.push(diagnostic) })
    expect(await library.ready()).toBe(false)
    expect((await library.match('sourdough')).matches[0]?.name).toBe('bread')
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

  it('[BY-1] keywords answer at once, then meaning, and only the part that is needed is fetched', async () => {
    const requests = modelRequests()
    await using library = await openLibrary(files)
    expect((await library.search(MESSAGE)).model).toBe('lexical/1')
    expect(await library.ready()).toBe(true)
    expect((await library.search(MESSAGE)).matches[0]?.name).toBe('flights')
    expect(requests().map(url => /\w+\.bin/.exec(url)?.[0])).toEqual(['latin.bin'])
  })
})
