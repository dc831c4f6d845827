import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { lookup } from 'mrmime'
import type { Browser, Page } from 'playwright'
import { afterEach, beforeAll, describe } from 'vitest'
import { memory } from '../../src/exports/index.js'
import { pack } from '../../src/exports/store.js'
import { deferred } from '../deferred.js'
import { executablePath } from '../launch.js'
import { startHttpServer } from './http-server.js'
import { startBrowser } from './pages.js'

/** Pages with `<skill-search>`, built from src and served with packed libraries under a strict content security policy. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; require-trusted-types-for 'script'"
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

export const GARDEN = {
  'roses/SKILL.md':
    '---\nname: roses\ndisplay_name: 玫瑰 Roses\ndescription: Prunes the roses in a garden. 修剪玫瑰。\n---\n# Roses\n\nPrune in *March*.\n',
  'roses/lists/tools.md': 'shears',
  'tulips/SKILL.md':
    '---\nname: tulips\ndescription: Plants tulip bulbs in a garden in autumn.\ndescription_zh: 秋天在花园里种郁金香球茎\n---\nDig, then plant.\n',
  'hostile/SKILL.md':
    '---\nname: "<img src=x onerror=window.ran=1>\u202e"\ndescription: "Weeds\u200b a garden \u202e</p><script>window.ran=1</script>"\n---\n<img src=x onerror="window.ran=1">\u202e<script>window.ran=1</script>\u200b\n',
  'hostile/a\u202eb.md': 'x',
}

export type ElementWorld = ReturnType<typeof createWorld>

export function describeElement(title: string, tests: (world: ElementWorld) => void): void {
  describe.skipIf(executablePath === undefined)(title, () => tests(createWorld()))
}

function createWorld() {
  const files = new Map<string, Uint8Array | string>()
  const failing = new Set<string>()
  const held = new Map<string, Promise<void>>()
  let address: string
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    const [launched, { outputFiles }] = await Promise.all([
      startBrowser(),
      build({
        absWorkingDir: root,
        entryPoints: { element: 'src/ui/element/register.ts', skillshelf: 'src/exports/index.ts' },
        outdir: '/built',
        bundle: true,
        splitting: true,
        format: 'esm',
        target: 'es2022',
        write: false,
        logLevel: 'silent',
      }),
    ])
    browser = launched
    for (const { path, contents } of outputFiles)
      files.set(path.replace(/^.*\/built/, ''), contents)
    // Fetched while a library opens, before it is known that it has no vectors.
    files.set(
      '/model/latin.bin',
      readFileSync(fileURLToPath(new URL('../../model/latin.bin', import.meta.url))),
    )
    for await (const { path, bytes } of pack(memory(GARDEN, { name: 'garden' })))
      files.set(`/skills/${path}`, bytes)
    const server = await startHttpServer(async ({ url = '' }, response) => {
      const { pathname } = new URL(url, 'http://localhost')
      world.requests.push(pathname)
      for (const [prefix, released] of held) {
        if (pathname.startsWith(prefix)) await released
      }
      const file = [...failing].some(prefix => pathname.startsWith(prefix))
        ? undefined
        : files.get(pathname)
      if (file === undefined) return void response.writeHead(404).end()
      const type = pathname === '/page' ? 'text/html; charset=utf-8' : lookup(pathname)
      const headers = {
        'content-type': type ?? 'application/octet-stream',
        'content-security-policy': POLICY,
      }
      response.writeHead(200, headers).end(file)
    })
    address = server.address
  })
  afterEach(async () => {
    await page?.context().close()
    failing.clear()
    held.clear()
  })

  const world = {
    get page() {
      return page
    },
    /** Console problems and uncaught errors. */
    problems: [] as string[],
    /** Paths of requests, in order. */
    requests: [] as string[],
    /** Opens a page with this body. `script` is a module script. */
    async open(body: string, { script = '', lang = 'en', locale = 'en-US' } = {}): Promise<Page> {
      files.set(
        '/page',
        `<!doctype html><html lang="${lang}"><head><meta name="color-scheme" content="light dark"><meta name="viewport" content="width=device-width"><title>Test</title><link rel="icon" href="data:,"><script type="module" src="/before.js"></script><script type="module" src="/element.js"></script></head><body><main><h1>Test</h1>${body}</main></body></html>`,
      )
      files.set('/before.js', script)
      const context = await browser.newContext({
        locale,
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      page = await context.newPage()
      world.problems.length = 0
      world.requests.length = 0
      page.on('console', message => {
        if (['error', 'warning'].includes(message.type())) world.problems.push(message.text())
      })
      page.on('pageerror', error => world.problems.push(String(error)))
      await page.goto(`${address}page`)
      return page
    },
    /** Answers a path that starts with this prefix with an error until the result is called. */
    fail(prefix: string) {
      failing.add(prefix)
      return () => void failing.delete(prefix)
    },
    /** Holds requests of a prefix back until the result is called. */
    hold(prefix: string) {
      const { promise, resolve } = deferred()
      held.set(prefix, promise)
      return resolve
    },
    /** @param rules Default: all. */
    async axeViolations(...rules: readonly string[]): Promise<string[]> {
      // Evaluated by the debugger, which the policy of the page does not limit.
      if (!(await page.evaluate('"axe" in window'))) await page.evaluate(readFileSync(AXE, 'utf8'))
      return (await page.evaluate(
        `axe.run(${JSON.stringify(rules.length > 0 ? { runOnly: rules } : {})}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html + ' ' + nodes[0].failureSummary))`,
      )) as string[]
    },
  }
  return world
}
