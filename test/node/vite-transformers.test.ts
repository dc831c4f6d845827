import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, createServer, type InlineConfig, loadConfigFromFile } from 'vite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lazy } from '../../src/core/concurrency.js'
import { transformers } from '../../src/exports/transformers.js'
import { skillshelf } from '../../src/exports/vite.js'
import { resolveModel } from '../../src/search/model/transformers/presets.js'
import { temporaryFolder, writeFiles } from '../folders.js'
import { packFiles } from '../packed-files.js'
import { startBrowser } from './pages.js'
import { snippetsOf } from './snippets.js'
import { ALIAS, skill } from './vite-world.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

const WORKER = `import { serveEmbedder } from 'skillshelf/thread'
import { transformers } from 'skillshelf/transformers'

serveEmbedder(transformers)
`
const SKILLS =
  "{ 'fly/SKILL.md': '---\\nname: fly\\ndescription: Books flights.\\n---\\nBook it.' }"

const assets = (folder: string): string[] => readdirSync(join(folder, 'dist/assets'))

/** A Vite project in a temporary folder. */
function createProject(files: Readonly<Record<string, string>>) {
  const html = '<!doctype html><script type="module" src="./main.ts"></script>'
  const folder = temporaryFolder({ ...files, 'index.html': html })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const inline: InlineConfig = {
    configFile: false,
    root: folder,
    logLevel: 'silent',
    cacheDir: join(folder, '.vite'),
    worker: { format: 'es' },
    server: { host: '127.0.0.1', port: 0, fs: { allow: [folder, root] } },
    build: { target: 'es2022', minify: false },
    resolve: { alias: ALIAS },
  }
  return { folder, inline }
}

/** Starts a development server with the encoder and a runtime in `public`. */
async function serve() {
  const { folder, inline } = createProject({ 'main.ts': PAGE, 'embedder.worker.ts': WORKER })
  cpSync(join(root, 'model/encoder'), join(folder, 'public/models/skillshelf-encoder'), {
    recursive: true,
  })
  mkdirSync(join(folder, 'public/ort'))
  for (const file of ['ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm'])
    cpSync(join(root, 'node_modules/onnxruntime-web/dist', file), join(folder, 'public/ort', file))
  const server = await createServer({
    ...inline,
    resolve: {
      alias: [...ALIAS, { find: 'onnxruntime-web/webgpu', replacement: 'onnxruntime-web/wasm' }],
    },
    optimizeDeps: { include: ['@huggingface/transformers', 'comlink'] },
  })
  await server.listen()
  return { server, folder }
}

/** The first line that the page logs on Vite's development server, beside a packed library. Other hosts do not answer. */
async function firstLine(packed: Readonly<Record<string, Uint8Array>>): Promise<string> {
  const { server, folder } = await serve()
  onTestFinished(() => server.close())
  writeFiles(join(folder, 'public/packed'), packed)
  const tab = await (await startBrowser()).newPage()
  onTestFinished(() => tab.close())
  await tab.context().route(/^https:/, route => route.abort())
  const first = tab.waitForEvent('console', {
    predicate: message => message.type() === 'log',
    // Until the test ends: a model is loaded.
    timeout: 0,
  })
  await tab.goto(`${server.resolvedUrls?.local[0]}`)
  return (await first).text()
}

/**
 * A page that upgrades a packed library, and logs what it embedded and how it answers. Then it upgrades a library with a runtime that this
 * host does not serve, and with one that has no address, and logs the failures.
 */
const PAGE = `import { openLibrary } from 'skillshelf'
import { threadEmbedder } from 'skillshelf/thread'

const worker = () => new Worker(new URL('./embedder.worker.ts', import.meta.url), { type: 'module' })
const from = wasm => threadEmbedder({ worker, models: '/models/', ...(wasm ? { wasm } : {}) })

const library = await openLibrary('/packed/')
const load = from({ mjs: '/ort/ort-wasm-simd-threaded.mjs', wasm: '/ort/ort-wasm-simd-threaded.wasm' })
let embedded = 0
const counting = async options => {
  const model = await load(options)
  const embed = (texts, more) => {
    if (more?.kind !== 'query') embedded += texts.length
    return model.embed(texts, more)
  }
  return { ...model, embed }
}
const upgraded = await library.upgrade(counting, { timeout: 60_000 })
const { matches, model } = await library.search('飞东京的座位还有吗')
const problems = library.snapshot.diagnostics.map(({ code }) => code)
const packed = { upgraded, embedded, found: matches[0]?.name, model, problems }

const failures = []
for (const wasm of [{ mjs: '/no/ort.mjs', wasm: '/no/ort.wasm' }, undefined]) {
  const other = await openLibrary(${SKILLS})
  const onFailure = ({ message }) => failures.push(message)
  if (await other.upgrade(from(wasm), { onFailure })) failures.push('upgraded')
}
console.log(JSON.stringify({ packed, failures }))
`

interface Logged {
  packed: object
  failures: string[]
}
/** What the page logs, which is opened once. */
const logged = lazy(async () => {
  const skills = {
    'fly/SKILL.md': skill('fly', 'Book airline tickets: dates, seats, luggage'),
    'report/SKILL.md': skill('report', '深度调研：搜索、阅读并写出研究报告'),
    'invoice/SKILL.md': skill('invoice', 'Check invoices against orders and tax rules'),
  }
  const packed = await packFiles(skills, 'skills', { encoder: transformers() })
  return JSON.parse(await firstLine(packed)) as Logged
})

describe.skipIf(process.env['SKIP_BROWSER'])(
  'the development server of Vite (needs a browser)',
  () => {
    it('[CARD-2] [BY-35] with model and runtime in public, a page uses vectors that were packed in Node: it embeds one skill, to compare', async () => {
      expect((await logged()).packed).toEqual({
        upgraded: true,
        embedded: 1,
        found: 'fly',
        model: `hybrid/1 ${resolveModel({}).space}`,
        problems: [],
      })
    })

    it('[CARD-2] serves no file of the ONNX runtime: it is named, not the model', async () => {
      const { failures } = await logged()
      expect(failures).toHaveLength(2)
      expect(failures[0]).toMatch(
        /^(?!.*onnx\/ folder).*The ONNX runtime could not be loaded.*check that \/no\/ort\.mjs and \/no\/ort\.wasm are served/,
      )
    })

    it('[CARD-2] has no address of the ONNX runtime: an unreachable CDN is named', async () => {
      expect((await logged()).failures[1]).toMatch(
        /The ONNX runtime could not be loaded.*cdn\.jsdelivr\.net.*pass their addresses as "wasm"/,
      )
    })
  },
)

it('[CARD-2] a production build has no file of the ONNX runtime that the page does not use', async () => {
  const { folder, inline } = createProject({
    'main.ts': PAGE,
    'embedder.worker.ts': WORKER,
    'skills/fly/SKILL.md': '---\nname: fly\ndescription: Books flights.\n---\nBook it.',
  })
  await build({ ...inline, plugins: [skillshelf()] })
  expect(assets(folder)).toContainEqual(expect.stringMatching(/^embedder\.worker-.*\.js$/))
  expect(assets(folder).filter(file => file.endsWith('.wasm'))).toEqual([])

  // Without the plugin, as the guide says.
  const config = snippetsOf('docs/bundlers.md').find(code => code.includes('optimizeDeps:')) ?? ''
  writeFiles(folder, { 'vite.config.mts': config })
  const loaded = await loadConfigFromFile(
    { command: 'build', mode: 'production' },
    join(folder, 'vite.config.mts'),
  )
  await build({
    ...inline,
    ...loaded?.config,
    resolve: { ...loaded?.config.resolve, alias: ALIAS },
  })
  expect(assets(folder).filter(file => file.endsWith('.wasm'))).toEqual([])
})
