import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { build } from 'vite'
import { afterAll, expect, it } from 'vitest'
import { unstable_startWorker } from 'wrangler'
import { findBrowser } from '../find-browser.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const snippets = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(
  ([, code]) => code as string,
)
const [page = '', worker = '', node = ''] = snippets
const folder = mkdtempSync(join(tmpdir(), 'skillshelf-readme-'))
const entry = join(root, 'src/index.ts')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('[CARD-5] the snippet for Node runs as it stands', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', node], { cwd: join(root, 'demo') })
  expect(output.toString()).toMatch(/^deep_research .*search_strategy\.py /)
  expect(output.toString()).toContain('def ')
})

it('[CARD-5] the snippet for a Worker runs as it stands', async () => {
  writeFileSync(join(folder, 'worker.js'), worker)
  const assets = join(root, 'demo/dist')
  const alias = `[alias]\n"skillshelf" = ${JSON.stringify(join(root, 'dist/index.js'))}\n`
  const binding = `[assets]\ndirectory = ${JSON.stringify(assets)}\nbinding = "ASSETS"\nrun_worker_first = true\n`
  writeFileSync(
    join(folder, 'wrangler.toml'),
    `name = "readme"\nmain = "worker.js"\ncompatibility_date = "2026-04-01"\n${alias}${binding}`,
  )
  const running = await unstable_startWorker({
    config: join(folder, 'wrangler.toml'),
    dev: { server: { port: 0 }, logLevel: 'error', inspector: false, persist: false },
  })
  try {
    const response = await running.fetch('http://worker/?q=make+slides+about+our+launch')
    const { matches } = (await response.json()) as { matches: { name: string }[] }
    expect(matches.map(match => match.name)).toEqual(['ppt'])
  } finally {
    await running.dispose()
  }
})

it.skipIf(process.env['SKIP_BROWSER'])(
  '[CARD-5] the snippet for a page runs as it stands (needs a browser)',
  async () => {
    const site = join(folder, 'site')
    mkdirSync(site)
    writeFileSync(join(site, 'index.html'), '<!doctype html><script type="module" src="./main.ts"></script>')
    writeFileSync(join(site, 'main.ts'), page)
    await build({
      configFile: false,
      root: site,
      logLevel: 'error',
      resolve: { alias: { skillshelf: entry } },
      build: { target: 'es2022' },
    })
    cpSync(join(root, 'demo/dist/skills'), join(site, 'dist/skills'), { recursive: true })
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname
      try {
        const file = readFileSync(join(site, 'dist', path.endsWith('/') ? `${path}index.html` : path))
        const type = path.endsWith('.js')
          ? 'text/javascript'
          : path.endsWith('/')
            ? 'text/html'
            : 'application/octet-stream'
        response.writeHead(200, { 'content-type': type }).end(file)
      } catch {
        response.writeHead(404).end()
      }
    }).listen(0, '127.0.0.1')
    const executablePath = findBrowser()
    const browser = await chromium.launch({
      ...(executablePath ? { executablePath } : {}),
      args: ['--no-sandbox', '--disable-background-networking'],
    })
    try {
      const tab = await browser.newPage()
      const said = tab.waitForEvent('console', message => message.type() === 'log')
      await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      expect((await said).text()).toMatch(
        /^0\.7\d+ its tag “slides” is in the message; matches “slides”, “launch” in its description/,
      )
    } finally {
      await browser.close()
      server.close()
    }
  },
)
