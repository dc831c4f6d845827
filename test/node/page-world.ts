import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Locator, type Page } from 'playwright'
import { build, mergeConfig, type Rolldown } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { type PackOptions, pack, type SkillSource } from '../../src/index.js'
import { bundled } from '../../src/model/index.node.js'
import { directory } from '../../src/source/directory.js'
import config from '../../vite.config.js'
import { findBrowser, LAUNCH_ARGS } from '../find-browser.js'

/** The built demo page, as any static host serves it, in a real browser. */

export const samples = fileURLToPath(new URL('../../demo/skills', import.meta.url))

/** The files of a real transformer, where they are: not part of the project. Pages find them under `/models/`. */
const models = fileURLToPath(new URL('../../../shared/models/', import.meta.url))
export const hasModels = existsSync(`${models}Xenova/all-MiniLM-L6-v2`)

const executablePath = process.env['SKIP_BROWSER'] ? undefined : findBrowser()

/** As long as playwright waits for an element. */
const PATIENCE = 8_000

/** Waits for a value. */
export function eventually<Value>(value: () => Value): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(value, { timeout: PATIENCE, interval: 20 })
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
function serve(host: Host, readable: (library: string) => boolean): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const [, library = '', ...rest] = decodeURIComponent(pathname).split('/')
    const path = rest.join('/') || 'index.html'
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
}

export interface World {
  readonly page: Page
  readonly origin: string
  /** Another host: `/<library>/`, readable by other pages; `/closed-<library>/` is not. */
  readonly elsewhere: string
  readonly output: Output
  readonly sampleFiles: Files
  /** What the page complained of, asked of others, or was stopped from. A test that expects some takes them out. */
  readonly problems: string[]
  visit(library: string, options?: Visit): Promise<void>
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
    let problems: string[] = []
    const folders: string[] = []

    beforeAll(async () => {
      browser = await chromium.launch({
        ...(executablePath ? { executablePath } : {}),
        args: LAUNCH_ARGS,
      })
      const [made, others, own] = await Promise.all([
        built(),
        libraries(),
        packed(directory(samples), { vectorizer: await bundled({ han: true }) }),
      ])
      output = made.output
      all = { samples: own, empty: new Map(), ...others }
      servers = await Promise.all([
        serve(
          (library, path) => {
            if (library === 'models' && hasModels) return modelFile(path)
            return path.startsWith('skills/') ? all[library]?.get(path.slice('skills/'.length)) : made.files.get(path)
          },
          () => false,
        ),
        serve(
          (library, path) => all[library.replace(/^closed-/, '')]?.get(path),
          library => !library.startsWith('closed-'),
        ),
      ])
    }, 60_000)
    afterAll(async () => {
      await browser?.close()
      await Promise.all(servers.map(stop))
      await Promise.all(folders.map(path => rm(path, { recursive: true, force: true })))
    }, 60_000)
    afterEach(async () => {
      await page?.context().close()
      expect(problems).toEqual([])
    }, 60_000)

    const world: World = {
      get page() {
        return page
      },
      get origin() {
        return originOf(servers[0] as Server)
      },
      get elsewhere() {
        return originOf(servers[1] as Server)
      },
      get output() {
        return output
      },
      get sampleFiles() {
        return all['samples'] as Files
      },
      get problems() {
        return problems
      },
      async visit(library, options = {}) {
        const { hash = '', search = '', width = 1200, scheme = 'light', locale = 'en-US', before, bypassCSP } = options
        problems = []
        const found = problems
        const context = await browser.newContext({
          viewport: { width, height: 800 },
          colorScheme: scheme,
          locale,
          bypassCSP: bypassCSP ?? false,
        })
        page = await context.newPage()
        page.setDefaultTimeout(PATIENCE)
        page.on('console', message => {
          if (message.type() === 'error' || message.type() === 'warning') found.push(message.text())
        })
        page.on('pageerror', error => found.push(String(error)))
        page.on('dialog', dialog => {
          found.push(`dialog: ${dialog.message()}`)
          void dialog.dismiss()
        })
        page.on('request', request => {
          const own = servers.some(server => request.url().startsWith(`${originOf(server)}/`))
          if (!own && !/^(?:blob|data):/.test(request.url())) found.push(`request: ${request.url()}`)
        })
        await page.addInitScript(`
          document.addEventListener('securitypolicyviolation', event => {
            console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI)
          })
          ${before ?? ''}
        `)
        await page.goto(`${world.origin}/${library}/${search}${hash}`)
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
      async folder() {
        const path = await mkdtemp(join(tmpdir(), 'skillshelf-page-'))
        folders.push(path)
        return path
      },
    }
    tests(world)
  })
}
