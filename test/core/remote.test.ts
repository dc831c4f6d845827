import { describe, it } from 'vitest'
import { type ConnectOptions, connectLibrary } from '../../src/exports/client.js'
import { createHandler, type ServedLibrary } from '../../src/exports/server.js'
import { librarySuite } from '../../src/exports/testing.js'
import { openLibrary } from '../../src/library/library.js'
import { pack } from '../../src/library/store/pack/pack.js'
import { memory } from '../../src/source/memory.js'

type Files = Readonly<Record<string, Uint8Array | string>>

/** Calls the handler directly, so the test runs in every runtime. */
function handlerFetch(served: ServedLibrary): NonNullable<ConnectOptions['fetch']> {
  const handler = createHandler(served)
  return (url, init) => handler.fetch(new Request(url, init))
}

async function packed(files: Files): Promise<Record<string, Uint8Array>> {
  const written: Record<string, Uint8Array> = {}
  for await (const { path, bytes } of pack(memory(files))) written[path] = bytes
  return written
}

describe('connectLibrary', () => {
  for (const { name, run } of librarySuite(async files =>
    connectLibrary('http://shelf.test/', { fetch: handlerFetch({ library: openLibrary(memory(files)) }) }),
  ))
    it(`[BY-7] folder: ${name}`, run)

  for (const { name, run } of librarySuite(async files =>
    connectLibrary('http://shelf.test/', {
      fetch: handlerFetch({ library: openLibrary(memory(await packed(files))) }),
    }),
  ))
    it(`[BY-7] packed: ${name}`, run)
})
