import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Miniflare } from 'miniflare'
import type { R2BucketLike } from '../../src/exports/cloudflare.js'
import { temporaryFolder } from '../folders.js'
import { startFetchServer } from './http-server.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const TYPES = { bin: 'Data', wasm: 'CompiledWasm' } as const
export const TOKEN = 'a-token'

export type EngineProxy = Awaited<ReturnType<typeof startProxy>>
type Intercept = (path: string) => Promise<Response | undefined>

/** Starts a server that passes requests on and counts them. */
export async function startProxy(target: string) {
  const requests: string[] = []
  const proxy = {
    url: '',
    /** Returns the paths of the requests since the last call. */
    takeRequests: () => requests.splice(0),
    /** Answers a request instead of the server, unless it returns `undefined`. */
    intercept: undefined as Intercept | undefined,
    /** Called with each body. */
    body: undefined as ((path: string, body: string) => void) | undefined,
    /** Replaces the response of the server, unless it returns `undefined`. */
    after: undefined as Intercept | undefined,
    [Symbol.asyncDispose]: (): Promise<void> => server.stop(),
  }
  const server = await startFetchServer(async request => {
    const { pathname, search } = new URL(request.url)
    requests.push(`${request.method} ${pathname}`)
    const answer = await proxy.intercept?.(`${request.method} ${pathname}`)
    if (answer) return answer
    const body = request.method === 'GET' ? null : await request.arrayBuffer()
    if (body) proxy.body?.(`${request.method} ${pathname}`, new TextDecoder().decode(body))
    const response = await fetch(target + pathname + search, {
      method: request.method,
      headers: request.headers,
      body,
    })
    const bytes = await response.arrayBuffer()
    const headers = new Headers(response.headers)
    // `fetch` has decoded the body.
    for (const name of ['content-encoding', 'content-length', 'transfer-encoding'])
      headers.delete(name)
    const { status } = response
    return (
      (await proxy.after?.(`${request.method} ${pathname}`)) ??
      new Response(bytes, { status, headers })
    )
  })
  proxy.url = server.address.replace(/\/$/, '')
  return proxy
}

/** @param address With a trailing slash. */
const at = (address: string) => ({
  address,
  fetch: (path: string, init?: RequestInit) => {
    const headers = new Headers(init?.headers)
    // workerd may close an idle connection just when it is used again.
    headers.set('connection', 'close')
    return fetch(new URL(path, address), { ...init, headers })
  },
})

export type BuiltWorker = ReturnType<typeof buildWorker>
export type RunningWorker = Awaited<ReturnType<BuiltWorker['start']>>

const EXPORTS = {
  '': 'index',
  '/cloudflare': 'cloudflare',
  '/engine': 'engine',
  '/model': 'model',
  '/server': 'server',
}

/**
 * Builds a Worker as `wrangler deploy` does.
 * @param code A module that imports `skillshelf`, or the path of one. Default: the Worker of the repository.
 * @param settings More lines for the `wrangler.toml` of `code`.
 * @param beside Modules beside `code` by their names.
 */
export function buildWorker(
  code?: string,
  settings = '',
  beside: Readonly<Record<string, string>> = {},
) {
  const folder = temporaryFolder()
  const out = join(folder, 'out')
  const config = join(folder, 'wrangler.toml')
  const isPath = code?.endsWith('.ts') ?? true
  if (code !== undefined && !isPath) {
    for (const [name, text] of Object.entries({ 'index.ts': code, ...beside }))
      writeFileSync(join(folder, name), text)
    const alias = Object.entries(EXPORTS).map(
      ([path, file]) =>
        `"skillshelf${path}" = ${JSON.stringify(join(root, `dist/exports/${file}.js`))}\n`,
    )
    writeFileSync(
      config,
      `name = "snippet"\nmain = "index.ts"\ncompatibility_date = "2026-04-01"\n${settings}\n[alias]\n${alias.join('')}`,
    )
  }
  const args = isPath ? [...(code ? [code] : []), '--env='] : ['--config', config]
  execFileSync(
    process.execPath,
    ['node_modules/wrangler/bin/wrangler.js', 'deploy', '--dry-run', '--outdir', out, ...args],
    { cwd: root, stdio: 'pipe', env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
  )
  const modules = readdirSync(out).flatMap(name => {
    const type = TYPES[name.split('.').at(-1) as keyof typeof TYPES]
    return type ? [{ type, path: join(out, name) }] : []
  })
  const main = basename(isPath ? (code ?? 'index.ts') : 'index.ts').replace(/ts$/, 'js')
  return {
    /**
     * Starts it in workerd with an R2 bucket of its own.
     * @param assets Folder of its static assets.
     */
    async start(bindings: Readonly<Record<string, string>> = {}, assets?: string) {
      const platform = new Miniflare({
        compatibilityDate: '2026-04-01',
        modulesRoot: out,
        modules: [{ type: 'ESModule', path: join(out, main) }, ...modules],
        r2Buckets: ['SKILLS'],
        ...(assets === undefined
          ? {}
          : {
              assets: {
                directory: assets,
                binding: 'ASSETS',
                routerConfig: { has_user_worker: true },
              },
            }),
        bindings: { SKILLSHELF_TOKEN: TOKEN, ...bindings },
      })
      const { href } = await platform.ready
      const bucket = await platform.getR2Bucket('SKILLS')
      const keys = async () => (await bucket.list()).objects.map(({ key }) => key)
      return {
        ...at(href),
        /** A Worker of test/workerd/bindings.ts with bindings of its own. It has the same bucket. */
        withBindings: (own: Readonly<Record<string, string>>) =>
          at(new URL(`with/${encodeURIComponent(JSON.stringify(own))}/`, href).href),
        /** Sends a request to an address of any host. */
        dispatch: (url: string) => platform.dispatchFetch(url),
        bucket: bucket as unknown as R2BucketLike,
        /** Keys of the bucket. */
        keys,
        /** Empties the bucket. */
        clear: async () => bucket.delete(await keys()),
        stop: () => platform.dispose(),
        [Symbol.asyncDispose]: () => platform.dispose(),
      }
    },
  }
}
