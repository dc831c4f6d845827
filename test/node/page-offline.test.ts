import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeArchive } from '../../src/exports/archive.js'
import { memory } from '../../src/exports/index.js'
import { describePage, eventually, packed, textOf } from './page-world.js'

const TEA = {
  'tea/SKILL.md': '---\nname: tea\ndescription: Brews green tea.\n---\nEighty degrees, see [leaves](leaves.txt).\n',
  'tea/leaves.txt': 'green',
}
const BUNDLED = 'Finds by words and the bundled model'
/** Bytes that a visit may fetch for the next one without a network. */
const KEPT_BUDGET = 4_000_000

const GARDEN = {
  'roses/SKILL.md': '---\nname: roses\ndescription: Prunes roses in the garden.\n---\nCut above a bud.\n',
}
const garden = new Map<string, Uint8Array | string>()

describePage(
  'the demo page without a network',
  async () => {
    for (const [path, content] of await packed(memory(GARDEN))) garden.set(path, content)
    return { garden }
  },
  world => {
    const footer = () => textOf(world.page.getByRole('contentinfo'))
    const answers = () => textOf(world.page.locator('#answers'))
    const offline = () => expect.poll(footer).toMatch(/ · works offline$/)
    const firstName = () => textOf(world.results().first().locator('.name'))
    /** What the service worker keeps, by build. */
    const caches = async (): Promise<Record<string, string[]>> =>
      (await world.page.evaluate(`(async () => Object.fromEntries(
        await Promise.all((await caches.keys()).map(async name => [
          name,
          (await (await caches.open(name)).keys()).map(({ url }) => url.slice(document.baseURI.length)),
        ]))
      ))()`)) as Record<string, string[]>

    it('[BY-6] opens after one visit: the samples and what was kept are found by meaning, opened, read; others are told', async () => {
      await world.visit('samples', { worker: true })
      await offline()
      const zip = join(await world.folder(), 'tea.zip')
      await writeFile(zip, await writeArchive(TEA, { format: 'zip' }))
      await world.drop(zip)
      await world.page.getByRole('button', { name: 'Keep this skill' }).click()
      await world.page.getByText('1 skill kept.').waitFor()
      await world.page.goto(`${world.origin}/samples/`)
      await world.ask('brew tea')

      await world.cut()
      await world.page.reload()
      await eventually(() => world.results().count()).toBe(15)
      await world.ask('我想订一张去东京的机票')
      expect([await firstName(), await answers()]).toEqual(['book-flight', BUNDLED])
      // Never opened before.
      await world.box().press('Enter')
      await world.heading().getByText('book-flight').waitFor()
      await world.file(/\.py/).first().click()
      await world.opened().locator('.preview pre').waitFor()
      await world.ask('brew green tea')
      await world.box().press('Enter')
      await world.opened().getByText('mine/tea').waitFor()
      await world.file('leaves.txt').click()
      await world.opened().locator('.preview pre').getByText('green', { exact: true }).waitFor()
      expect(await footer()).toMatch(/^15 skills · .* · works offline$/)
      // That the host is out of reach is no remark on the library.
      expect(await world.page.locator('#notes').textContent()).toBe('')

      await world.box().fill('')
      await world.page.getByRole('link', { name: 'My skills', exact: true }).click()
      await world.page.getByRole('button', { name: 'Remove tea' }).click()
      await eventually(() => world.results().count()).toBe(14)
      await world.page.getByRole('button', { name: 'Undo' }).click()
      await eventually(() => world.results().count()).toBe(15)
      await world.page.getByRole('button', { name: '中文' }).click()
      await world.page.getByText('架上有 15 个技能').waitFor()
      await world.page.goto(`${world.origin}/samples/?library=${encodeURIComponent(`${world.elsewhere}/garden/`)}`)
      await world.page
        .getByRole('alert')
        .getByText(/没有回应/)
        .waitFor()
    })

    it('[BY-6] has every file of the samples after one visit, opened or not', async () => {
      await world.visit('samples', { worker: true })
      await offline()
      await world.cut()
      await world.page.goto(`${world.origin}/samples/#/skill/skills/ppt`)
      await world.page.reload()
      await world.heading().getByText('PPT生成').waitFor()
      await world.file(/layout\.py/).click()
      await world.opened().locator('.preview pre').getByText('import').first().waitFor()
    })

    it('[BY-6] answers the first message from what is kept while the host is slow', async () => {
      await world.visit('samples', { worker: true })
      await offline()
      let held = 0
      await world.page.route('**/skills/**', () => void held++)
      await world.page.reload()
      await world.ask('make slides about our launch')
      expect([await firstName(), await answers()]).toEqual(['PPT生成', BUNDLED])
      await eventually(() => held).toBeGreaterThan(0)
    })

    it('[BY-6] follows the samples of its host: first what is kept, then what is there now, kept too', async () => {
      const names = () => world.results().locator('.name').allTextContents()
      await world.visit('garden', { worker: true })
      await offline()
      const tulips = { 'tulips/SKILL.md': GARDEN['roses/SKILL.md'].replaceAll('roses', 'tulips') }
      for (const [path, content] of await packed(memory({ ...GARDEN, ...tulips }))) garden.set(path, content)
      let release = (): void => {}
      const gate = new Promise<void>(resolve => {
        release = resolve
      })
      await world.page.route('**/skillshelf.json', async route => {
        await gate
        await route.continue()
      })
      await world.page.reload()
      await eventually(names).toEqual(['roses'])
      release()
      await eventually(names).toEqual(['roses', 'tulips'])
      expect(await answers()).toBe('Finds by words alone')
      await world.page.unroute('**/skillshelf.json')
      await world.cut()
      await world.page.reload()
      await eventually(names).toEqual(['roses', 'tulips'])
    })

    it('[BY-6] opens from what is kept where the host is there, but does not answer, or fails', async () => {
      await world.visit('samples', { worker: true })
      await offline()
      world.held.add('index.html')
      await world.page.reload()
      await eventually(() => world.results().count()).toBe(14)
      world.held.clear()
      const html = world.files.get('index.html') as string
      world.files.delete('index.html')
      try {
        // What is gone for good is not shown for ever.
        await expect(world.page.reload()).rejects.toThrow('ERR_HTTP_RESPONSE_CODE_FAILURE')
        expect(await world.box().count()).toBe(0)
      } finally {
        world.files.set('index.html', html)
      }
      world.allow(/404/)
    })

    it('[BY-6] is the new page as soon as the host has one, and keeps all of the old one until the new one is whole', async () => {
      await world.visit('samples', { worker: true })
      await offline()
      const html = String(world.files.get('index.html'))
      const worker = String(world.files.get('sw.js'))
      const before = await caches()
      const version = /"version":"(\w+)"/.exec(worker)?.[1] as string
      try {
        world.files.set('index.html', html.replace('<title>', '<title>New '))
        await world.page.reload()
        await eventually(() => world.page.title()).toBe('New skillshelf')
        // Somebody is half way through bringing the new build up.
        const updated = worker.replace(version, 'f00d').replace('"first":[', '"first":["assets/missing.js",')
        world.files.set('sw.js', updated)
        const state = `(async () => {
          const registration = await navigator.serviceWorker.ready
          const found = new Promise(resolve => registration.addEventListener('updatefound', () => resolve(registration.installing)))
          await registration.update().catch(() => {})
          const next = await found
          await new Promise(resolve => {
            const look = () => ['redundant', 'installed'].includes(next.state) && resolve()
            next.addEventListener('statechange', look)
            look()
          })
          return next.state
        })()`
        expect(await world.page.evaluate(state)).toBe('redundant')
        // Or has a document and a worker of two builds.
        world.files.set(
          'sw.js',
          worker.replace(version, 'f00d').replace(/"entry":"[^"]*"/, '"entry":"assets/other.js"'),
        )
        expect(await world.page.evaluate(state)).toBe('redundant')
        await world.cut()
        await world.page.reload()
        await eventually(() => world.page.title()).toBe('skillshelf')
        await eventually(() => world.results().count()).toBe(14)

        await world.mend()
        world.files.set('sw.js', worker.replace(version, 'f00d'))
        expect(await world.page.evaluate(state)).toBe('installed')
        // No page of the old build is left: the new one takes over, and tidies up.
        await eventually(async () => {
          // A page that comes back too soon still gets the old one.
          await world.page.goto('about:blank')
          await world.page.goto(`${world.origin}/samples/`)
          return Object.keys(await caches()).map(name => name.split(' ').at(-1))
        }).toEqual(['f00d'])
        expect(Object.keys(before).map(name => name.split(' ').at(-1))).toEqual([version])
        await world.cut()
        await world.page.reload()
        await eventually(() => world.page.title()).toBe('New skillshelf')
      } finally {
        world.files.set('index.html', html)
        world.files.set('sw.js', worker)
      }
    })

    it('[BY-6] keeps every file that the page may need and nothing else of the host, within a budget', async () => {
      await world.visit('samples', { worker: true })
      await offline()
      const [kept = []] = Object.values(await caches())
      const page = world.output.map(one => one.fileName).filter(name => name !== 'sw.js')
      const later = page.filter(name => /ort-|transformers|worker/.test(name))
      expect(kept.map(name => name || 'index.html').sort()).toEqual(page.filter(name => !later.includes(name)).sort())
      const size = (name: string): number => Buffer.byteLength(world.files.get(name || 'index.html') as string)
      expect(kept.reduce((sum, name) => sum + size(name), 0)).toBeLessThan(KEPT_BUDGET)
      // A file of the transformer is kept once it was fetched.
      const runtime = later.find(name => name.endsWith('.mjs')) as string
      await world.page.evaluate(`fetch('./${runtime}').then(response => response.text())`)
      await eventually(async () => (await caches())[Object.keys(await caches())[0] as string]?.includes(runtime)).toBe(
        true,
      )
      await world.page.evaluate(`fetch('./skills/skillshelf.json?other').then(response => response.text())`)
      expect(
        Object.values(await caches())
          .flat()
          .filter(name => name.startsWith('skills/')),
      ).toEqual([])
    })

    it('[BY-6] promises nothing where it cannot: no service worker, or storage that is forbidden (stubbed)', async () => {
      await world.visit('samples')
      await world.ask('book a flight')
      expect(await footer()).toMatch(/ · nothing leaves this page$/)
      const before = `Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('no', 'SecurityError') } })`
      await world.visit('samples', { worker: true, before })
      await world.ask('book a flight')
      await world.page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
      await world.ask('make slides about our launch')
      expect(await footer()).toMatch(/ · nothing leaves this page$/)
      // Nor does it fetch ahead for who saves data.
      const saves = `Object.defineProperty(navigator, 'connection', { value: { saveData: true } })`
      await world.visit('samples', { worker: true, before: saves })
      await world.ask('book a flight')
      expect(await world.page.evaluate('navigator.serviceWorker.getRegistrations().then(all => all.length)')).toBe(0)
    })
  },
)
