import { describe, expect, it } from 'vitest'
import { type ConnectOptions, connectLibrary } from '../../src/exports/client.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createHandler, type ServedLibrary } from '../../src/exports/server.js'
import { type Files, packedFiles } from '../packed-files.js'
import { librarySuite } from '../suites/library-suite.js'

/** Calls the handler directly, so the test runs in every runtime. */
function handlerFetch(served: ServedLibrary): NonNullable<ConnectOptions['fetch']> {
  const handler = createHandler(served)
  return (url, init) => handler.fetch(new Request(url, init))
}

const packed = (files: Files) => packedFiles(memory(files))

describe('connectLibrary', () => {
  for (const { name, run } of librarySuite(async files =>
    connectLibrary('http://shelf.test/', {
      fetch: handlerFetch({ library: openLibrary(memory(files)) }),
    }),
  ))
    it(`[BY-7] folder: ${name}`, run)

  for (const { name, run } of librarySuite(async files =>
    connectLibrary('http://shelf.test/', {
      fetch: handlerFetch({ library: openLibrary(memory(await packed(files))) }),
    }),
  ))
    it(`[BY-7] packed: ${name}`, run)

  it('[BY-24] says that a result is not complete, as the server does', async () => {
    const library = openLibrary(
      { 'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\n---\n' },
      { embedder: Promise.reject(new Error('no file')) },
    )
    const connected = await connectLibrary('http://shelf.test/', {
      fetch: handlerFetch({ library }),
    })
    const expected = await (await library).match('brew tea')
    expect(expected).toMatchObject({ complete: false, matches: [{ name: 'tea' }] })
    expect(await connected.match('brew tea', { wait: false })).toEqual(expected)
  })
})
