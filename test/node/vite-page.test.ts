import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright'
import { build, type InlineConfig } from 'vite'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deferred } from '../deferred.js'
import { executablePath } from '../launch.js'
import { EVERYTHING } from '../samples.js'
import { startBrowser } from './pages.js'
import {
  BREAD,
  createProject,
  INVOICES,
  type Project,
  problemsOf,
  serveProject,
  serveStatic,
  skill,
  visit,
} from './vite-world.js'

/** `virtual:skillshelf` in a browser: in development and built, in a page and in a Web Worker. */

const HTML =
  '<!doctype html><html lang="en"><title>Test</title><link rel="icon" href="data:,"><script type="module" src="./main.ts"></script></html>'
const PAGE = {
  'index.html': HTML,
  'main.ts': `import { library } from 'virtual:skillshelf'
const changes = []
library.on('change', ({ added, changed, removed }) => changes.push({ added, changed, removed }))
const match = async message => (await library.match(message)).matches.map(({ id }) => id)
Object.assign(window, { match, changes, ready: true })
`,
}
const WORKER = {
  'index.html': HTML,
  'main.ts': `const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
const answers = []
worker.addEventListener('message', ({ data }) => answers.push(data))
const match = message => worker.postMessage(message)
Object.assign(window, { match, answers, ready: true })
`,
  // The listener is added before the library opens, so that no message is lost.
  'worker.ts': `const opening = import('virtual:skillshelf')
self.addEventListener('message', async ({ data }) => {
  const { default: library } = await opening
  self.postMessage((await library.match(data)).matches.map(({ id }) => id))
})
opening.then(({ default: library }) => library.on('change', change => self.postMessage(change.added)))
`,
}
const SKILLS = { 'skills/invoices/SKILL.md': INVOICES, 'skills/bread/SKILL.md': BREAD }

describe.skipIf(executablePath === undefined)('virtual:skillshelf (needs a browser)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })

  const project = (files: Readonly<Record<string, string>>) =>
    createProject({ ...SKILLS, ...files })

  async function open(address: string) {
    const visited = await visit(browser, address)
    onTestFinished(() => visited.page.close())
    await visited.page.waitForFunction('window.ready')
    return visited
  }

  // The other tests of the development server have the base `/`.
  for (const base of EVERYTHING ? ['/', '/sub/'] : ['/sub/']) {
    it(`[TD-11] applies changes on disk in the page without a reload (base ${base})`, async () => {
      const at = project(PAGE)
      const { address } = await serveProject(at, {}, { base })
      const { page, problems, loads } = await open(address)
      await page.evaluate('window.marker = "still here"')
      const changes = (): Promise<unknown> => page.evaluate('changes.splice(0)')
      const match = (message: string): Promise<unknown> =>
        page.evaluate(`match(${JSON.stringify(message)})`)
      expect(await match('check this invoice')).toEqual(['skills/invoices'])

      at.write({ 'skills/plants/SKILL.md': skill('plants', 'Says when to water plants') })
      await expect.poll(changes).toEqual([{ added: ['skills/plants'], changed: [], removed: [] }])
      expect(await match('water my plants')).toEqual(['skills/plants'])

      at.write({ 'skills/plants/SKILL.md': skill('plants', 'Says when to repot a cactus') })
      await expect.poll(changes).toEqual([{ added: [], changed: ['skills/plants'], removed: [] }])
      expect(await match('repot the cactus')).toEqual(['skills/plants'])

      rmSync(join(at.root, 'skills/plants'), { recursive: true })
      await expect.poll(changes).toEqual([{ added: [], changed: [], removed: ['skills/plants'] }])
      expect(await match('repot the cactus')).toEqual([])

      expect(await page.evaluate('window.marker')).toBe('still here')
      expect(loads).toEqual([address])
      expect(problems).toEqual([])
    })
  }

  it('[TD-11] works and refreshes in a Web Worker in development', async () => {
    const at = project(WORKER)
    const { address } = await serveProject(at)
    const { page, loads } = await open(address)
    const answers = (): Promise<unknown> => page.evaluate('answers.splice(0)')
    await page.evaluate(`match('check this invoice')`)
    await expect.poll(answers).toEqual([['skills/invoices']])
    at.write({ 'skills/plants/SKILL.md': skill('plants', 'Says when to water plants') })
    await expect.poll(answers).toEqual([['skills/plants']])
    expect(loads).toEqual([address])
  })

  /** Opens a page whose library answers a message. Returns the names of the files of the model that it has fetched then, too. */
  async function openWithModel(address: string, message: string) {
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    const fetched: string[] = []
    const problems = problemsOf(page)
    page.on('response', response => {
      const name = /[^/]*\.bin$/.exec(new URL(response.url()).pathname)?.[0]
      if (name && response.ok()) fetched.push(name)
    })
    await page.goto(address)
    await page.waitForFunction('window.ready')
    await page.evaluate(`match(${JSON.stringify(message)})`)
    return { page, problems, fetched: [...fetched] }
  }
  const ROWS = ['latin.bin', expect.stringMatching(/^latin-[0-9a-f]{16}\.bin$/)]

  it('[BY-34] fetches the rows of the message in development', async () => {
    const at = project({ ...PAGE, 'skills/bread/SKILL.md': BREAD })
    const { address } = await serveProject(at)
    expect((await openWithModel(address, 'terminate')).fetched).toEqual(ROWS)
  })

  async function built(at: Project, under: string, config: InlineConfig): Promise<string> {
    await build(at.config({}, config))
    return (await serveStatic(join(at.root, 'dist'), under)).address
  }

  for (const [base, under, assetsDir] of [
    ['./', '/any/where/', 'assets'],
    ['/sub/', '/sub/', 'js/deep'],
    ['/', '/', '.'],
  ] as const) {
    it(`[BY-34] opens the built library with rows of the model, with base ${base}, under ${under}, with assets in ${assetsDir}`, async () => {
      const address = await built(project(PAGE), under, { base, build: { assetsDir } })
      const { page, problems, fetched } = await openWithModel(address, 'terminate')
      expect(fetched).toEqual(ROWS)
      expect(await page.evaluate(`match('bake a sourdough bread')`)).toEqual(['skills/bread'])
      expect(problems).toEqual([])
    })
  }

  it('[CARD-5] a page shows itself before it fetches anything of the library', async () => {
    const main = `import { library } from 'virtual:skillshelf'
document.body.append('Hello')
const found = library.match('bake a sourdough bread')
found.then(({ matches }) => document.body.append(' ' + matches[0].name))`
    const address = await built(project({ 'index.html': HTML, 'main.ts': main }), '/', {})
    const html = await (await fetch(address)).text()
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    const held: string[] = []
    const { promise: shown, resolve: show } = deferred()
    await page.route('**', async route => {
      const { pathname } = new URL(route.request().url())
      // The page, its script and what that imports. All else arrives once the page is shown.
      if (pathname !== '/' && !html.includes(pathname)) {
        held.push(pathname)
        await shown
      }
      await route.continue()
    })
    await page.goto(address, { waitUntil: 'commit' })
    await page.getByText('Hello').waitFor()
    show()
    await page.getByText('Hello bread').waitFor()
    expect(held).toContain('/skills/skillshelf.json')
  })

  it('opens the built library in a Web Worker', async () => {
    const address = await built(project(WORKER), '/any/where/', {
      base: './',
      worker: { format: 'es' },
    })
    const { page, problems } = await open(address)
    await page.evaluate(`match('bake a sourdough bread')`)
    await expect.poll(() => page.evaluate('answers.splice(0)')).toEqual([['skills/bread']])
    expect(problems).toEqual([])
  })
})
