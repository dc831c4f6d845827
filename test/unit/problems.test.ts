import { expect, it, onTestFinished, vi } from 'vitest'
import type { LibraryInput } from '../../src/library/indexing/input.js'
import type { Diagnostic } from '../../src/skill/diagnostics.js'
import { http } from '../../src/source/http/http.js'
import { memory } from '../../src/source/memory.js'
import { packedFiles } from '../packed-files.js'

// An empty library is reported once in a process, and another file of tests may have opened one.
vi.resetModules()
const { openLibrary } = await import('../../src/library/open-library.js')

const SKILL = '---\nname: greet\ndescription: Greets people.\n---\nSay hello.'
const DISABLED = SKILL.replace('name:', 'enabled: false\nname:')

function spyOnWarn() {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  onTestFinished(() => warn.mockRestore())
  return warn
}

const notFound = (address: string) =>
  http(address, { fetch: async () => new Response('', { status: 404 }) })

it('[CARD-1] openLibrary warns once of an address where nothing is found, with what was requested and a fix', async () => {
  const warn = spyOnWarn()
  await using library = await openLibrary(notFound('https://example.com/nope/'))
  await library.refresh()
  await using _second = await openLibrary(notFound('https://example.com/nope/'))
  expect(warn.mock.calls).toEqual([
    [
      expect.stringMatching(
        /^skillshelf: .*skillshelf\.json.*example\.com\/nope\/.*npx skillshelf pack/,
      ),
    ],
  ])
})

it.each<[string, () => LibraryInput | Promise<LibraryInput>, RegExp]>([
  [
    'a glob pattern that matches no file',
    () => ({}),
    /^skillshelf: No skill found in .*glob pattern/,
  ],
  [
    'files without a skill',
    () => ({
      name: 'notes',
      read: async () => undefined,
      list: async () => [{ path: 'README.md' }],
    }),
    /^skillshelf: No skill found in notes .*SKILL\.md/,
  ],
  ['disabled skills only', () => ({ 'a/SKILL.md': DISABLED }), /No skill found.*is disabled/],
  [
    'an empty packed library',
    async () => ({
      name: 'none',
      read: memory(await packedFiles(memory({}, { name: 'none' }))).read,
    }),
    /^skillshelf: No skill found in none/,
  ],
])('[CARD-1] openLibrary warns of %s', async (_, input, expected) => {
  const warn = spyOnWarn()
  await openLibrary(await input())
  expect(warn.mock.calls).toEqual([[expect.stringMatching(expected)]])
})

it('[CARD-1] openLibrary warns of a layer and of a model that cannot be loaded, in one message', async () => {
  const warn = spyOnWarn()
  const embedder = Promise.reject(new Error('offline'))
  await openLibrary([{ 'greet/SKILL.md': SKILL }, notFound('https://example.com/layer/')], {
    embedder,
  })
  expect(warn).toHaveBeenCalledOnce()
  expect(warn.mock.calls[0]?.[0]).toMatch(
    /example\.com\/layer\/(?:.|\n)*The bundled model is unavailable: offline/,
  )
})

it('[CARD-1] [BY-9] a warning shows hidden characters that a server or a file name has', async () => {
  const warn = spyOnWarn()
  const failing = { name: 'a', read: () => Promise.reject(new Error('no\u001b[31m \u202e')) }
  await openLibrary([{ 'greet/SKILL.md': SKILL }, failing])
  expect(warn.mock.calls).toEqual([[expect.stringContaining('no[U+001B][31m [U+202E]')]])
})

it('[CARD-1] openLibrary stays silent for skills, an empty store and an empty environment', async () => {
  const warn = spyOnWarn()
  await openLibrary({ 'greet/SKILL.md': SKILL })
  await openLibrary(memory())
  await openLibrary([memory(), {}])
  await openLibrary({ 'environments/a/skills/greet/SKILL.md': SKILL }, { environment: 'b' })
  expect(warn).not.toHaveBeenCalled()
})

it('[CARD-1] onDiagnostic gets the problems instead of the console, and its errors reject openLibrary unchanged', async () => {
  const warn = spyOnWarn()
  const diagnostics: Diagnostic[] = []
  const onDiagnostic = (diagnostic: Diagnostic) => void diagnostics.push(diagnostic)
  await openLibrary({}, { onDiagnostic })
  await openLibrary(notFound('https://example.com/heard/'), { onDiagnostic })
  expect(diagnostics.map(({ code }) => code)).toEqual(['library-empty', 'source-missing'])
  expect(warn).not.toHaveBeenCalled()
  const error = new Error('no')
  const fail = () => {
    throw error
  }
  await expect(openLibrary({}, { onDiagnostic: fail })).rejects.toBe(error)
})
