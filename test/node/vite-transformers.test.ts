import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, createServer, type InlineConfig, loadConfigFromFile } from 'vite'
import { afterAll, expect, it, onTestFinished } from 'vitest'
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

/** A page that upgrades a library with these options, and logs the result and the failure. */
function page(options: string): string {
  return `import { openLibrary } from 'skillshelf'
import { threadEmbedder } from 'skillshelf/thread'

const library = await openLibrary(${SKILLS})
const worker = () => new Worker(new URL('./embedder.worker.ts', import.meta.url), { type: 'module' })
let failure = ''
const upgraded = await library.upgrade(threadEmbedder({ worker, ${options} }), {
  onFailure: ({ message }) => { failure = message },
})
console.log(upgraded + ' ' + failure)
`
}

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
    build: { target: 'es2022' },
    resolve: { alias: ALIAS },
  }
  return { folder, inline }
}

/** A development server whose pages share what Vite optimizes. */
let serving: ReturnType<typeof serve> | undefined
afterAll(async () => (await serving)?.server.close())

async function serve() {
  const { folder, inline } = createProject({ 'embedder.worker.ts': WORKER })
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

let pages = 0
/** The first line that the page logs on Vite's development server. Other hosts do not answer. */
async function firstLine(code: string): Promise<string> {
  serving ??= serve()
  const { server, folder } = await serving
  const name = `page-${++pages}`
  writeFiles(folder, {
    [`${name}.ts`]: code,
    [`${name}.html`]: `<!doctype html><script type="module" src="./${name}.ts"></script>`,
  })
  const tab = await (await startBrowser()).newPage()
  onTestFinished(() => tab.close())
  await tab.context().route(/^https:/, route => route.abort())
  const first = tab.waitForEvent('console', {
    predicate: message => message.type() === 'log',
    // Until the test ends: a model is loaded.
    timeout: 0,
  })
  await tab.goto(`${server.resolvedUrls?.local[0]}${name}.html`)
  return (await first).text()
}

it.skipIf(process.env['SKIP_BROWSER']).each([
  [
    'serves model and runtime from public',
    ", wasm: { mjs: '/ort/ort-wasm-simd-threaded.mjs', wasm: '/ort/ort-wasm-simd-threaded.wasm' }",
    /^true $/,
  ],
  [
    'serves no file of the ONNX runtime: it is named, not the model',
    ", wasm: { mjs: '/no/ort.mjs', wasm: '/no/ort.wasm' }",
    /^false (?!.*onnx\/ folder).*The ONNX runtime could not be loaded.*check that \/no\/ort\.mjs and \/no\/ort\.wasm are served/,
  ],
  [
    'has no address of the ONNX runtime: an unreachable CDN is named',
    '',
    /^false .*The ONNX runtime could not be loaded.*cdn\.jsdelivr\.net.*pass their addresses as "wasm"/,
  ],
])('[CARD-2] the development server of Vite, %s (needs a browser)', async (_, wasm, logged) => {
  expect(await firstLine(page(`models: '/models/'${wasm}`))).toMatch(logged)
})

/** A page that upgrades a packed library, and logs what it embedded and how it answers. */
const PACKED_PAGE = `import { openLibrary } from 'skillshelf'
import { threadEmbedder } from 'skillshelf/thread'

const library = await openLibrary('/packed/')
const worker = () => new Worker(new URL('./embedder.worker.ts', import.meta.url), { type: 'module' })
const wasm = { mjs: '/ort/ort-wasm-simd-threaded.mjs', wasm: '/ort/ort-wasm-simd-threaded.wasm' }
const load = threadEmbedder({ worker, models: '/models/', wasm })
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
console.log(JSON.stringify({ upgraded, embedded, found: matches[0]?.name, model, problems }))
`

it.skipIf(process.env['SKIP_BROWSER'])(
  '[BY-35] a page uses vectors that were packed in Node: it embeds one skill, to compare (needs a browser)',
  async () => {
    const skills = {
      'fly/SKILL.md': skill('fly', 'Book airline tickets: dates, seats, luggage'),
      'report/SKILL.md': skill('report', '深度调研：搜索、阅读并写出研究报告'),
      'invoice/SKILL.md': skill('invoice', 'Check invoices against orders and tax rules'),
    }
    serving ??= serve()
    const packed = await packFiles(skills, 'skills', { encoder: transformers() })
    for (const [path, bytes] of Object.entries(packed)) {
      const file = join((await serving).folder, 'public/packed', path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, bytes)
    }
    expect(JSON.parse(await firstLine(PACKED_PAGE))).toEqual({
      upgraded: true,
      embedded: 1,
      found: 'fly',
      model: `hybrid/1 ${resolveModel({}).space}`,
      problems: [],
    })
  },
)

it('[CARD-2] a production build has no file of the ONNX runtime that the page does not use', async () => {
  const { folder, inline } = createProject({
    'main.ts': page(''),
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
