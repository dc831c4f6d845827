import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Miniflare } from 'miniflare'
import WebSocket from 'ws'
import { mapParallel } from '../../src/core/concurrency.js'
import { digestOfLarge } from '../../src/core/digest.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
export const TOKEN = 'bench'

/** CPU milliseconds from the kernel's counters. NaN except on Linux. */
export interface Cpu {
  /** Of the thread that answers requests. */
  requests: number
  /** Of all threads, those of the compiler and the garbage collector included. */
  all: number
}

/** Fresh workerd isolate that runs the bench Worker. */
export interface Isolate {
  url: URL
  fetch(
    path: string,
    init?: { method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<Response>
  put(files: ReadonlyMap<string, Uint8Array>, bucket?: 'SKILLS' | 'PLAIN'): Promise<void>
  /** CPU of the process until it was ready for requests. */
  startUp: Cpu
  /** CPU while `work` ran. */
  cpu(work: () => Promise<unknown>): Promise<Cpu>
  /** Bytes in use, including memory outside the heap. `collect` runs a garbage collection first. */
  memory(collect?: boolean): Promise<number>
  close(): Promise<void>
}

/**
 * Builds the Worker with wrangler.
 * @param warm Whether it calls `warm`.
 * @returns The output folder.
 */
export function build(warm: boolean): string {
  const out = mkdtempSync(join(tmpdir(), 'skillshelf-edge-'))
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')
  const options = ['--dry-run', '--env=', '--define', `WARM:${warm}`, '--outdir', out]
  execFileSync(process.execPath, [wrangler, 'deploy', 'bench/edge/worker.ts', ...options], {
    cwd: root,
    stdio: 'pipe',
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
  })
  return out
}

/** @param inspected Enables `memory`. The inspector slows the isolate down. */
export async function openIsolate(
  built: string,
  persist: string,
  { inspected = false } = {},
): Promise<Isolate> {
  const others = new Set(workerdProcesses())
  const modules = readdirSync(built).flatMap(name => {
    const type = name.endsWith('.bin')
      ? 'Data'
      : name.endsWith('.wasm')
        ? 'CompiledWasm'
        : undefined
    return type ? [{ type, path: join(built, name) } as const] : []
  })
  const platform = new Miniflare({
    compatibilityDate: '2026-04-01',
    modulesRoot: built,
    modules: [{ type: 'ESModule', path: join(built, 'worker.js') }, ...modules],
    bindings: { SKILLSHELF_TOKEN: TOKEN },
    assets: {
      directory: join(root, 'model'),
      binding: 'ASSETS',
      routerConfig: { has_user_worker: true },
    },
    r2Buckets: ['SKILLS', 'PLAIN'],
    r2Persist: persist,
    ...(inspected ? { inspectorPort: 0 } : {}),
  })
  const url = await platform.ready
  const own = workerdProcesses().find(id => !others.has(id))
  const startUp = cpuTime(own)
  const inspector = inspected ? await connect(await platform.getInspectorURL()) : undefined
  // The inspector answers no command before this one.
  await inspector?.send('Runtime.enable')
  return {
    url,
    startUp,
    fetch: async (path, init) => (await fetch(new URL(path, url), init)) as Response,
    async put(files, name = 'SKILLS') {
      const bucket = await platform.getR2Bucket(name)
      await mapParallel([...files], 32, async ([path, bytes]) => {
        // As `r2` writes it.
        const sha256 = (await digestOfLarge(new Uint8Array(bytes))).slice('sha256:'.length)
        await bucket.put(path, bytes, { sha256 })
      })
    },
    async cpu(work) {
      const before = cpuTime(own)
      await work()
      const after = cpuTime(own)
      return { requests: after.requests - before.requests, all: after.all - before.all }
    },
    async memory(collect = false) {
      if (!inspector) return Number.NaN
      if (collect) await keepAwake(url, inspector.send('HeapProfiler.collectGarbage'))
      const usage = (await keepAwake(url, inspector.send('Runtime.getHeapUsage'))) as Record<
        string,
        number
      >
      return (
        (usage['usedSize'] ?? 0) +
        (usage['backingStorageSize'] ?? 0) +
        (usage['embedderHeapUsedSize'] ?? 0)
      )
    },
    async close() {
      inspector?.close()
      await platform.dispose()
    },
  }
}

/** An idle isolate answers its inspector only while it handles a request. */
async function keepAwake<T>(url: URL, command: Promise<T>): Promise<T> {
  let waiting = true
  const done = command.finally(() => {
    waiting = false
  })
  while (waiting) await (await fetch(new URL('/bench/state', url))).text()
  return done
}

export function clean(...folders: string[]): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

/** Process ids of the workerd instances that this process started. */
function workerdProcesses(): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter(id => {
    if (!/^\d+$/.test(id)) return false
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/.exec(readIfExists(`/proc/${id}/stat`)) ?? []
    return name === 'workerd' && Number(parent) === process.pid
  })
}

/** CPU of a process so far. Its first thread, which answers requests, has the id of the process. */
function cpuTime(id: string | undefined): Cpu {
  if (id === undefined) return { requests: Number.NaN, all: Number.NaN }
  const threads = readdirSync(`/proc/${id}/task`)
  // The first number in a schedstat file is nanoseconds of CPU time.
  const milliseconds = (thread: string): number =>
    (Number.parseInt(readIfExists(`/proc/${id}/task/${thread}/schedstat`), 10) || 0) / 1e6
  return {
    requests: milliseconds(id),
    all: threads.reduce((sum, thread) => sum + milliseconds(thread), 0),
  }
}

/** Processes and threads may end between listing and reading. */
function readIfExists(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

interface Target {
  id: string
  webSocketDebuggerUrl: string
}

/** Minimal client of the Chrome DevTools Protocol. */
async function connect(
  url: URL,
): Promise<{ send(method: string, params?: object): Promise<unknown>; close(): void }> {
  const targets = (await (await fetch(new URL('/json', `http://${url.host}`))).json()) as Target[]
  const target = targets.find(({ id }) => id.startsWith('core:user')) as Target
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const waiting = new Map<number, (result: unknown) => void>()
  let last = 0
  socket.on('message', (data: WebSocket.RawData) => {
    const { id, result, error } = JSON.parse(String(data)) as {
      id?: number
      result?: unknown
      error?: unknown
    }
    if (id !== undefined) {
      waiting.get(id)?.(error ? Promise.reject(new Error(JSON.stringify(error))) : result)
    }
  })
  return {
    send: (method, params = {}) =>
      new Promise(resolve => {
        waiting.set(++last, resolve)
        socket.send(JSON.stringify({ id: last, method, params }))
      }),
    close: () => socket.close(),
  }
}
