import type { IncomingMessage } from 'node:http'
import type { Page } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import type * as Package from '../../src/exports/index.js'
import { archiveOf, entryOf, indexV2, skill } from '../core/site-world.js'
import { executablePath } from '../launch.js'
import { type Answer, startHttpServer } from './http-server.js'
import { bundleScript, startBrowser } from './pages.js'

/** A page that reads a skill site of another origin. The hosts allow CORS only for existing files and simple GET requests. */

const PAGE =
  "<!doctype html><script type=module>globalThis.skillshelf = await import('/skillshelf.js')</script>"

let page: Page
/** Redirects of the page's own host. */
let leadsTo = ''

const serve = async (answer: Answer): Promise<string> => (await startHttpServer(answer)).address

async function hostOf(
  files: Record<string, Uint8Array | string | { to: string }>,
): Promise<{ address: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = []
  const address = await serve((request, response) => {
    asked.push(request)
    const content = request.method === 'GET' ? files[request.url ?? ''] : undefined
    const cors = { 'access-control-allow-origin': '*' }
    if (content === undefined) response.writeHead(404).end()
    else if (typeof content === 'object' && 'to' in content)
      response.writeHead(302, { ...cors, location: content.to }).end()
    else
      response
        .writeHead(200, { ...cors, 'last-modified': 'Wed, 21 Oct 2015 07:28:00 GMT' })
        .end(content)
  })
  return { address, asked }
}

beforeAll(async () => {
  if (executablePath === undefined) return
  const script = await bundleScript("export * from '../../src/exports/index.ts'")
  const site = await serve(({ url }, response) => {
    if (url === '/skillshelf.js')
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    else if (url === '/go.md') response.writeHead(302, { location: leadsTo }).end()
    else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
  })
  page = await (await startBrowser()).newPage()
  await page.goto(site)
  await page.waitForFunction(() => 'skillshelf' in globalThis)
})

describe.skipIf(executablePath === undefined)('skill site in a page', () => {
  it('[CARD-1] page reads a site of another origin with an archive on a third, and its changes', async () => {
    const zip = await archiveOf({ 'SKILL.md': skill('forms'), 'x.md': 'x' })
    const cdn = await hostOf({ '/forms.zip': zip })
    const files = {
      ...indexV2(
        entryOf('notes', 'skill-md', '/led/notes.md', skill('notes')),
        entryOf('forms', 'archive', `${cdn.address}forms.zip`, zip),
      ),
      '/notes.md': skill('notes'),
    }
    const host = await hostOf({ ...files, '/led/notes.md': { to: '/notes.md' } })
    const seen = await page.evaluate(async address => {
      const { openLibrary } = (globalThis as unknown as { skillshelf: typeof Package }).skillshelf
      const library = await openLibrary(address, { embedder: false })
      const { instructions } = await library.get('forms')
      const { text } = await library.read('forms', 'x.md')
      const change = await library.refresh()
      const { skills, diagnostics } = library.snapshot
      const changed = [...change.added, ...change.changed]
      return { names: skills.map(({ name }) => name), diagnostics, instructions, text, changed }
    }, host.address)
    const opened = { instructions: 'How to forms.', text: 'x' }
    expect(seen).toEqual({ names: ['forms', 'notes'], diagnostics: [], ...opened, changed: [] })
    for (const { method } of [...host.asked, ...cdn.asked]) expect(method).toBe('GET')
    expect(cdn.asked).toHaveLength(1)
  })

  it('[AC-5] page reports a host without CORS', async () => {
    const { address } = await hostOf({})
    const error = await page.evaluate(async at => {
      const { openLibrary } = (globalThis as unknown as { skillshelf: typeof Package }).skillshelf
      return openLibrary(at).then(
        () => undefined,
        ({ code, message }) => ({ code, message }),
      )
    }, address)
    expect(error).toEqual({ code: 'source-failed', message: expect.stringContaining('CORS') })
  })

  it('[BY-9] page sends no credentials to the hidden target of a redirect', async () => {
    const other = await hostOf({ '/a.md': 'there' })
    leadsTo = `${other.address}a.md`
    const read = (options: Package.HttpOptions): Promise<string> =>
      page.evaluate(async given => {
        const { http } = (globalThis as unknown as { skillshelf: typeof Package }).skillshelf
        const found = http('/', { ...given, maxRetries: 0 }).fetch('go.md')
        return found.then(
          one => (typeof one === 'object' ? one.url : String(one)),
          ({ message }) => message,
        )
      }, options)
    expect(await read({ headers: { 'x-key': 'y' } })).toContain('the browser does not show')
    expect(await read({ credentials: 'include' })).toContain('the browser does not show')
    expect(other.asked).toEqual([])
    expect(await read({ origins: [] })).toContain('may not be read from')
    expect(await read({})).toBe(leadsTo)
  })
})
