import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Route } from 'playwright'
import { build } from 'vite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { diagnosticReference } from '../../scripts/reference.js'
import { lazy } from '../../src/core/concurrency.js'
import { writeArchive } from '../../src/exports/sources.js'
import { directory } from '../../src/source/directory/directory.js'
import { temporaryFolder, writeFiles } from '../folders.js'
import { UNHURRIED } from '../launch.js'
import { packedFiles } from '../packed-files.js'
import { copySamples } from '../samples.js'
import { buildWorker, TOKEN } from './engine-worker-world.js'
import { startBrowser } from './pages.js'
import { snippetErrors, snippetsOf } from './snippets.js'
import { ALIAS, serveStatic } from './vite-world.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The guides, examples, then the README. The snippets of docs/agents.md need declarations: agents-doc.test.ts checks them. */
const guides = readdirSync(join(root, 'docs')).filter(
  file => file.endsWith('.md') && file !== 'agents.md',
)
const ownModels = 'examples/own-models/README.md'
const examples = [ownModels, 'examples/qdrant/README.md']
const pages = [...guides.sort().map(file => `docs/${file}`), ...examples, 'README.md']
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
const edge = snippetWith('createHandler(', 'SKILLSHELF_TOKEN')
const element = snippetWith("'skillshelf/element'", 'search.dialog = true')
const agent = snippetWith('createSession(', 'session.prepare(')
const models = join(root, '../shared/models')
const hasTransformer = existsSync(join(models, 'Xenova/all-MiniLM-L6-v2'))
const ANY_ORIGIN = { 'access-control-allow-origin': '*' }
const folder = temporaryFolder()
// Snippets import packages such as onnxruntime-web.
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))

it('[CARD-5] every snippet of the guides and the README type-checks', () => {
  const errors = snippetErrors(snippets)
  const places = pages.flatMap(page => snippetsOf(page).map((_, index) => `${page} ${index + 1}`))
  expect(
    errors.map(error =>
      error.replace(/^snippet-(\d+)\.ts/, (_, number) => places[number - 1] ?? ''),
    ),
  ).toEqual([])
})

/** The codes of a union in `src`. */
function codesOf(file: string, type: string): readonly (string | undefined)[] {
  const source = readFileSync(join(root, file), 'utf8')
  const [, union = ''] =
    new RegExp(`export type ${type} =\\n([\\s\\S]*?)\\n(?:\\n|$)`).exec(source) ?? []
  return [...union.matchAll(/^ {2}\| '([a-z0-9-]+)'$/gm)].map(([, code]) => code)
}
const listedIn = (text: string): readonly (string | undefined)[] =>
  [...text.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, code]) => code)

it('[CARD-5] docs/errors.md lists every code of an error', () => {
  const text = readFileSync(join(root, 'docs/errors.md'), 'utf8')
  const section = text.slice(text.indexOf('\n## Error codes\n'), text.indexOf('\n## Diagnostics\n'))
  const codes = codesOf('src/core/errors.ts', 'ErrorCode')
  expect(codes.length).toBeGreaterThan(15)
  expect([...listedIn(section)].sort()).toEqual([...codes].sort())
})

it('[CARD-5] the reference lists every code of a diagnostic, with severity and meaning', () => {
  const text = diagnosticReference()
  const codes = codesOf('src/skill/diagnostic-codes.ts', 'DiagnosticCode')
  expect(codes.length).toBeGreaterThan(15)
  expect([...listedIn(text)].sort()).toEqual([...codes].sort())
  expect(text).not.toMatch(/^\| `[a-z0-9-]+` \| *\|/m)
})

it('[CARD-5] the Node snippet runs unchanged', () => {
  const args = ['--input-type=module', '--eval', node]
  const output = execFileSync(process.execPath, args, {
    cwd: join(root, 'examples'),
    encoding: 'utf8',
  })
  expect(output).toMatch(/^invoice-check\n\S*invoice-check\/references\/rates\.csv\n/)
})

const FOUND = {
  matches: expect.arrayContaining([expect.objectContaining({ name: 'ppt' })]),
  model: expect.stringMatching(/^hybrid/),
}

it.each(workers)('[CARD-5] the Worker snippet runs unchanged %#', async worker => {
  const assets = join(folder, 'public')
  cpSync(join(root, 'demo/dist/skills'), join(assets, 'skills'), { recursive: true })
  cpSync(join(root, 'model'), join(assets, 'model'), { recursive: true })
  const binding = `[assets]\ndirectory = ${JSON.stringify(assets)}\nbinding = "ASSETS"\nrun_worker_first = true`
  await using running = await buildWorker(worker, binding).start({}, assets)
  const response = await running.fetch('?q=make+slides+about+our+launch')
  expect(await response.json()).toMatchObject(FOUND)
})

it('[CARD-3] [CARD-5] the edge server snippet runs unchanged', async () => {
  const guide = readFileSync(join(root, 'docs/edge.md'), 'utf8')
  const [line = '', directory = ''] = /^assets = \{ directory = "(.*?)", .*$/m.exec(guide) ?? []
  const assets = join(root, directory.replace('node_modules/skillshelf/', ''))
  const bucket = '[[r2_buckets]]\nbinding = "SKILLS"\nbucket_name = "skills"'
  const settings = `${line.replace(directory, assets)}\n${bucket}`
  await using running = await buildWorker(edge, settings).start({}, assets)
  const put = await running.fetch('v1/store/ppt', {
    method: 'PUT',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/markdown' },
    body: readFileSync(join(root, 'demo/skills/ppt/SKILL.md'), 'utf8'),
  })
  expect(await put.json()).toMatchObject({ added: ['skills/ppt'] })
  const found = await running.fetch('v1/match?message=make+slides+about+our+launch')
  expect(await found.json()).toMatchObject(FOUND)
})

const tea = await writeArchive(
  { 'SKILL.md': '---\nname: tea\ndescription: Brews tea\n---\nSlowly.' },
  { format: 'zip' },
)
const teaZip = `new File([Uint8Array.from(atob('${Buffer.from(tea).toString('base64')}'), one => one.charCodeAt(0))], 'tea.zip')`
/** Chooses the first result of the search element. */
const choose = `
search.addEventListener('skill-match', () => search.shadowRoot?.querySelector<HTMLElement>('[role=option]')?.click())
search.show('make slides about our launch')`

/** The files of a page, by name. */
type Page = Readonly<Record<string, string>>
/** The pages of snippets that share a configuration of Vite. */
const PAGES = {
  page: { 'main.ts': page },
  matcher: { 'main.ts': matcherPage, 'matcher.worker.ts': matcherWorker },
  stored: { 'main.ts': `${stored}\nvoid install(${teaZip})` },
  element: { 'main.ts': element + choose },
  agent: { 'main.ts': agent },
  upgrade: { 'main.ts': upgrade, 'embedder.worker.ts': embedderWorker },
} satisfies Record<string, Page>
/** The site with these pages, which is built once. */
const buildSnippets = lazy(() => buildPages(PAGES, viteConfig))

it
  .skipIf(process.env['SKIP_BROWSER'])
  .each<[title: string, page: keyof typeof PAGES, logs: RegExp]>([
    ['[CARD-5] the page snippet', 'page', /^0\.\d+ .*matches “invoice” in its name.*## /s],
    ['[BY-1] [CARD-5] the matcher worker snippet', 'matcher', /^ppt lexical\/1$/],
    ['[BY-6] [CARD-5] the IndexedDB snippet', 'stored', /^\[my-skills\/tea\]$/],
    ['[BY-18] [CARD-5] the search element snippet', 'element', /^ppt its tag “slides”/],
    [
      '[BY-7] [CARD-5] the agent snippet',
      'agent',
      /<available_skills>.*<skill_content name="invoice-organizer".* \d\.?\d*$/s,
    ],
  ])('%s runs unchanged (needs a browser)', async (_, name, logs) => {
  expect(await firstMessage(await buildSnippets(), name)).toMatch(logs)
})

describe.skipIf(process.env['SKIP_BROWSER'] || !hasTransformer)(
  `the transformer snippets (need a browser${hasTransformer ? '' : ' and ../shared/models'})`,
  () => {
    it('[CARD-2] run unchanged', async () => {
      expect(await firstMessage(await buildSnippets(), 'upgrade')).toBe(
        'true book-flight hybrid/1 transformers/Xenova/all-MiniLM-L6-v2/q8',
      )
    })

    it('[CARD-2] run unchanged with files of the own host, without other hosts', async () => {
      const guide = readFileSync(join(root, ownModels), 'utf8')
      const [, listing = ''] = /```text\npublic\/models\/(Xenova[\s\S]*?)```/.exec(guide) ?? []
      const [folder = '', ...files] = listing.match(/[\w./-]+/g) ?? []
      expect(files).toHaveLength(4)
      const code = { 'main.ts': selfHosted, 'embedder.worker.ts': embedderWorker }
      const site = await buildPages({ page: code }, smallRuntimeConfig)
      for (const file of files) {
        cpSync(join(models, folder, file), join(site, 'models', folder, file))
      }
      expect(await firstMessage(site, 'page', { isAlone: true })).toBe('true')
    })
  },
)

/** The first snippet that contains every one of these texts. */
function snippetWith(...texts: readonly string[]): string {
  const found = snippets.find(code => texts.every(text => code.includes(text)))
  if (found === undefined) throw new Error(`No snippet contains ${texts.join(' and ')}`)
  return found
}

/** Builds pages with Vite, each in a folder of its own beside the packed skills that they find. Returns the folder of the site. */
async function buildPages(pages: Readonly<Record<string, Page>>, config: string): Promise<string> {
  const site = mkdtempSync(join(folder, 'site-'))
  const configFile = join(site, 'vite.config.ts')
  writeFileSync(configFile, config)
  const html = '<!doctype html><script type="module" src="./main.ts"></script>'
  for (const [name, code] of Object.entries(pages))
    writeFiles(join(site, name), { ...code, 'index.html': html })
  const input = Object.keys(pages).map(name => join(site, name, 'index.html'))
  await build({
    configFile,
    root: site,
    logLevel: 'error',
    resolve: { alias: ALIAS },
    build: { target: 'es2022', minify: false, rolldownOptions: { input } },
  })
  const skills = directory(copySamples('book-flight', 'invoice-organizer', 'ppt'))
  writeFiles(join(site, 'dist/skills'), await packedFiles(skills))
  return join(site, 'dist')
}

/** Public hosts of files that a snippet needs: a server of this machine has the same files. */
const startHosts = lazy(async () => {
  const [ofModels, ofRuntime] = await Promise.all([
    serveStatic(models),
    serveStatic(join(root, 'node_modules/onnxruntime-web/dist')),
  ])
  return { models: ofModels.address, runtime: ofRuntime.address }
})

/**
 * Opens a page of a site and returns its first console message. Models and the WASM runtime come from where their public hosts redirect to
 * or, with `isAlone`, only from the page's own host.
 */
async function firstMessage(site: string, name: string, { isAlone = false } = {}): Promise<string> {
  const [{ address }, browser, { models, runtime }] = await Promise.all([
    serveStatic(site),
    startBrowser(),
    startHosts(),
  ])
  const tab = await browser.newPage()
  onTestFinished(() => tab.close())
  await tab.addInitScript(UNHURRIED)
  /** Large files go faster from a server than through the protocol of the browser. */
  const redirect = (route: Route, location: string): Promise<void> =>
    isAlone ? route.abort() : route.fulfill({ status: 302, headers: { ...ANY_ORIGIN, location } })
  await tab.context().route('https://huggingface.co/**', route => {
    const { pathname } = new URL(route.request().url())
    const [, model = '', file = ''] = /^\/(.+?)\/resolve\/main\/(.+)$/.exec(pathname) ?? []
    return redirect(route, `${models}${model}/${file}`)
  })
  await tab.context().route('https://example.com/skills/**', route => {
    const path = join(root, 'demo/dist', new URL(route.request().url()).pathname)
    return existsSync(path)
      ? route.fulfill({ path, headers: ANY_ORIGIN })
      : route.fulfill({ status: 404 })
  })
  await tab
    .context()
    .route('https://cdn.jsdelivr.net/npm/onnxruntime-web@*/**', route =>
      redirect(route, `${runtime}${basename(route.request().url())}`),
    )
  const first = tab.waitForEvent('console', {
    predicate: message => ['log', 'error', 'warning'].includes(message.type()),
    // Until the test ends: some load a model.
    timeout: 0,
  })
  await tab.goto(`${address}${name}/index.html`)
  return (await first).text()
}
