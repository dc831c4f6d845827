import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { afterAll, expect, it } from 'vitest'
import { unstable_startWorker } from 'wrangler'
import { writeArchive } from '../../src/exports/archive.js'
import { launch, UNHURRIED } from '../launch.js'
import { snippetsOf, typeErrors } from './snippets.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const snippets = snippetsOf('README.md')
const [page = '', worker = '', node = ''] = snippets
const embedderWorker = snippets.find(code => code.includes('serveEmbedder(transformers)')) ?? ''
const matcherWorker = snippets.find(code => code.includes('serveMatcher(')) ?? ''
const viteConfig = snippets.find(code => code.includes('optimizeDeps:')) ?? ''
const upgrade = snippets.find(code => code.includes('library.upgrade(')) ?? ''
const stored = snippets.find(code => code.includes("indexedDb('my-skills')")) ?? ''
const edge = snippets.find(code => code.includes('createHandler(')) ?? ''
const agent = snippets.find(code => code.includes('createSession(')) ?? ''
const models = join(root, '../shared/models')
const hasTransformer = existsSync(join(models, 'Xenova/all-MiniLM-L6-v2'))
const ANY_ORIGIN = { 'access-control-allow-origin': '*' }
const folder = mkdtempSync(join(tmpdir(), 'skillshelf-readme-'))
const alias = {
  'skillshelf/transformers': join(root, 'src/exports/transformers.ts'),
  'skillshelf/indexeddb': join(root, 'src/exports/indexeddb.ts'),
  'skillshelf/session': join(root, 'src/exports/session.ts'),
  'skillshelf/thread': join(root, 'src/exports/thread.ts'),
  skillshelf: join(root, 'src/exports/index.ts'),
}
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('[CARD-5] every snippet type-checks', () => {
  expect(typeErrors(snippets)).toEqual([])
})

it('[CARD-5] the Node snippet runs unchanged', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', node], { cwd: join(root, 'demo') })
  expect(output.toString()).toMatch(/^deep_research .*search_strategy\.py /)
  expect(output.toString()).toContain('def ')
})

it('[CARD-5] the Worker snippet runs unchanged', async () => {
  writeFileSync(join(folder, 'worker.ts'), worker)
  const assets = join(root, 'demo/dist')
  const alias = `[alias]\n"skillshelf" = ${JSON.stringify(join(root, 'dist/exports/index.js'))}\n`
  const binding = `[assets]\ndirectory = ${JSON.stringify(assets)}\nbinding = "ASSETS"\nrun_worker_first = true\n`
  writeFileSync(
    join(folder, 'wrangler.toml'),
    `name = "readme"\nmain = "worker.ts"\ncompatibility_date = "2026-04-01"\n${alias}${binding}`,
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

it('[CARD-3] [CARD-5] the edge server snippet runs unchanged', async () => {
  writeFileSync(join(folder, 'edge.ts'), edge)
  const parts = ['index.js', 'server.js', 'model.workerd.js', 'cloudflare.js'].map(file =>
    join(root, 'dist/exports', file),
  )
  const names = ['skillshelf', 'skillshelf/server', 'skillshelf/model', 'skillshelf/cloudflare']
  const alias = names.map((name, at) => `${JSON.stringify(name)} = ${JSON.stringify(parts[at])}\n`).join('')
  writeFileSync(
    join(folder, 'edge.toml'),
    `name = "edge"\nmain = "edge.ts"\ncompatibility_date = "2026-04-01"\n[vars]\nSKILLSHELF_TOKEN = "t"\n[alias]\n${alias}[[r2_buckets]]\nbinding = "SKILLS"\nbucket_name = "skills"\n`,
  )
  const running = await unstable_startWorker({
    config: join(folder, 'edge.toml'),
    dev: { server: { port: 0 }, logLevel: 'error', inspector: false, persist: false },
  })
  try {
    const put = await running.fetch('http://worker/v1/store/ppt', {
      method: 'PUT',
      headers: { authorization: 'Bearer t', 'content-type': 'text/markdown' },
      body: readFileSync(join(root, 'demo/skills/ppt/SKILL.md'), 'utf8'),
    })
    expect(await put.json()).toMatchObject({ added: ['skills/ppt'] })
    const found = await running.fetch('http://worker/v1/match?message=make+slides+about+our+launch')
    expect(await found.json()).toMatchObject({ model: expect.stringMatching(/^hybrid/), matches: [{ name: 'ppt' }] })
  } finally {
    await running.dispose()
  }
})

it.skipIf(process.env['SKIP_BROWSER'])('[CARD-5] the page snippet runs unchanged (needs a browser)', async () => {
  const message = await firstMessage({ 'main.ts': page })
  expect(message).toMatch(/^0\.7\d+ its tag “slides” is in the message; matches “slides”, “launch” in its description/)
})

it.skipIf(process.env['SKIP_BROWSER'] || !hasTransformer)(
  `[CARD-2] the transformer snippets run unchanged (need a browser${hasTransformer ? '' : ' and ../shared/models'})`,
  async () => {
    const message = await firstMessage({ 'main.ts': upgrade, 'shelf.worker.ts': embedderWorker })
    expect(message).toBe('true book-flight hybrid/1 transformers/Xenova/all-MiniLM-L6-v2/q8')
  },
)

it.skipIf(process.env['SKIP_BROWSER'])(
  '[BY-1] [CARD-5] the matcher worker snippet runs unchanged (needs a browser)',
  async () => {
    const message = await firstMessage({
      'main.ts': `import { openLibrary } from 'skillshelf'
import { threadMatcher } from 'skillshelf/thread'
const worker = () => new Worker(new URL('./search.worker.ts', import.meta.url), { type: 'module' })
const library = await openLibrary('/skills/', { matcher: threadMatcher({ worker }) })
const { matches, model } = await library.match('make slides about our launch')
console.log(matches[0]?.name, model)`,
      'search.worker.ts': matcherWorker,
    })
    expect(message).toBe('ppt lexical/1')
  },
)

it.skipIf(process.env['SKIP_BROWSER'])(
  '[BY-6] [CARD-5] the IndexedDB snippet runs unchanged (needs a browser)',
  async () => {
    const zip = await writeArchive(
      { 'SKILL.md': '---\nname: tea\ndescription: Brews tea\n---\nSlowly.' },
      { format: 'zip' },
    )
    const bytes = `Uint8Array.from(atob('${Buffer.from(zip).toString('base64')}'), one => one.charCodeAt(0))`
    const message = await firstMessage({ 'main.ts': `${stored}\nvoid install(new File([${bytes}], 'tea.zip'))` })
    expect(message).toBe('[my-skills/tea]')
  },
)

it.skipIf(process.env['SKIP_BROWSER'])(
  '[BY-7] [CARD-5] the agent snippet runs unchanged (needs a browser)',
  async () => {
    const message = await firstMessage({ 'main.ts': agent })
    expect(message).toMatch(
      /<available_skills>.*<matching_skills>\n<skill>\n<name>ppt<.*<skill_content name="ppt".* \d\.?\d*$/s,
    )
  },
)

/** Builds a page with Vite and returns its first console message. Models and the WASM runtime are served from disk. */
async function firstMessage(code: Readonly<Record<string, string>>): Promise<string> {
  const site = mkdtempSync(join(folder, 'site-'))
  writeFileSync(join(site, 'vite.config.ts'), viteConfig)
  for (const [file, text] of Object.entries(code)) writeFileSync(join(site, file), text)
  writeFileSync(join(site, 'index.html'), '<!doctype html><script type="module" src="./main.ts"></script>')
  await build({
    configFile: join(site, 'vite.config.ts'),
    root: site,
    logLevel: 'error',
    resolve: { alias },
    build: { target: 'es2022' },
  })
  cpSync(join(root, 'demo/dist/skills'), join(site, 'dist/skills'), { recursive: true })
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    try {
      const file = readFileSync(join(site, 'dist', path.endsWith('/') ? `${path}index.html` : path))
      response.writeHead(200, { 'content-type': typeOf(path) }).end(file)
    } catch {
      response.writeHead(404).end()
    }
  }).listen(0, '127.0.0.1')
  const browser = await launch()
  try {
    const tab = await browser.newPage()
    await tab.addInitScript(UNHURRIED)
    await tab.context().route('https://huggingface.co/**', route => {
      const [, model = '', file = ''] =
        /^\/(.+?)\/resolve\/main\/(.+)$/.exec(new URL(route.request().url()).pathname) ?? []
      const path = join(models, model, file)
      return existsSync(path) ? route.fulfill({ path, headers: ANY_ORIGIN }) : route.fulfill({ status: 404 })
    })
    await tab.context().route('https://example.com/skills/**', route => {
      const path = join(root, 'demo/dist', new URL(route.request().url()).pathname)
      return existsSync(path) ? route.fulfill({ path, headers: ANY_ORIGIN }) : route.fulfill({ status: 404 })
    })
    await tab.context().route('https://cdn.jsdelivr.net/npm/onnxruntime-web@*/**', route =>
      route.fulfill({
        path: join(root, 'node_modules/onnxruntime-web/dist', basename(route.request().url())),
        contentType: typeOf(route.request().url()),
        headers: ANY_ORIGIN,
      }),
    )
    const first = tab.waitForEvent('console', message => ['log', 'error', 'warning'].includes(message.type()))
    await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    return (await first).text()
  } finally {
    await browser.close()
    server.close()
  }
}

function typeOf(path: string): string {
  if (/\.m?js$/.test(path)) return 'text/javascript'
  if (path.endsWith('.wasm')) return 'application/wasm'
  return path.endsWith('/') ? 'text/html' : 'application/octet-stream'
}
