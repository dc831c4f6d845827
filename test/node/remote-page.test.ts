import type { Browser, Page } from 'playwright'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type * as Remote from '../../src/exports/client.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { executablePath } from '../launch.js'
import type * as Suites from '../suites/library-suite.js'
import { librarySuite } from '../suites/library-suite.js'
import { startHttpServer } from './http-server.js'
import { bundleScript, startBrowser } from './pages.js'
import { startHandler } from './remote-fixtures.js'

/** A page of another origin than the server, so CORS applies. */

type World = typeof globalThis & { skillshelf: typeof Remote & typeof Suites }

const PAGE =
  "<!doctype html><script type=module>globalThis.skillshelf = await import('/skillshelf.js')</script>"
const ENTRY =
  "export * from '../../src/exports/client.ts'; export * from '../suites/library-suite.ts'"
const TOKEN = 'open-sesame'

let browser: Browser
let page: Page
let script: string

beforeAll(async () => {
  if (executablePath !== undefined)
    [browser, script] = await Promise.all([startBrowser(), bundleScript(ENTRY)])
})
beforeEach(async () => {
  if (executablePath === undefined) return
  const { address } = await startHttpServer(({ url }, response) => {
    if (url === '/skillshelf.js')
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
  })
  page = await browser.newPage()
  await page.goto(address)
  await page.waitForFunction(() => 'skillshelf' in globalThis)
})

describe.skipIf(executablePath === undefined)('connectLibrary in a page of another origin', () => {
  for (const readToken of [undefined, TOKEN])
    it(`[BY-7] passes the library suite ${readToken ? 'with' : 'without'} a token`, async () => {
      let files: Readonly<Record<string, Uint8Array | string>> = {}
      const [first] = librarySuite(async given => {
        files = given
        return openLibrary(memory(given))
      })
      await first?.run()
      const { address } = await startHandler({ library: openLibrary(memory(files)), readToken })
      const failures = await page.evaluate(
        async ([at, token]) => {
          const { connectLibrary, librarySuite } = (globalThis as World).skillshelf
          const failures: string[] = []
          for (const { name, run } of librarySuite(() =>
            connectLibrary(at, token ? { token } : {}),
          ))
            await run().catch((error: Error) => failures.push(`${name}: ${error.message}`))
          return failures
        },
        [address, readToken ?? ''] as const,
      )
      expect(failures).toEqual([])
    })

  it('[BY-7] does not forward the token to a redirect target', async () => {
    const { address, requests } = await startHandler({ library: openLibrary(memory({})) })
    const cors = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization',
    }
    const here = await startHttpServer(
      ({ method, url }, response) =>
        void response
          .writeHead(method === 'OPTIONS' ? 204 : 307, {
            ...cors,
            location: new URL(url ?? '', address).href,
          })
          .end(),
    )
    const connect = ([at, token]: readonly [string, string]): Promise<string> =>
      (globalThis as World).skillshelf
        .connectLibrary(at, { maxRetries: 0, ...(token ? { token } : {}) })
        .then(
          ({ snapshot }) => snapshot.revision,
          error => error.code,
        )
    expect(await page.evaluate(connect, [here.address, TOKEN] as const)).toBe('source-failed')
    expect(requests).toEqual([])
    expect(await page.evaluate(connect, [here.address, ''] as const)).toMatch(/^[0-9a-f]{16}$/)
  })
})
