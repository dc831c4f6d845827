import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { isUncached } from '../../demo/offline/install-plugin.js'
import { memory } from '../../src/exports/index.js'
import { SAMPLE_COUNT } from '../samples.js'
import { BY_BUNDLED_MODEL, BY_KEYWORDS, describePage, eventually, packed } from './page-world.js'

const TEA = {
  'tea/SKILL.md':
    '---\nname: tea\ndescription: Brews green tea.\n---\nEighty degrees, see [leaves](leaves.txt).\n',
  'tea/leaves.txt': 'green',
}
const PACKED = fileURLToPath(new URL('../../demo/public/skills/', import.meta.url))
/** Bytes that the service worker may precache. */
const PRECACHE_BUDGET = 4_000_000

const GARDEN = {
  'roses/SKILL.md':
    '---\nname: roses\ndescription: Prunes roses in the garden.\n---\nCut above a bud.\n',
}
const garden = new Map<string, Uint8Array | string>()

const libraries = {
  async garden() {
    for (const [path, content] of await packed(memory(GARDEN))) garden.set(path, content)
    return garden
  },
}

describePage('the demo page offline', libraries, world => {
  const { rankedBy, firstName, footer } = world
  /** Opens a library, and waits until the page works offline. */
  const visitUntilOffline = async (library: string): Promise<void> => {
    await world.visit(library, { worker: true })
    await eventually(footer).toMatch(/ · works offline$/)
  }
  /** The files in the service worker's caches, by build. */
  const caches = async (): Promise<Record<string, string[]>> =>
    (await world.page.evaluate(`(async () => Object.fromEntries(
        await Promise.all((await caches.keys()).map(async name => [
          name,
          (await (await caches.open(name)).keys()).map(({ url }) => url.slice(new URL('./', document.baseURI).href.length)),
        ]))
      ))()`)) as Record<string, string[]>

  it('[BY-6] after one visit the page works offline: it ranks, opens and reads the samples and installed skills, and reports that other libraries do not respond', async () => {
    await visitUntilOffline('samples')
    await world.drop(await world.writeZip('tea.zip', TEA))
    await world.page.getByRole('button', { name: 'Install this skill' }).click()
    await world.page.getByText('1 skill installed.').waitFor()
    await world.page.goto(`${world.origin}/samples/`)
    // Each language that was used works offline, with other messages too.
    await world.ask('brew tea')
    await world.ask('写一封邮件向客户道歉')
    await world.ask('Ich möchte eine Reise nach Portugal planen')
    const kept = async (): Promise<string> =>
      Object.values(await caches())
        .flat()
        .join()
    for (const part of ['latin', 'european', 'han']) {
      await eventually(kept).toMatch(new RegExp(`assets/${part}-[^/]*\\.gzip`))
    }

    await world.goOffline()
    await world.page.reload()
    // The address may hold the last message.
    await world.results().first().waitFor()
    await world.box().fill('')
    await eventually(() => world.results().count()).toBe(SAMPLE_COUNT + 1)
    await world.ask('我想订一张去东京的机票')
    await eventually(async () => [await firstName(), await rankedBy()]).toEqual([
      'book-flight',
      BY_BUNDLED_MODEL,
    ])
    await world.ask('Mach aus meinen Notizen eine Präsentation')
    await eventually(async () => [await firstName(), await rankedBy()]).toEqual([
      'ppt',
      BY_BUNDLED_MODEL,
    ])
    await world.ask('我想订一张去东京的机票')
    // This skill was not opened online.
    await world.box().press('Enter')
    await world.heading().getByText('book-flight').waitFor()
    await world.file(/\.py/).first().click()
    await world.preview().waitFor()
    await world.ask('brew green tea')
    await world.box().press('Enter')
    await world.skill().getByText('installed/tea').waitFor()
    await world.file('leaves.txt').click()
    await world.preview().getByText('green', { exact: true }).waitFor()
    await eventually(() => footer()).toMatch(
      new RegExp(`^${SAMPLE_COUNT + 1} skills · .* · works offline$`),
    )
    // An unreachable host is not a diagnostic.
    await eventually(() => world.page.locator('#diagnostics').textContent()).toBe('')

    await world.box().fill('')
    await world.openInstalled()
    await world.page.getByRole('button', { name: 'Remove tea' }).click()
    await eventually(() => world.results().count()).toBe(SAMPLE_COUNT)
    await world.page.getByRole('button', { name: 'Undo' }).click()
    await eventually(() => world.results().count()).toBe(SAMPLE_COUNT + 1)
    await world.page.getByRole('button', { name: '中文' }).click()
    await world.page.getByText(`此技能库共有 ${SAMPLE_COUNT + 1} 个技能`).waitFor()
    await world.page.goto(
      `${world.origin}/samples/?library=${encodeURIComponent(`${world.otherOrigin}/garden/`)}`,
    )
    await world
      .alert()
      .getByText(/没有响应/)
      .waitFor()
  })

  it('[BY-6] the offline copy answers the first message while the host is slow', async () => {
    await visitUntilOffline('few')
    const { count } = await world.hold('**/skills/**')
    await world.page.reload()
    await world.ask('make slides about our launch')
    await eventually(async () => [await firstName(), await rankedBy()]).toEqual([
      'ppt',
      BY_BUNDLED_MODEL,
    ])
    await eventually(count).toBeGreaterThan(0)
  })

  it('[BY-6] the page shows the offline copy first, then the samples that its host has now, and copies them', async () => {
    await visitUntilOffline('garden')
    const tulips = { 'tulips/SKILL.md': GARDEN['roses/SKILL.md'].replaceAll('roses', 'tulips') }
    for (const [path, content] of await packed(memory({ ...GARDEN, ...tulips })))
      garden.set(path, content)
    const { release } = await world.hold('**/skillshelf.json')
    await world.page.reload()
    await eventually(() => world.resultNames()).toEqual(['roses'])
    await release()
    await eventually(() => world.resultNames()).toEqual(['roses', 'tulips'])
    await eventually(() => rankedBy()).toBe(BY_KEYWORDS)
    await world.page.unroute('**/skillshelf.json')
    await world.goOffline()
    await world.page.reload()
    await eventually(() => world.resultNames()).toEqual(['roses', 'tulips'])
  })

  it('[BY-6] the page opens from the cache if its host does not respond, and not if the host says it is gone', async () => {
    await visitUntilOffline('few')
    world.stalled.add('index.html')
    await world.page.reload()
    await eventually(() => world.results().count()).toBe(3)
    world.stalled.clear()
    const html = world.files.get('index.html') as string
    world.files.delete('index.html')
    try {
      // A 404 is final: the cached page is not shown. Some browsers report one without content as a failure.
      const reloaded = world.page.reload().then(response => String(response?.status()), String)
      expect(await reloaded).toMatch(/^404$|ERR_HTTP_RESPONSE_CODE_FAILURE/)
      await eventually(() => world.box().count()).toBe(0)
    } finally {
      world.files.set('index.html', html)
    }
    world.allow(/404/)
  })

  it('[BY-6] the page uses a new build at once, and keeps the old cache until the new one is complete', async () => {
    await visitUntilOffline('few')
    const html = String(world.files.get('index.html'))
    const build = () => world.page.locator('html').getAttribute('data-build')
    const worker = String(world.files.get('sw.js'))
    const before = await caches()
    const version = /"version":"(\w+)"/.exec(worker)?.[1] as string
    try {
      world.files.set('index.html', html.replace('<html ', '<html data-build="new" '))
      await world.page.reload()
      await eventually(build).toBe('new')
      // A deployment is incomplete: a file is missing.
      const updated = worker
        .replace(version, 'f00d')
        .replace('"precached":[', '"precached":["assets/missing.js",')
      world.files.set('sw.js', updated)
      const state = `(async () => {
          const registration = await navigator.serviceWorker.ready
          let worker = registration.installing ?? registration.waiting
          registration.addEventListener('updatefound', () => {
            worker = registration.installing ?? registration.waiting ?? worker
          })
          // The page looks for updates too: what it finds may be gone before this asks for it, which then asks again.
          while (!worker) {
            await registration.update().catch(() => {})
            worker ??= registration.installing ?? registration.waiting
          }
          await new Promise(resolve => {
            const look = () => ['redundant', 'installed'].includes(worker.state) && resolve()
            worker.addEventListener('statechange', look)
            look()
          })
          return worker.state
        })()`
      await eventually(() => world.page.evaluate(state)).toBe('redundant')
      // A deployment is incomplete: the document and the worker belong to different builds.
      world.files.set(
        'sw.js',
        worker.replace(version, 'f00d').replace(/"entry":"[^"]*"/, '"entry":"assets/other.js"'),
      )
      await eventually(() => world.page.evaluate(state)).toBe('redundant')
      await world.goOffline()
      await world.page.reload()
      await eventually(build).toBe(null)
      await eventually(() => world.results().count()).toBe(3)

      await world.goOnline()
      world.files.set('sw.js', worker.replace(version, 'f00d'))
      await eventually(() => world.page.evaluate(state)).toBe('installed')
      // Once no page of the old build is open, the new worker takes over and deletes its cache.
      await eventually(async () => {
        // A page that opens too early still gets the old build.
        await world.page.goto('about:blank')
        await world.page.goto(`${world.origin}/few/`)
        return Object.keys(await caches()).map(name => name.split(' ').at(-1))
      }).toEqual(['f00d'])
      expect(Object.keys(before).map(name => name.split(' ').at(-1))).toEqual([version])
      await world.goOffline()
      await world.page.reload()
      await eventually(build).toBe('new')
    } finally {
      world.files.set('index.html', html)
      world.files.set('sw.js', worker)
    }
  })

  it('[BY-6] the service worker caches the files of the page and no others, within a budget', async () => {
    await visitUntilOffline('few')
    const [cached = []] = Object.values(await caches())
    const page = world.output
      .map(file => file.fileName)
      .filter(name => name !== 'sw.js' && !isUncached(name))
    const lazy = page.filter(name =>
      /\/(?:ort-|transformers|edge-|response-|rows-|latin-|european-|cyrillic-|han-|kana-|hangul-)|\.worker/.test(
        name,
      ),
    )
    // The scripts of closed views came in one file.
    const pack = /\/offline-[^/]*\.gzip$/
    const files = cached.filter(name => !pack.test(name) && !/\/rows-/.test(name))
    expect(files.map(name => name || 'index.html').sort()).toEqual(
      page.filter(name => !lazy.includes(name)).sort(),
    )
    expect(cached.filter(name => pack.test(name))).toHaveLength(1)
    const size = (name: string): number =>
      Buffer.byteLength(world.files.get(name || 'index.html') as string)
    expect(cached.reduce((sum, name) => sum + size(name), 0)).toBeLessThan(PRECACHE_BUDGET)
    // A file of the transformer is cached on first use.
    const runtime = lazy.find(name => name.endsWith('.mjs')) as string
    await world.page.evaluate(`fetch('./${runtime}').then(response => response.text())`)
    await eventually(async () => Object.values(await caches())[0]).toContain(runtime)
    await world.page.evaluate(
      `fetch('./skills/skillshelf.json?other').then(response => response.text())`,
    )
    const after = Object.values(await caches()).flat()
    expect(after.filter(name => name.startsWith('skills/'))).toEqual([])
  })

  // `npm run pack:samples` writes the samples that the build puts into one file.
  it.skipIf(!existsSync(PACKED))(
    '[BY-6] a first visit takes at most 30 files and 1.4 MB in all, and the footer counts all',
    async () => {
      await visitUntilOffline('samples')
      const files = new Set(world.requested)
      expect(files.size, [...files].join(' ')).toBeLessThanOrEqual(30)
      // A host compresses texts only; this one does not.
      const sizeOf = (path: string, compressed: boolean): number => {
        const content = path.startsWith('skills/')
          ? world.sampleFiles.get(path.slice('skills/'.length))
          : world.files.get(path)
        if (content === undefined) throw new Error(`${path} is no file of the page`)
        const text = compressed && /\.(?:js|css|html|json|svg)$/.test(path)
        return text ? gzipSync(content).length : Buffer.byteLength(content)
      }
      const sum = (compressed: boolean): number =>
        [...files].reduce((all, path) => all + sizeOf(path, compressed), 0)
      expect(sum(true)).toBeLessThan(1_400_000)
      // All but the script of the service worker.
      const said = (sum(false) - sizeOf('sw.js', false)) / 1e6
      await eventually(footer).toContain(` · ${said.toFixed(1)} MB downloaded · `)
    },
  )

  it('[BY-6] the page does not claim to work offline without a service worker or storage (stubbed), or if the user saves data', async () => {
    await world.visit('few')
    await world.ask('book a flight')
    await eventually(() => footer()).toMatch(/ · messages stay in this tab$/)
    const before = `Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('no', 'SecurityError') } })`
    await world.visit('few', { worker: true, before })
    await world.ask('book a flight')
    await world.page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
    await world.ask('make slides about our launch')
    await eventually(() => footer()).toMatch(/ · messages stay in this tab$/)
    const saves = `Object.defineProperty(navigator, 'connection', { value: { saveData: true } })`
    await world.visit('few', { worker: true, before: saves })
    await world.ask('book a flight')
    const workers = 'navigator.serviceWorker.getRegistrations().then(all => all.length)'
    await eventually(() => world.page.evaluate(workers)).toBe(0)
  })
})
