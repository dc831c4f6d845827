import { readFileSync, rmSync, statSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright'
import { createLogger, createServer, type InlineConfig, type Logger, mergeConfig } from 'vite'
import { onTestFinished, vi } from 'vitest'
import { type SkillshelfOptions, skillshelf } from '../../src/exports/vite.js'
import { temporaryFolder, writeFiles } from '../folders.js'
import { type HttpServer, startHttpServer } from './http-server.js'

/** Vite projects in temporary folders, with the plugin and package from `src`. */

/** The package as it is in `src`. */
const exported = fileURLToPath(new URL('../../src/exports/', import.meta.url))
export const ALIAS = [
  { find: /^skillshelf$/, replacement: `${exported}index.ts` },
  { find: /^skillshelf\/(.+)$/, replacement: `${exported}$1.ts` },
]

export const INVOICES = skill('invoices', 'Checks an invoice before it is paid')
export const BREAD = skill('bread', 'Plans the baking of sourdough bread')

export function skill(name: string, description: string, body = `# ${name}\n`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}`
}

export type Project = ReturnType<typeof createProject>

export function createProject(files: Readonly<Record<string, string>>) {
  const root = temporaryFolder(files)
  const warnings: string[] = []
  const customLogger: Logger = {
    ...createLogger('silent'),
    warn: message => void warnings.push(message),
  }
  return {
    root,
    /** Logged warnings. */
    warnings,
    write: (added: Readonly<Record<string, string>>) => writeFiles(root, added),
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    remove: (path: string) => rmSync(join(root, path), { recursive: true, force: true }),
    config: (options?: SkillshelfOptions, more: InlineConfig = {}) =>
      mergeConfig<InlineConfig, InlineConfig>(
        {
          configFile: false,
          root,
          customLogger,
          logLevel: 'silent',
          cacheDir: join(root, '.vite'),
          resolve: { alias: ALIAS },
          plugins: [skillshelf(options)],
        },
        more,
      ),
  }
}

/** Starts Vite's development server until the end of the test. */
export async function serveProject(
  project: Project,
  options?: SkillshelfOptions,
  more: InlineConfig = {},
) {
  const local: InlineConfig = { server: { host: '127.0.0.1', port: 0 } }
  const server = await createServer(project.config(options, mergeConfig(local, more)))
  onTestFinished(() => server.close())
  const send = vi.spyOn(server.environments.client.hot, 'send')
  await server.listen()
  const { port } = (server.httpServer as Server).address() as AddressInfo
  return {
    server,
    /** URL with the base and a trailing slash. */
    address: `http://127.0.0.1:${port}${server.config.base}`,
    /** Number of change events sent to pages. */
    changeEvents: () =>
      send.mock.calls.filter(([event]) => (event as unknown) === 'skillshelf:changed').length,
  }
}

const SCRIPT = 'text/javascript'
const TYPES = {
  html: 'text/html',
  js: SCRIPT,
  mjs: SCRIPT,
  css: 'text/css',
  wasm: 'application/wasm',
}

/** The media type of a file by its name. */
export const typeOf = (path: string): string =>
  TYPES[path.slice(path.lastIndexOf('.') + 1) as keyof typeof TYPES] ?? 'application/octet-stream'

/** Serves a folder to any page, under a path that starts and ends with a slash. */
export async function serveStatic(folder: string, under = '/'): Promise<HttpServer> {
  const server = await startHttpServer((request, response) => {
    const pathname = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
    const path = join(folder, pathname.slice(under.length) || 'index.html')
    const isFile = pathname.startsWith(under) && statSync(path, { throwIfNoEntry: false })?.isFile()
    response.setHeader('access-control-allow-origin', '*')
    if (!isFile) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': typeOf(path) }).end(readFileSync(path))
  })
  return { ...server, address: `${server.address.slice(0, -1)}${under}` }
}

/** Records the console problems of a page from now on. */
export function problemsOf(page: Page): string[] {
  const problems: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  page.on('pageerror', error => problems.push(String(error)))
  return problems
}

/** Opens a page and records its console problems and page loads. */
export async function visit(
  browser: Browser,
  address: string,
): Promise<{ page: Page; problems: string[]; loads: string[] }> {
  const page = await browser.newPage()
  const problems = problemsOf(page)
  const loads: string[] = []
  page.on('framenavigated', frame => loads.push(frame.url()))
  await page.goto(address)
  return { page, problems, loads }
}
