import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type * as Remote from '../../src/exports/client.js'
import type * as Testing from '../../src/exports/testing.js'
import { librarySuite } from '../../src/exports/testing.js'
import { openLibrary } from '../../src/library/library.js'
import { memory } from '../../src/source/memory.js'
import { executablePath, launch } from '../launch.js'
import { serverAt, shelfAt } from './remote-world.js'

/** A page of another origin than the library's: what it may send and see goes by CORS. */

type World = typeof globalThis & { skillshelf: typeof Remote & typeof Testing }

const PAGE = "<!doctype html><script type=module>globalThis.skillshelf = await import('/skillshelf.js')</script>"
const ENTRY = "export * from './remote/index.ts'; export * from './testing/index.ts'"
const TOKEN = 'open-sesame'

let browser: Browser
let page: Page
let script: Uint8Array | undefined

beforeAll(async () => {
  if (executablePath === undefined) return
  const resolveDir = fileURLToPath(new URL('../../src', import.meta.url))
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir },
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'error',
  })
  script = outputFiles[0]?.contents
  browser = await launch()
})
afterAll(async () => browser?.close())
beforeEach(async () => {
  if (executablePath === undefined) return
  const { address } = await serverAt(({ url }, response) => {
    if (url === '/skillshelf.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
  })
  page = await browser.newPage()
  await page.goto(address)
  await page.waitForFunction(() => 'skillshelf' in globalThis)
})

describe.skipIf(executablePath === undefined)('a page of another origin', () => {
  for (const readToken of [undefined, TOKEN])
    it(`[BY-7] does all that a library does, ${readToken ? 'with a token' : 'without one'}`, async () => {
      let files: Readonly<Record<string, Uint8Array | string>> = {}
      const [first] = librarySuite(async given => {
        files = given
        return openLibrary(memory(given))
      })
      await first?.run()
      const { address } = await shelfAt({ library: openLibrary(memory(files)), readToken })
      const outcomes = await page.evaluate(
        async ([at, token]) => {
          const { connectLibrary, librarySuite } = (globalThis as World).skillshelf
          const told: string[] = []
          for (const { name, run } of librarySuite(() => connectLibrary(at, token ? { token } : {})))
            await run().catch((error: Error) => told.push(`${name}: ${error.message}`))
          return told
        },
        [address, readToken ?? ''] as const,
      )
      expect(outcomes).toEqual([])
    })

  it('[BY-7] sends no token to a place that it is not told of', async () => {
    const { address, asked } = await shelfAt({ library: openLibrary(memory({})) })
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization' }
    const here = await serverAt(
      ({ method, url }, response) =>
        void response
          .writeHead(method === 'OPTIONS' ? 204 : 307, { ...cors, location: new URL(url ?? '', address).href })
          .end(),
    )
    const connect = ([at, token]: readonly [string, string]): Promise<string> =>
      (globalThis as World).skillshelf.connectLibrary(at, { maxRetries: 0, ...(token ? { token } : {}) }).then(
        ({ snapshot }) => snapshot.revision,
        error => error.code,
      )
    expect(await page.evaluate(connect, [here.address, TOKEN] as const)).toBe('source-failed')
    expect(asked).toEqual([])
    expect(await page.evaluate(connect, [here.address, ''] as const)).toMatch(/^[0-9a-f]{16}$/)
  })
})
