import { expect, it, vi } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createHandler, warm } from '../../src/exports/server.js'
import { packFiles } from '../packed-files.js'

const FILES = {
  'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea for guests.\n---\nBoil the water.',
  'convert-photos/SKILL.md':
    '---\nname: convert-photos\ndescription: Converts photos to another format.\n---\nAsk for the format.',
}

async function answers(): Promise<string[]> {
  const { fetch } = createHandler({ library: openLibrary(memory(FILES), { embedder: false }) })
  const paths = [
    '/v1/match?message=brew+some+tea',
    '/v1/search?message=convert+my+photos',
    '/v1/library',
    '/v1/match?limit=x',
  ]
  return Promise.all(
    paths.map(async path => (await fetch(new Request(`http://localhost${path}`))).text()),
  )
}

it('[BY-16] answers are the same before and after warm', async () => {
  const before = await answers()
  expect(before[0]).toContain('"tea"')
  expect(await warm()).toBe(true)
  expect(await answers()).toEqual(before)
})

it('[BY-16] warm never rejects: a model that cannot be loaded gives false', async () => {
  const embedder = Promise.reject(new Error('no model'))
  expect(await warm({ embedder })).toBe(false)
})

it('[BY-16] a source with an unlimited timeout is read without a timer', async () => {
  const original = globalThis.setTimeout
  let timers = 0
  globalThis.setTimeout = ((...args: Parameters<typeof original>) => {
    timers++
    return original(...args)
  }) as typeof original
  try {
    const open = async (timeout: number) =>
      (await openLibrary(memory(FILES), { embedder: false, timeout })).close()
    await open(60_000)
    expect(timers).toBeGreaterThan(0)
    timers = 0
    await open(Number.POSITIVE_INFINITY)
    expect(timers).toBe(0)
  } finally {
    globalThis.setTimeout = original
  }
})

it('[BY-16] a match over HTTP and the health of a server read no entry but those of the matches', async () => {
  const library = await openLibrary(memory(await packFiles(FILES)), { embedder: false })
  const parse = vi.spyOn(JSON, 'parse')
  const { fetch } = createHandler({ library: Promise.resolve(library) })
  const entriesRead = () => parse.mock.calls.filter(([text]) => text.includes('"details"')).length
  const answer = await (
    await fetch(new Request('http://localhost/v1/match?message=brew+some+tea'))
  ).text()
  expect(answer).toContain('"tea"')
  const health = await fetch(new Request('http://localhost/v1/health'))
  expect(await health.json()).toMatchObject({ skills: 2 })
  expect(library.snapshot.total).toBe(2)
  expect(entriesRead()).toBe(1)
  expect(library.snapshot.skills.map(({ name }) => name)).toEqual(['convert-photos', 'tea'])
  expect(entriesRead()).toBe(3)
  parse.mockRestore()
})
