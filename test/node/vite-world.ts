import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer as createHttpServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright'
import { createLogger, createServer, type InlineConfig, type Logger, mergeConfig, type ViteDevServer } from 'vite'
import { vi } from 'vitest'
import { type SkillshelfOptions, skillshelf } from '../../src/exports/vite.js'

/** Vite projects in temporary folders, with the plugin and package from `src`. */

const entry = fileURLToPath(new URL('../../src/exports/index.ts', import.meta.url))

export const INVOICES = skill('invoices', 'Checks an invoice before it is paid')
export const BREAD = skill('bread', 'Plans the baking of sourdough bread')

export function skill(name: string, description: string, body = `# ${name}\n`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}`
}

export interface Project {
  root: string
  write(files: Readonly<Record<string, string>>): void
  read(path: string): string
  remove(path: string): void
  dispose(): Promise<void>
  /** Logged warnings. */
  warnings: string[]
  config(options?: SkillshelfOptions, more?: InlineConfig): InlineConfig
}

export function createProject(files: Readonly<Record<string, string>>): Project {
  // The watcher reports real paths.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillshelf-vite-')))
  const warnings: string[] = []
  const customLogger: Logger = { ...createLogger('silent'), warn: message => void warnings.push(message) }
  const project: Project = {
    root,
    warnings,
    write(added) {
      for (const [path, text] of Object.entries(added)) {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), text)
      }
    },
    read: path => readFileSync(join(root, path), 'utf8'),
    remove: path => rmSync(join(root, path), { recursive: true, force: true }),
    // Vite may still write to its cache.
    dispose: () => rm(root, { recursive: true, force: true, maxRetries: 20 }),
    config: (options, more = {}) =>
      mergeConfig<InlineConfig, InlineConfig>(
        {
          configFile: false,
          root,
          customLogger,
          logLevel: 'silent',
          cacheDir: join(root, '.vite'),
          resolve: { alias: { skillshelf: entry } },
          plugins: [skillshelf(options)],
        },
        more,
      ),
  }
  project.write(files)
  return project
}

export interface Served {
  server: ViteDevServer
  /** URL with the base and a trailing slash. */
  address: string
  /** Number of change events sent to pages. */
  changeEvents(): number
}

export async function serveProject(
  project: Project,
  options?: SkillshelfOptions,
  more?: InlineConfig,
): Promise<Served> {
  const server = await createServer(
    project.config(
      options,
      mergeConfig<InlineConfig, InlineConfig>({ server: { host: '127.0.0.1', port: 0 } }, more ?? {}),
    ),
  )
  const send = vi.spyOn(server.environments.client.hot, 'send')
  await server.listen()
  const { port } = (server.httpServer as Server).address() as AddressInfo
  return {
    server,
    address: `http://127.0.0.1:${port}${server.config.base}`,
    changeEvents: () => send.mock.calls.filter(([event]) => (event as unknown) === 'skillshelf:changed').length,
  }
}

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', css: 'text/css' }

/** Serves a folder under a path that starts and ends with a slash. */
export async function serveStatic(folder: string, under = '/'): Promise<{ address: string; close(): Promise<void> }> {
  const server = createHttpServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const path = pathname.slice(under.length) || 'index.html'
    try {
      if (!pathname.startsWith(under)) throw new Error('not here')
      const content = readFileSync(join(folder, path))
      const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
      response.writeHead(200, { 'content-type': type }).end(content)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${under}`,
    close: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

/** Opens a page and records its console problems and page loads. */
export async function visit(
  browser: Browser,
  address: string,
): Promise<{ page: Page; problems: string[]; loads: string[] }> {
  const page = await browser.newPage()
  const problems: string[] = []
  const loads: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  page.on('pageerror', error => problems.push(String(error)))
  page.on('framenavigated', frame => loads.push(frame.url()))
  await page.goto(address)
  return { page, problems, loads }
}
