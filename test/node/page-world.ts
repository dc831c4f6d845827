import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { lookup } from 'mrmime'
import type { Browser, Locator, Page, Route } from 'playwright'
import { afterEach, beforeAll, describe, expect } from 'vitest'
import { lazy } from '../../src/core/concurrency.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { writeArchive } from '../../src/exports/sources.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { directory } from '../../src/source/directory/directory.js'
import { temporaryFolder, writeFiles } from '../folders.js'
import { executablePath, UNHURRIED } from '../launch.js'
import type { Files as FileContents } from '../packed-files.js'
import { samples } from '../samples.js'
import { builtPage, type Files, type Output, packed } from './built-page.js'
import { type HttpServer, startHttpServer } from './http-server.js'
import { startBrowser } from './pages.js'

export { type Files, packed }

/** Runs the built demo page on a static host in a real browser. */

/** A small library for tests that need another one than the samples. */
export const GARDEN = {
  'roses/SKILL.md':
    '---\nname: roses\ndescription: Prunes roses in the garden.\n---\nCut above a bud, see [tools](lists/tools.md).\n',
  'roses/lists/tools.md': 'shears',
  'tulips/SKILL.md':
    '---\nname: tulips\ndescription: Plants tulip bulbs in autumn.\n---\nDig three inches.\n',
}

/** Three skills like those of the samples. A page shows them in half the time, and embeds them with the encoder in a tenth. */
export const FEW = {
  'recipe-planner/SKILL.md':
    '---\nname: recipe-planner\ndescription: Plans dinner or a week of meals from what is in the fridge, with recipes.\n---\nLook first.\n',
  'ppt/SKILL.md':
    '---\nname: ppt\ndescription: Makes slide decks for talks and launches.\n---\nOne idea a slide.\n',
  'book-flight/SKILL.md':
    '---\nname: book-flight\ndescription: Finds and books flights.\n---\nAsk for the date.\n',
}

/** Packs `FEW` with the vectors of the bundled model, once for all files. */
const few = lazy(async () => packed(memory(FEW), { embedder: await bundled() }))

/** The samples with the bundled model, outside of the page. It is opened once, for all tests that compare a page with it. */
export const sampleLibrary = lazy(() =>
  openLibrary(directory(samples), {
    embedder: bundled({ parts: 'all' }),
    modelTimeout: Number.POSITIVE_INFINITY,
  }),
)

/** How many skills `few` has. */
export const FEW_COUNT = Object.keys(FEW).length

/** What the model status says. */
export const BY_KEYWORDS = 'Ranked by keywords only'
export const BY_BUNDLED_MODEL = 'Ranked by keywords and the bundled model'

/** Marks the results of the message before: with each keystroke the page begins another search, and draws no older one. */
const MARK_OLD_RESULTS = `document.addEventListener('input', () => {
  for (const item of document.querySelectorAll('#results > li')) item.dataset.old = ''
}, { capture: true })`

/** Polls a value until the assertion holds. Each look at a page takes time of three processes. */
export function eventually<Value>(value: () => Value): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(value, { interval: 50 })
}

/** Holds back what a rest of the user begins, until `window.rest`. */
export const HOLD_REST = `{
  const later = window.setTimeout
  window.setTimeout = (run, ms, ...rest) => {
    if (ms !== 250) return later(run, ms, ...rest)
    window.rest = run
    return 0
  }
}`

/** Returns the content of a file, or `undefined` for a 404. */
type Host = (library: string, path: string) => Uint8Array | string | undefined

/**
 * @param allowsCors Whether pages of other origins may read a library.
 * @param stalled Paths that get no response.
 * @param requested Gets the paths of all requests.
 */
function serve(
  host: Host,
  allowsCors: (library: string) => boolean,
  stalled: ReadonlySet<string>,
  requested: string[] = [],
) {
  return startHttpServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const [, library = '', ...rest] = decodeURIComponent(pathname).split('/')
    const path = rest.join('/') || 'index.html'
    if (stalled.has(path)) return
    requested.push(path)
    const content = host(library, path)
    response.statusCode = content === undefined ? 404 : 200
    const type = lookup(path) ?? 'application/octet-stream'
    response.setHeader('content-type', type.startsWith('text/') ? `${type}; charset=utf-8` : type)
    if (allowsCors(library)) response.setHeader('access-control-allow-origin', '*')
    response.end(content === undefined ? content : bytesOf(content))
  })
}

/** Texts of the page as they are sent: to encode one again for each visit takes longer than to send it. */
const encoded = new Map<string, Uint8Array>()

function bytesOf(content: Uint8Array | string): Uint8Array {
  if (typeof content !== 'string') return content
  const bytes = encoded.get(content) ?? Buffer.from(content)
  encoded.set(content, bytes)
  return bytes
}

export type ColorScheme = 'light' | 'dark'

export interface Visit {
  hash?: string
  search?: string
  width?: number
  scheme?: ColorScheme
  locale?: string
  /** Allow motion, which costs time. Default false: the user prefers reduced motion. */
  moves?: boolean
  /** A script that runs before those of the page. */
  before?: string
  /** For tests that add a script of their own to the page. */
  bypassCSP?: boolean
  /** Allow the service worker. Its responses cannot be intercepted by `hold` or `route`. Default false. */
  worker?: boolean
}

export const textOf = async (locator: Locator): Promise<string> =>
  (await locator.textContent()) ?? ''

/** Waits until an element shows a text. */
export const waitForText = (scope: Locator | Page, text: string | RegExp): Promise<void> =>
  scope.getByText(text).waitFor()

/** The width of an image in pixels; 0 until it has loaded. */
export const imageWidth = (image: Locator): Promise<number> =>
  image.evaluate(node => (node as unknown as { naturalWidth: number }).naturalWidth)

/**
 * Serves the page under `/<library>/` with the packed library next to it: `samples`, `few`, `empty` and each of `libraries`.
 */
export function describePage(
  title: string,
  libraries: Libraries,
  tests: (world: World) => void,
): void {
  describe.skipIf(executablePath === undefined)(title, () => tests(createWorld(libraries)))
}

/** The files of each packed library. */
type Libraries = Readonly<Record<string, () => Promise<Files>>>
export type World = ReturnType<typeof createWorld>

function createWorld(libraries: Libraries) {
  let packedLibraries: Readonly<Record<string, Files>> = {}
  let servers: HttpServer[] = []
  let browser: Browser
  /** Errors, warnings, dialogs, and requests to other hosts. */
  let problems: string[] = []
  let allowed: RegExp[] = []
  let origins: string[] = []
  let page: Page
  let isOffline = false
  let wasOffline = false

  beforeAll(async () => {
    browser = await startBrowser()
    const built = await builtPage()
    const others: Record<string, Files> = {}
    for (const [name, pack] of Object.entries(libraries)) others[name] = await pack()
    world.output = built.output
    world.files = new Map(built.files)
    world.sampleFiles = built.samples
    packedLibraries = { samples: built.samples, few: await few(), empty: new Map(), ...others }
    servers = await Promise.all([
      serve(
        (library, path) =>
          path.startsWith('skills/')
            ? packedLibraries[library]?.get(path.slice('skills/'.length))
            : world.files.get(path),
        () => false,
        world.stalled,
        world.requested,
      ),
      serve(
        (library, path) => packedLibraries[library.replace(/^closed-/, '')]?.get(path),
        library => !library.startsWith('closed-'),
        new Set(),
      ),
    ])
    origins = servers.map(({ address }) => address.slice(0, -1))
    ;[world.origin = '', world.otherOrigin = ''] = origins
  })
  afterEach(async () => {
    await world.goOnline()
    world.stalled.clear()
    await page?.context().close()
    const unexpected = problems.filter(problem => !allowed.some(pattern => pattern.test(problem)))
    allowed = []
    expect(unexpected).toEqual([])
  })

  const collectProblems = (from: Page, found: string[]): void => {
    from.on('console', message => {
      // Playwright logs this when it blocks the service worker.
      if (message.text().startsWith('Service Worker registration blocked')) return
      if (wasOffline && message.text().startsWith('Failed to load resource')) return
      if (message.type() === 'error' || message.type() === 'warning') found.push(message.text())
    })
    from.on('pageerror', error => found.push(String(error)))
    from.on('dialog', dialog => {
      found.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    from.on('request', request => {
      const own = origins.some(origin => request.url().startsWith(`${origin}/`))
      if (!own && !/^(?:blob|data):/.test(request.url())) found.push(`request: ${request.url()}`)
    })
  }
  /** Drags files over the page, until it shows where they can be dropped. Returns how to drop them. */
  const drag = async (...paths: string[]): Promise<() => Promise<void>> => {
    const session = await page.context().newCDPSession(page)
    const data = { items: [], files: paths, dragOperationsMask: 1 }
    const dispatch = async (type: 'dragEnter' | 'dragOver' | 'drop'): Promise<void> => {
      await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
    }
    await dispatch('dragEnter')
    await dispatch('dragOver')
    await page.locator('.drop').waitFor()
    return async () => {
      await dispatch('dragOver')
      await dispatch('drop')
    }
  }

  const world = {
    get page() {
      return page
    },
    origin: '',
    /** The origin of another host: `/<library>/` allows cross-origin requests, `/closed-<library>/` does not. */
    otherOrigin: '',
    output: [] as unknown as Output,
    sampleFiles: new Map() as Files,
    /** The files on the page's host. A test that changes them restores them. */
    files: new Map<string, Uint8Array | string>(),
    /** Paths that the page's host does not respond to, until the test ends. */
    stalled: new Set<string>(),
    /** Paths of the page's host that this visit has requested, its service worker too. */
    requested: [] as string[],
    /** Allows console messages and requests of this kind until the test ends. Any other fails the test. */
    allow: (pattern: RegExp) => void allowed.push(pattern),
    async visit(library: string, options: Visit = {}): Promise<void> {
      const {
        hash = '',
        search = '',
        width = 1200,
        scheme = 'light',
        locale = 'en-US',
        before,
        bypassCSP,
      } = options
      await page?.context().close()
      problems = []
      world.requested.length = 0
      wasOffline = false
      const context = await browser.newContext({
        viewport: { width, height: 800 },
        colorScheme: scheme,
        locale,
        reducedMotion: options.moves ? 'no-preference' : 'reduce',
        bypassCSP: bypassCSP ?? false,
        serviceWorkers: options.worker ? 'allow' : 'block',
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      page = await context.newPage()
      collectProblems(page, problems)
      await context.addInitScript(UNHURRIED)
      await context.addInitScript(MARK_OLD_RESULTS)
      await context.addInitScript(`
          document.addEventListener('securitypolicyviolation', event => {
            console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI)
          })
          ${before ?? ''}
        `)
      await page.goto(`${world.origin}/${library}/${search}${hash}`)
    },
    /** Opens another tab of the same browser. */
    async tab(library: string): Promise<Page> {
      const other = await page.context().newPage()
      collectProblems(other, problems)
      await other.goto(`${world.origin}/${library}/`)
      return other
    },
    /** Stops the network and the host until the test ends, or until `goOnline`. */
    async goOffline(): Promise<void> {
      isOffline = true
      wasOffline = true
      await page.context().setOffline(true)
      await servers[0]?.stop()
    },
    async goOnline(): Promise<void> {
      if (!isOffline) return
      isOffline = false
      await servers[0]?.restart()
      await page.context().setOffline(false)
    },
    /** Holds requests back. `release` continues them, and all later ones. */
    async hold(requests: RegExp | string) {
      const held: Route[] = []
      let released = false
      await page.route(requests, async route => {
        if (released) await route.continue()
        else held.push(route)
      })
      return {
        count: () => held.length,
        async release(): Promise<void> {
          released = true
          // Requests of a page that was left no longer exist.
          await Promise.all(held.map(route => route.continue().catch(() => {})))
        },
      }
    },
    /** Clicks an element and waits for what it shows. */
    async show(element: string, shown: string): Promise<void> {
      await page.locator(element).click()
      await page.locator(shown).waitFor()
    },
    /** Types a message and waits for the ranking by the bundled model, or by keywords if there is no model. */
    async ask(message: string): Promise<void> {
      await world.box().fill(message)
      await world.answered()
      await world.modelsAreReady()
    },
    /** Waits for results of the message in the box. */
    answered: (): Promise<void> =>
      page.locator('#results > li:not([data-old]) .reason').first().waitFor(),
    modelsAreReady: (): Promise<void> =>
      page.locator('#models[aria-busy=false]').waitFor({ state: 'attached' }),
    clipboard: async () => String(await page.evaluate('navigator.clipboard.readText()')),
    box: () => page.locator('#message'),
    /** The answer to the message, or without one every skill. */
    results: () => page.locator('#results, #library').getByRole('link'),
    resultNames: (from: Page = page) =>
      from.locator(':is(#results, #library) .name').filter({ visible: true }).allTextContents(),
    firstName: (): Promise<string> => textOf(world.results().first().locator('.name')),
    /** The text of the model status. */
    rankedBy: () => textOf(page.locator('#ranked-by')),
    footer: () => textOf(page.getByRole('contentinfo')),
    /** Where the open library comes from. */
    source: () => page.locator('#source'),
    alert: () => page.getByRole('alert'),
    focused: () => page.locator(':focus'),
    focusedId: (): Promise<string | null> => world.focused().getAttribute('id'),
    /** The open skill. */
    skill: () => page.getByRole('region', { name: 'Open skill' }),
    /** The open view: tokens, prompts, tests, or installed skills. */
    view: () => page.getByRole('region', { name: 'About this library' }),
    heading: () => page.locator('#details').getByRole('heading', { level: 2 }),
    file: (name: string | RegExp): Locator => world.skill().getByRole('button', { name }),
    preview: (): Locator => world.skill().locator('.preview pre'),
    /** The list of installed skills. */
    installed: (from: Page = page) => from.getByRole('list', { name: 'Installed skills' }),
    installedNames: (from?: Page): Promise<string[]> =>
      world.installed(from).locator('.name').allTextContents(),
    async openInstalled(from: Page = page): Promise<void> {
      await from.getByRole('link', { name: 'Installed', exact: true }).click()
      await from
        .locator('#details')
        .getByRole('heading', { level: 2, name: 'Installed skills' })
        .waitFor()
    },
    /** Writes files into a folder with this name, and returns its path. */
    async writeFolder(name: string, contents: FileContents): Promise<string> {
      const root = join(temporaryFolder(), name)
      writeFiles(root, contents)
      return root
    },
    /** Writes an archive, and returns its path. */
    async writeZip(
      name: string,
      contents: FileContents,
      format: 'zip' | 'tar.gz' = 'zip',
    ): Promise<string> {
      const path = join(temporaryFolder(), name)
      await writeFile(path, await writeArchive(contents, { format }))
      return path
    },
    /** Drops files or folders onto the page. */
    async drop(...paths: string[]): Promise<void> {
      const drop = await drag(...paths)
      await drop()
    },
    /** Drags files or folders over the page. */
    drag,
    /** Asserts that the page does not scroll sideways at these widths. */
    async expectNoOverflow(state: string, widths: readonly number[]): Promise<void> {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 })
        const overflow =
          'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        expect([state, width, await page.evaluate(overflow)]).toEqual([state, width, 0])
      }
    },
    /** Runs axe. The visit needs `bypassCSP`. Without color schemes it skips the colors, which take most of its time. */
    async axeViolations(state: string, schemes: readonly ColorScheme[]): Promise<string[]> {
      if (!(await page.evaluate('"axe" in window')))
        await page.evaluate(await readFile(AXE, 'utf8'))
      // Colors are judged as they stay, not in the middle of a fade.
      const still = await page.addStyleTag({
        content: '*, ::before, ::after { animation: none !important; transition: none !important }',
      })
      const found: string[] = []
      const run = async (name: string, options: object): Promise<void> => {
        // What passes is not described, which takes as long as the rules.
        const wanted = JSON.stringify({ resultTypes: ['violations'], ...options })
        const { violations } = (await page.evaluate(`axe.run(${wanted})`)) as {
          violations: Violation[]
        }
        for (const { id, nodes } of violations)
          found.push(`${state}, ${name}: ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
      }
      if (schemes.length === 0)
        await run('colors apart', { rules: { 'color-contrast': { enabled: false } } })
      for (const [at, colorScheme] of schemes.entries()) {
        await page.emulateMedia({ colorScheme })
        // Another scheme changes colors only.
        await run(colorScheme, at === 0 ? {} : { runOnly: ['color-contrast'] })
      }
      await still.evaluate(style => style.remove())
      return found
    },
  }
  return world
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}
