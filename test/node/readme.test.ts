import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { expect, it } from 'vitest'
import { unstable_startWorker } from 'wrangler'
import { writeArchive } from '../../src/exports/sources.js'
import { temporaryFolder } from '../folders.js'
import { UNHURRIED } from '../launch.js'
import { startBrowser } from './pages.js'
import { snippetErrors, snippetsOf } from './snippets.js'
import { serveStatic, typeOf } from './vite-world.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The guides, then the README. The snippets of docs/agents.md need declarations: agents-doc.test.ts checks them. */
const pages = [
  ...readdirSync(join(root, 'docs'))
    .filter(file => file.endsWith('.md'))
    .sort()
    .map(file => `docs/${file}`),
  'README.md',
].filter(page => page !== 'docs/agents.md')
const snippets = pages.flatMap(snippetsOf)
const page = snippetWith('best.reason')
const workers = [...new Set(snippets.filter(code => code.includes('env.ASSETS.fetch')))]
const node = snippetWith("from 'skillshelf/node'", 'abstained')
const embedderWorker = snippetWith('serveEmbedder(transformers)')
const matcherWorker = snippetWith('serveMatcher(localMatcher)')
const matcherPage = snippetWith('{ matcher: threadMatcher({ worker }) }')
const viteConfig = snippetWith('optimizeDeps:')
const smallRuntimeConfig = snippetWith('onnxruntime-web/wasm')
const upgrade = snippetWith('I must get to Tokyo')
const selfHosted = snippetWith("models: '/models/'")
const stored = snippetWith("indexedDb('my-skills')", 'install(dropped')
const edge = snippetWith('createHandler(', 'skillStore(')
const edgeGuide = readFileSync(join(root, 'docs/edge.md'), 'utf8')
const element = snippetWith("'skillshelf/element'", 'search.dialog = true')
const agent = snippetWith('createSession(', 'session.prepare(')
const models = join(root, '../shared/models')
const hasTransformer = existsSync(join(models, 'Xenova/all-MiniLM-L6-v2'))
const ANY_ORIGIN = { 'access-control-allow-origin': '*' }
const folder = temporaryFolder()
const alias = {
  'skillshelf/transformers': join(root, 'src/exports/transformers.ts'),
  'skillshelf/model': join(root, 'src/exports/model.ts'),
  'skillshelf/sources': join(root, 'src/exports/sources.ts'),
  'skillshelf/element': join(root, 'src/exports/element.ts'),
  'skillshelf/session': join(root, 'src/exports/session.ts'),
  'skillshelf/thread': join(root, 'src/exports/thread.ts'),
  skillshelf: join(root, 'src/exports/index.ts'),
}
// Snippets import packages such as onnxruntime-web.
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))

it('[CARD-5] every snippet of the guides and the README type-checks', () => {
  const errors = snippetErrors(snippets)
  const places = pages.flatMap(page => snippetsOf(page).map((_, index) => `${page} ${index + 1}`))
  expect(errors.map(error => error.replace(/^snippet-(\d+)\.ts/, (_, number) => places[number - 1] ?? ''))).toEqual([])
})

it.each([
  ['src/core/errors.ts', 'ErrorCode', '## Error codes', '## Diagnostics'],
  ['src/skill/diagnostics.ts', 'DiagnosticCode', '## Diagnostic codes', undefined],
])('[CARD-5] docs/errors.md lists every code of %s', (file, type, from, to) => {
  const text = readFileSync(join(root, 'docs/errors.md'), 'utf8')
  const section = text.slice(text.indexOf(`\n${from}\n`), to === undefined ? undefined : text.indexOf(`\n${to}\n`))
  const listed = [...section.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, code]) => code)
  const source = readFileSync(join(root, file), 'utf8')
  const [, union = ''] = new RegExp(`export type ${type} =\\n([\\s\\S]*?)\\n\\n`).exec(source) ?? []
  const codes = [...union.matchAll(/^ {2}\| '([a-z0-9-]+)'$/gm)].map(([, code]) => code)
  expect(codes.length).toBeGreaterThan(15)
  expect(listed.sort()).toEqual(codes.sort())
})

it('[CARD-5] the Node snippet runs unchanged', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', node], {
    cwd: join(root, 'examples'),
  })
  expect(output.toString()).toMatch(/^invoice-check\n\S*invoice-check\/references\/rates\.csv\n/)
})

it.each(workers)('[CARD-5] the Worker snippet runs unchanged %#', async worker => {
  writeFileSync(join(folder, 'worker.ts'), worker)
  const assets = join(folder, 'public')
  cpSync(join(root, 'demo/dist/skills'), join(assets, 'skills'), { recursive: true })
  cpSync(join(root, 'model'), join(assets, 'model'), { recursive: true })
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
    expect(await response.json()).toMatchObject({
      matches: expect.arrayContaining([expect.objectContaining({ name: 'ppt' })]),
      model: expect.stringMatching(/^hybrid/),
    })
  } finally {
    await running.dispose()
  }
})

it('[CARD-3] [CARD-5] the edge server snippet runs unchanged', async () => {
  writeFileSync(join(folder, 'edge.ts'), edge)
  const parts = ['index.js', 'server.js', 'model.js', 'cloudflare.js'].map(file => join(root, 'dist/exports', file))
  const names = ['skillshelf', 'skillshelf/server', 'skillshelf/model', 'skillshelf/cloudflare']
  const [line = ''] = /^assets = .*$/m.exec(edgeGuide) ?? []
  const assets = line.replace('node_modules/skillshelf/model', join(root, 'model'))
  const alias = names.map((name, at) => `${JSON.stringify(name)} = ${JSON.stringify(parts[at])}\n`).join('')
  writeFileSync(
    join(folder, 'edge.toml'),
    `name = "edge"\nmain = "edge.ts"\ncompatibility_date = "2026-04-01"\n${assets}\n[vars]\nSKILLSHELF_TOKEN = "t"\n[alias]\n${alias}[[r2_buckets]]\nbinding = "SKILLS"\nbucket_name = "skills"\n`,
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
    expect(await found.json()).toMatchObject({
      model: expect.stringMatching(/^hybrid/),
      matches: expect.arrayContaining([expect.objectContaining({ name: 'ppt' })]),
    })
  } finally {
    await running.dispose()
  }
})

it.skipIf(process.env['SKIP_BROWSER'])('[CARD-5] the page snippet runs unchanged (needs a browser)', async () => {
  const message = await firstMessage({ 'main.ts': page })
  expect(message).toMatch(/^0\.\d+ .*matches “invoice” in its name.*## /s)
})

it.skipIf(process.env['SKIP_BROWSER'] || !hasTransformer)(
  `[CARD-2] the transformer snippets run unchanged (need a browser${hasTransformer ? '' : ' and ../shared/models'})`,
  async () => {
    const message = await firstMessage({ 'main.ts': upgrade, 'embedder.worker.ts': embedderWorker })
    expect(message).toBe('true book-flight hybrid/1 transformers/Xenova/all-MiniLM-L6-v2/q8')
  },
)

it.skipIf(process.env['SKIP_BROWSER'] || !hasTransformer)(
  `[CARD-2] the self-hosted transformer snippets run unchanged, without other hosts (need a browser${hasTransformer ? '' : ' and ../shared/models'})`,
  async () => {
    const [, listing = ''] = /```text\npublic\/models\/(Xenova[\s\S]*?)```/.exec(
      readFileSync(join(root, 'docs/matching.md'), 'utf8'),
    ) ?? ['', '']
    const [folder = '', ...files] = listing.match(/[\w./-]+/g) ?? []
    expect(files).toHaveLength(4)
    const message = await firstMessage(
      { 'main.ts': selfHosted, 'embedder.worker.ts': embedderWorker },
      { config: smallRuntimeConfig, models: files.map(file => `${folder}${file}`) },
    )
    expect(message).toBe('true')
  },
)

it.skipIf(process.env['SKIP_BROWSER'])(
  '[BY-1] [CARD-5] the matcher worker snippet runs unchanged (needs a browser)',
  async () => {
    const message = await firstMessage({ 'main.ts': matcherPage, 'matcher.worker.ts': matcherWorker })
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
  '[BY-18] [CARD-5] the search element snippet runs unchanged (needs a browser)',
  async () => {
    const use = `
      search.addEventListener('skill-match', () => search.shadowRoot?.querySelector<HTMLElement>('[role=option]')?.click())
      search.show('make slides about our launch')`
    expect(await firstMessage({ 'main.ts': element + use })).toMatch(/^ppt its tag “slides”/)
  },
)

it.skipIf(process.env['SKIP_BROWSER'])(
  '[BY-7] [CARD-5] the agent snippet runs unchanged (needs a browser)',
  async () => {
    const message = await firstMessage({ 'main.ts': agent })
    expect(message).toMatch(
      /<available_skills>.*<matching_skills>\n<skill>\n<name>invoice-organizer<.*<skill_content name="invoice-organizer".* \d\.?\d*$/s,
    )
  },
)

/** The first snippet that contains every one of these texts. */
function snippetWith(...texts: readonly string[]): string {
  const found = snippets.find(code => texts.every(text => code.includes(text)))
  if (found === undefined) throw new Error(`No snippet contains ${texts.join(' and ')}`)
  return found
}

/**
 * Builds a page with Vite and returns its first console message. Models and the WASM runtime are served from disk: as their public hosts
 * serve them or, with `models`, only as files of the page's own host.
 */
async function firstMessage(
  code: Readonly<Record<string, string>>,
  { config = viteConfig, models: ownModels }: { config?: string; models?: readonly string[] } = {},
): Promise<string> {
  const site = mkdtempSync(join(folder, 'site-'))
  writeFileSync(join(site, 'vite.config.ts'), config)
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
  for (const file of ownModels ?? []) cpSync(join(models, file), join(site, 'dist/models', file))
  const [{ address }, browser] = await Promise.all([serveStatic(join(site, 'dist')), startBrowser()])
  const tab = await browser.newPage()
  await tab.addInitScript(UNHURRIED)
  await tab.context().route('https://huggingface.co/**', route => {
    if (ownModels) return route.abort()
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
    ownModels
      ? route.abort()
      : route.fulfill({
          path: join(root, 'node_modules/onnxruntime-web/dist', basename(route.request().url())),
          contentType: typeOf(route.request().url()),
          headers: ANY_ORIGIN,
        }),
  )
  const first = tab.waitForEvent('console', message => ['log', 'error', 'warning'].includes(message.type()))
  await tab.goto(address)
  return (await first).text()
}
