import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { Miniflare } from 'miniflare'

const root = fileURLToPath(new URL('../..', import.meta.url))
const TYPES = { bin: 'Data', wasm: 'CompiledWasm' } as const
export const TOKEN = 'a-token'

export interface EngineProxy {
  url: string
  /** Returns the paths of the requests since the last call. */
  takeRequests(): string[]
  /** Answers a request instead of the server, unless it returns `undefined`. */
  intercept: ((path: string) => Promise<Response | undefined>) | undefined
  close(): Promise<void>
}

/** Starts a server that passes requests on and counts them. */
export async function startProxy(target: string): Promise<EngineProxy> {
  const requests: string[] = []
  const proxy: EngineProxy = {
    url: '',
    takeRequests: () => requests.splice(0),
    intercept: undefined,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  const listener = getRequestListener(async request => {
    const { pathname, search } = new URL(request.url)
    requests.push(`${request.method} ${pathname}`)
    const answer = await proxy.intercept?.(`${request.method} ${pathname}`)
    if (answer) return answer
    const body = request.method === 'GET' ? null : await request.arrayBuffer()
    const response = await fetch(target + pathname + search, { method: request.method, headers: request.headers, body })
    return new Response(await response.arrayBuffer(), response)
  })
  const server = createServer((request, response) => void listener(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}

export interface BuiltWorker {
  /** Starts it in workerd with an R2 bucket of its own. */
  start(variables: Readonly<Record<string, string>>): Promise<RunningWorker>
  remove(): void
}

export interface RunningWorker {
  /** With a trailing slash. */
  address: string
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Keys of the bucket. */
  keys(): Promise<string[]>
  /** Empties the bucket. */
  clear(): Promise<void>
  stop(): Promise<void>
}

/** Builds the Worker of the repository, as `wrangler deploy` does. */
export function buildWorker(): BuiltWorker {
  const out = mkdtempSync(join(tmpdir(), 'skillshelf-worker-'))
  execFileSync(
    process.execPath,
    ['node_modules/wrangler/bin/wrangler.js', 'deploy', '--dry-run', '--env=', '--outdir', out],
    { cwd: root, stdio: 'pipe', env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
  )
  const modules = readdirSync(out).flatMap(name => {
    const type = TYPES[name.split('.').at(-1) as keyof typeof TYPES]
    return type ? [{ type, path: join(out, name) }] : []
  })
  return {
    async start(bindings) {
      const platform = new Miniflare({
        compatibilityDate: '2026-04-01',
        modulesRoot: out,
        modules: [{ type: 'ESModule', path: join(out, 'index.js') }, ...modules],
        r2Buckets: ['SKILLS'],
        bindings: { SKILLSHELF_TOKEN: TOKEN, ...bindings },
      })
      const { href } = await platform.ready
      const bucket = await platform.getR2Bucket('SKILLS')
      const keys = async () => (await bucket.list()).objects.map(({ key }) => key)
      return {
        address: href,
        fetch: (path, init) => fetch(new URL(path, href), init),
        keys,
        clear: async () => bucket.delete(await keys()),
        stop: () => platform.dispose(),
      }
    },
    remove: () => rmSync(out, { recursive: true, force: true }),
  }
}
