import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Locator, Page } from 'playwright'
import { build, mergeConfig, type Rolldown } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { bundled } from '../../src/embed/bundled/node.js'
import { type PackOptions, pack, type SkillSource } from '../../src/exports/index.js'
import { directory } from '../../src/source/directory/directory.js'
import config from '../../vite.config.js'
import { executablePath, launch, UNHURRIED } from '../launch.js'

/** The built demo page, as any static host serves it, in a real browser. */

export const samples = fileURLToPath(new URL('../../demo/skills', import.meta.url))

/** The files of a real transformer, where they are: not part of the project. Pages find them under `/models/`. */
const models = fileURLToPath(new URL('../../../shared/models/', import.meta.url))
export const hasModels = existsSync(`${models}Xenova/all-MiniLM-L6-v2`)

/** Waits for a value. */
export function eventually<Value>(value: () => Value): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(value)
}

export type Files = ReadonlyMap<string, Uint8Array | string>
type Output = Rolldown.RolldownOutput['output']

export async function packed(source: SkillSource, options: PackOptions = {}): Promise<Files> {
  const files = new Map<string, Uint8Array>()
  for await (const { path, bytes } of pack(source, options)) files.set(path, bytes)
  return files
}

async function built(): Promise<{ files: Files; output: Output }> {
  const result = await build(
    mergeConfig(config, { configFile: false, publicDir: false, logLevel: 'error', build: { write: false } }),
  )
  const { output } = result as Rolldown.RolldownOutput
  return {
    output,
    files: new Map(output.map(one => [one.fileName, one.type === 'chunk' ? one.code : one.source])),
  }
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  wasm: 'application/wasm',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
}

/** What a host does with a request; `undefined`: there is no such file. */
type Host = (library: string, path: string) => Uint8Array | string | undefined

/** @param readable Whether pages of other hosts may read its answers. */
function serve(host: Host, readable: (library: string) => boolean, held: ReadonlySet<string>): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const [, library = '', ...rest] = decodeURIComponent(pathname).split('/')
    const path = rest.join('/') || 'index.html'
    if (held.has(path)) return
    const content = host(library, path)
    response.statusCode = content === undefined ? 404 : 200
    response.setHeader('content-type', TYPES[/\.(\w+)$/.exec(path)?.[1] ?? ''] ?? 'application/octet-stream')
    if (readable(library)) response.setHeader('access-control-allow-origin', '*')
    response.end(content)
  })
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)))
}

function modelFile(path: string): Uint8Array | undefined {
  const file = join(models, path)
  return file.startsWith(models) && existsSync(file) ? readFileSync(file) : undefined
}

async function stop(server: Server | undefined): Promise<void> {
  server?.closeAllConnections()
  await new Promise(resolve => (server ? server.close(resolve) : resolve(undefined)))
}

/** On the port that it had. */
function startAgain(server: Server, port: number): Promise<void> {
  return new Promise(resolve => server.listen(port, '127.0.0.1', resolve))
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export interface Visit {
  hash?: string
  search?: string
  width?: number
  scheme?: 'light' | 'dark'
  locale?: string
  /** Run in the page before its own scripts. */
  before?: string
  /** Only where a test brings a script of its own into the page. */
  bypassCSP?: boolean
  /** Let the page have its service worker: what that answers, no test can hold back. Default false. */
  worker?: boolean
}

export interface World {
  readonly page: Page
  readonly origin: string
  /** Another host: `/<library>/`, readable by other pages; `/closed-<library>/` is not. */
  readonly elsewhere: string
  readonly output: Output
  readonly sampleFiles: Files
  /** What the page's own host has: a test that changes it puts it back. */
  readonly files: Map<string, Uint8Array | string>
  /** Files of the page that the host does not answer for, until the test ends. */
  readonly held: Set<string>
  /** What the page complains of like this is no problem, until the test ends: the console may tell of it after the page does. */
  allow(problems: RegExp): void
  visit(library: string, options?: Visit): Promise<void>
  /** Another tab of the same browser. */
  tab(library: string): Promise<Page>
  /** No network, and no host: until the test ends, or `mend`. */
  cut(): Promise<void>
  mend(): Promise<void>
  /** Types a message and waits for the answer, by the bundled model where there is one. */
  ask(message: string): Promise<void>
  box(): Locator
  results(): Locator
  opened(): Locator
  /** What is open about the shelf: tokens, model, tests. */
  aside(): Locator
  heading(): Locator
  file(name: string | RegExp): Locator
  /** A folder that is gone after the test file. */
  folder(): Promise<string>
  /** Drops what lies at these paths onto the page, as a person does. */
  drop(...files: string[]): Promise<void>
  /** Drags it over the page. */
  drag(...files: string[]): Promise<void>
}

export const textOf = async (locator: Locator): Promise<string> => (await locator.textContent()) ?? ''

/** The page under `/<library>/`, for the samples and each of `libraries`, with that library beside it. */
export function describePage(
  title: string,
  libraries: () => Promise<Readonly<Record<string, Files>>>,
  tests: (world: World) => void,
): void {
  describe.skipIf(executablePath === undefined)(title, () => {
    let output: Output
    let all: Readonly<Record<string, Files>>
    let servers: Server[] = []
    let browser: Browser
    let page: Page
    /** What the page complained of, asked of others, or was stopped from. */
    let problems: string[] = []
    let allowed: RegExp[] = []
    let files = new Map<string, Uint8Array | string>()
    const folders: string[] = []
    let origins: string[] = []
    const held = new Set<string>()
    let isCut = false
    let wasCut = false

    beforeAll(async () => {
      browser = await launch()
      const [made, others, own] = await Promise.all([
        built(),
        libraries(),
        packed(directory(samples), { embedder: await bundled({ han: true }) }),
      ])
      output = made.output
      files = new Map(made.files)
      all = { samples: own, empty: new Map(), ...others }
      servers = await Promise.all([
        serve(
          (library, path) => {
            if (library === 'models' && hasModels) return modelFile(path)
            return path.startsWith('skills/') ? all[library]?.get(path.slice('skills/'.length)) : files.get(path)
          },
          () => false,
          held,
        ),
        serve(
          (library, path) => all[library.replace(/^closed-/, '')]?.get(path),
          library => !library.startsWith('closed-'),
          new Set(),
        ),
      ])
      origins = servers.map(originOf)
    })
    afterAll(async () => {
      await browser?.close()
      await Promise.all(servers.map(stop))
      await Promise.all(folders.map(path => rm(path, { recursive: true, force: true })))
    })
    afterEach(async () => {
      await world.mend()
      held.clear()
      await page?.context().close()
      const unexpected = problems.filter(problem => !allowed.some(one => one.test(problem)))
      allowed = []
      expect(unexpected).toEqual([])
    })

    const listen = (to: Page, found: string[]): void => {
      to.on('console', message => {
        // Said by the test's own tool where it keeps a service worker away.
        if (message.text().startsWith('Service Worker registration blocked')) return
        // Nor that nothing is reached where the test has cut the network.
        if (wasCut && message.text().startsWith('Failed to load resource')) return
        if (message.type() === 'error' || message.type() === 'warning') found.push(message.text())
      })
      to.on('pageerror', error => found.push(String(error)))
      to.on('dialog', dialog => {
        found.push(`dialog: ${dialog.message()}`)
        void dialog.dismiss()
      })
      to.on('request', request => {
        const own = origins.some(origin => request.url().startsWith(`${origin}/`))
        if (!own && !/^(?:blob|data):/.test(request.url())) found.push(`request: ${request.url()}`)
      })
    }
    const dispatchDrag = async (types: readonly ('dragEnter' | 'dragOver' | 'drop')[], paths: string[]) => {
      const session = await page.context().newCDPSession(page)
      const data = { items: [], files: paths, dragOperationsMask: 1 }
      for (const type of types) await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
    }

    const world: World = {
      get page() {
        return page
      },
      get origin() {
        return origins[0] as string
      },
      get elsewhere() {
        return origins[1] as string
      },
      get output() {
        return output
      },
      get sampleFiles() {
        return all['samples'] as Files
      },
      get files() {
        return files
      },
      held,
      allow: one => void allowed.push(one),
      async visit(library, options = {}) {
        const { hash = '', search = '', width = 1200, scheme = 'light', locale = 'en-US', before, bypassCSP } = options
        await page?.context().close()
        problems = []
        wasCut = false
        const context = await browser.newContext({
          viewport: { width, height: 800 },
          colorScheme: scheme,
          locale,
          bypassCSP: bypassCSP ?? false,
          serviceWorkers: options.worker ? 'allow' : 'block',
        })
        page = await context.newPage()
        listen(page, problems)
        await context.addInitScript(UNHURRIED)
        await context.addInitScript(`
          document.addEventListener('securitypolicyviolation', event => {
            console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI)
          })
          ${before ?? ''}
        `)
        await page.goto(`${world.origin}/${library}/${search}${hash}`)
      },
      async tab(library) {
        const other = await page.context().newPage()
        listen(other, problems)
        await other.goto(`${world.origin}/${library}/`)
        return other
      },
      async cut() {
        isCut = true
        wasCut = true
        await page.context().setOffline(true)
        await stop(servers[0])
      },
      async mend() {
        if (!isCut) return
        isCut = false
        await startAgain(servers[0] as Server, Number(new URL(world.origin).port))
        await page.context().setOffline(false)
      },
      async ask(message) {
        await world.box().fill(message)
        await world.results().first().locator('.confidence').waitFor()
        await page.locator('#models[aria-busy=false]').waitFor({ state: 'attached' })
      },
      box: () => page.locator('#message'),
      results: () => page.getByRole('list').and(page.locator('#results')).getByRole('link'),
      opened: () => page.getByRole('region', { name: 'Opened skill' }),
      aside: () => page.getByRole('region', { name: 'About this shelf' }),
      heading: () => page.locator('#opened').getByRole('heading', { level: 2 }),
      file: name => world.opened().getByRole('button', { name }),
      drop: (...paths) => dispatchDrag(['dragEnter', 'dragOver', 'drop'], paths),
      drag: (...paths) => dispatchDrag(['dragEnter', 'dragOver'], paths),
      async folder() {
        const path = await mkdtemp(join(tmpdir(), 'skillshelf-page-'))
        folders.push(path)
        return path
      },
    }
    tests(world)
  })
}
