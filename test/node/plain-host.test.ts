import { lookup } from 'mrmime'
import { expect, it } from 'vitest'
import { http, memory, openLibrary } from '../../src/exports/index.js'
import { packToMemory } from '../../src/library/store/pack/memory-pack.js'
import { createHandler } from '../../src/server/http/handler.js'
import { executablePath } from '../launch.js'
import { startHttpServer } from './http-server.js'
import { startBrowser } from './pages.js'

const SKILL = '---\nname: evil\ndescription: Draws pictures.\n---\nDraw.\n'
const RUN = "new Image().src = '/ran'"
const HTML = `<!doctype html><script>${RUN}</script>`
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><script>${RUN}</script></html>`
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><script>${RUN}</script></svg>`
/** Types that this host knows and mrmime does not. */
const TYPES: Record<string, string> = {
  kml: 'application/vnd.google-earth.kml+xml',
  php: 'text/html',
}

/** Files that a browser runs if their host lets it, with the type of each. */
const RUNNABLE: readonly (readonly [path: string, content: string])[] = [
  ['demo/logo.svg', SVG],
  ['demo/logo.svgz', SVG],
  ['demo/LOGO.SVG', SVG],
  ['logo.svg', SVG],
  ['skills/evil/page.html', HTML],
  ['page.htm', HTML],
  ['page.xhtml', XHTML],
  ['feed.xml', XHTML],
  ['feed.rss', XHTML],
  ['place.kml', XHTML],
  ['page', HTML],
]

it.skipIf(executablePath === undefined)(
  '[BY-9] createHandler over a plain bucket runs no script of any file in it (needs a browser)',
  async () => {
    const files = memory({ 'evil/SKILL.md': SKILL, ...Object.fromEntries(RUNNABLE) })
    const handler = createHandler({ library: openLibrary(files, { embedder: false }), files })
    let ran = 0
    let isPlain = true
    const { address } = await startHttpServer(async ({ url = '' }, response) => {
      if (url === '/ran') ran++
      const answer = await handler.fetch(new Request(new URL(url, 'http://localhost')))
      const given = isPlain
        ? { 'content-type': lookup(url) ?? 'text/html' }
        : Object.fromEntries(answer.headers)
      response.writeHead(answer.status, given).end(new Uint8Array(await answer.arrayBuffer()))
    })
    const page = await (await startBrowser()).newPage()
    const openAll = async (): Promise<void> => {
      for (const [path] of RUNNABLE)
        await page.goto(address + path, { waitUntil: 'load' }).catch(() => undefined)
    }
    // Without the headers they run, which proves that the browser would run them.
    await openAll()
    expect(ran).toBeGreaterThan(6)
    ran = 0
    isPlain = false
    await openAll()
    expect(ran).toBe(0)
  },
)

it.skipIf(executablePath === undefined)(
  '[BY-9] a static host that ignores _headers runs no script of a packed skill (needs a browser)',
  async () => {
    const extensions = [...'html htm xhtml xht xml shtml svg rss kml php md txt js'.split(' '), '']
    const contents = extensions.map(extension => {
      const content = extension === 'svg' ? SVG : /^(?:x|rss|kml)/.test(extension) ? XHTML : HTML
      // Each file has its own digest.
      return [
        `evil/page${extension && `.${extension}`}`,
        `${content}<!-- ${extension} -->`,
      ] as const
    })
    const source = memory(
      { 'evil/SKILL.md': SKILL + HTML, ...Object.fromEntries(contents) },
      { name: 'evil' },
    )
    const { files } = await packToMemory(source, { wellKnown: true })
    let ran = 0
    // The same files as they are: proves that the host and the browser would run them.
    const originals = new Map(
      contents.map(([path, content]) => [`original/${path}`, new TextEncoder().encode(content)]),
    )
    const { address } = await startHttpServer(({ url = '' }, response) => {
      if (url === '/ran') ran++
      const path = decodeURIComponent(url.slice(1))
      const bytes = files.get(path) ?? originals.get(path)
      const type = TYPES[path.split('.').at(-1) ?? ''] ?? lookup(path)
      if (bytes) response.writeHead(200, type ? { 'content-type': type } : {}).end(bytes)
      else response.writeHead(404).end()
    })
    const page = await (await startBrowser()).newPage()
    const open = async (path: string): Promise<void> => {
      // Binary files become downloads, which end the navigation with an error.
      await page.goto(address + path, { waitUntil: 'load' }).catch(() => undefined)
    }
    for (const path of originals.keys()) await open(path)
    expect(ran).toBeGreaterThan(6)
    ran = 0
    for (const path of files.keys()) await open(path)
    expect(ran).toBe(0)
    await using library = await openLibrary(http(address))
    expect((await library.read('evil', 'page.svg')).text).toContain('<svg')
  },
)
