import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright'
import { build } from 'vite'
import { expect, it } from 'vitest'
import { PARTS } from '../../src/search/model/script-parts.js'
import { temporaryFolder } from '../folders.js'
import { startBrowser } from './pages.js'
import { ALIAS, serveStatic } from './vite-world.js'

/** Set by the page. */
declare const skillshelf: typeof import('../../src/exports/index.js') &
  typeof import('../../src/exports/store.js')

const root = fileURLToPath(new URL('../..', import.meta.url))
const skip = Boolean(process.env['SKIP_BROWSER'])

/** A page of the folder, and the names of the files that it has requested. */
async function openPage(folder: string): Promise<{ page: Page; requested: string[] }> {
  const host = await serveStatic(folder)
  const page = await (await startBrowser()).newPage()
  const requested: string[] = []
  page.on(
    'request',
    request => void requested.push(new URL(request.url()).pathname.replace(/.*\//, '')),
  )
  await page.goto(host.address)
  return { page, requested }
}

/** A folder with the page without a bundler. */
function browserBuild(): string {
  const folder = temporaryFolder({
    'index.html': `<!doctype html><script type="module">import * as skillshelf from './skillshelf/skillshelf.js'; window.skillshelf = skillshelf</script>`,
  })
  symlinkSync(join(root, 'dist/browser'), join(folder, 'skillshelf'))
  return folder
}

it.skipIf(skip)(
  '[CARD-1] preload loads every module, for a page without a network (needs a browser)',
  async () => {
    const { page, requested } = await openPage(browserBuild())
    // The search element is a script of its own.
    const files = readdirSync(join(root, 'dist/browser'))
    const modules = files.filter(file => file.endsWith('.js') && file !== 'skill-search.js')
    await page.evaluate(async () => {
      const { preload } = skillshelf
      await preload()
    })
    expect(requested.filter(file => file.endsWith('.js')).sort()).toEqual(modules.sort())

    await page.context().setOffline(true)
    const before = requested.length
    const names = await page.evaluate(async () => {
      const { memory, openLibrary, skillStore } = skillshelf
      const store = skillStore(memory())
      await store.install({
        'greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nSay hello.',
      })
      const copy = skillStore(memory())
      await copy.install(await store.export())
      const library = await openLibrary(copy, { stages: 'keyword' })
      const { matches } = await library.search('greet people')
      const { instructions } = await library.get('greet')
      return [matches[0]?.name, instructions, (await library.read('greet', 'SKILL.md')).text]
    })
    expect(names).toEqual(['greet', 'Say hello.', expect.stringContaining('Say hello.')])
    expect(requested.slice(before)).toEqual([])
  },
)

it.skipIf(skip)(
  '[CARD-1] a replaced module is named, with the advice to reload (needs a browser)',
  async () => {
    const { page } = await openPage(browserBuild())
    await page.route(/skill-file/, route => route.fulfill({ status: 404 }))
    const errors = await page.evaluate(async () => {
      const { openLibrary, preload } = skillshelf
      const data = (error: { code: string; message: string }): string =>
        `${error.code}: ${error.message}`
      const library = await openLibrary({
        'greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nHi.',
      })
      return [await preload().catch(data), await library.read('greet', 'SKILL.md').catch(data)]
    })
    const expected = expect.stringMatching(/^module-failed: .*skill-file.*reload the page/)
    expect(errors).toEqual([expected, expected])
  },
)

it.skipIf(skip)(
  '[BY-1] preload loads every part of the bundled model (needs a browser)',
  async () => {
    const folder = temporaryFolder({
      'index.html': '<!doctype html><script type="module" src="./main.js"></script>',
      'main.js': `import { openLibrary, preload } from 'skillshelf'
import { bundled } from 'skillshelf/model'

const skill = (name, description) => '---\\nname: ' + name + '\\ndescription: ' + description + '\\n---\\nDo it.'
const files = { 'book-flight/SKILL.md': skill('book-flight', 'Books airline tickets'), 'pdf/SKILL.md': skill('pdf', 'Extracts tables') }
const embedder = bundled()
const library = await openLibrary(files, { embedder })
await preload({ embedder })
window.search = async message => (await library.search(message)).matches[0]?.name
`,
    })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const options = { base: './', build: { target: 'es2022' }, resolve: { alias: ALIAS } }
    await build({ configFile: false, root: folder, logLevel: 'error', ...options })
    const { page, requested } = await openPage(join(folder, 'dist'))
    await page.waitForFunction(() => 'search' in globalThis)
    const parts = requested.flatMap(file => /^([a-z]+)-.*\.bin$/.exec(file)?.[1] ?? [])
    expect(parts.sort()).toEqual([...PARTS].sort())
    await page.context().setOffline(true)
    const before = requested.length
    const search = (message: string) =>
      page.evaluate(
        text => (globalThis as unknown as { search(text: string): Promise<string> }).search(text),
        message,
      )
    expect(await search('我想订一张去东京的机票')).toBe('book-flight')
    expect(requested.slice(before)).toEqual([])
  },
)
