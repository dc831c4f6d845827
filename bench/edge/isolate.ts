import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Miniflare } from 'miniflare'
import WebSocket from 'ws'
import { mapParallel } from '../../src/core/concurrency.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
export const TOKEN = 'bench'

/** A fresh isolate of workerd with the bench's Worker in it. */
export interface Isolate {
  url: URL
  fetch(path: string, init?: { method?: string; headers?: Record<string, string>; body?: string }): Promise<Response>
  put(files: ReadonlyMap<string, Uint8Array>, bucket?: 'SKILLS' | 'PLAIN'): Promise<void>
  /** Milliseconds of CPU that workerd took while `work` ran, in all its threads: the kernel's own count (Linux; elsewhere NaN). */
  cpu(work: () => Promise<unknown>): Promise<number>
  /** Bytes in use, with what is outside the heap, after a collection where that is asked for. */
  memory(collect?: boolean): Promise<number>
  close(): Promise<void>
}

/** What is uploaded, as wrangler builds it. */
export function build(): string {
  const out = mkdtempSync(join(tmpdir(), 'skillshelf-edge-'))
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')
  execFileSync(process.execPath, [wrangler, 'deploy', 'bench/edge/worker.ts', '--dry-run', '--env=', '--outdir', out], {
    cwd: root,
    stdio: 'pipe',
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
  })
  return out
}

/** @param inspected Whether its memory is asked for: an inspector costs time. */
export async function openIsolate(built: string, persist: string, { inspected = false } = {}): Promise<Isolate> {
  const others = new Set(children())
  const data = readdirSync(built).filter(name => name.endsWith('.bin'))
  const platform = new Miniflare({
    compatibilityDate: '2026-04-01',
    modulesRoot: built,
    modules: [
      { type: 'ESModule', path: join(built, 'worker.js') },
      ...data.map(name => ({ type: 'Data' as const, path: join(built, name) })),
    ],
    bindings: { SKILLSHELF_TOKEN: TOKEN },
    r2Buckets: ['SKILLS', 'PLAIN'],
    r2Persist: persist,
    ...(inspected ? { inspectorPort: 0 } : {}),
  })
  const url = await platform.ready
  const own = children().find(id => !others.has(id))
  const inspector = inspected ? await connect(await platform.getInspectorURL()) : undefined
  // Nothing is answered before that.
  await inspector?.send('Runtime.enable')
  return {
    url,
    fetch: async (path, init) => (await fetch(new URL(path, url), init)) as Response,
    async put(files, name = 'SKILLS') {
      const bucket = await platform.getR2Bucket(name)
      await mapParallel([...files], 32, ([path, bytes]) => bucket.put(path, bytes))
    },
    async cpu(work) {
      const before = cpuOf(own)
      await work()
      return cpuOf(own) - before
    },
    async memory(collect = false) {
      if (!inspector) return Number.NaN
      if (collect) await awake(url, inspector.send('HeapProfiler.collectGarbage'))
      const usage = (await awake(url, inspector.send('Runtime.getHeapUsage'))) as Record<string, number>
      return (usage['usedSize'] ?? 0) + (usage['backingStorageSize'] ?? 0) + (usage['embedderHeapUsedSize'] ?? 0)
    },
    async close() {
      inspector?.close()
      await platform.dispose()
    },
  }
}

/** An isolate that rests answers its inspector with the next request. */
async function awake<T>(url: URL, asked: Promise<T>): Promise<T> {
  let waiting = true
  const done = asked.finally(() => {
    waiting = false
  })
  while (waiting) await (await fetch(new URL('/bench/state', url))).text()
  return done
}

export function clean(...folders: string[]): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

/** The instances of workerd that this process started. */
function children(): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter(id => {
    if (!/^\d+$/.test(id)) return false
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/.exec(readIfThere(`/proc/${id}/stat`)) ?? []
    return name === 'workerd' && Number(parent) === process.pid
  })
}

/** Milliseconds so far. */
function cpuOf(id: string | undefined): number {
  if (id === undefined) return Number.NaN
  const threads = readdirSync(`/proc/${id}/task`)
  // The first number of a schedstat: nanoseconds on a processor.
  const nanoseconds = threads.map(
    thread => Number.parseInt(readIfThere(`/proc/${id}/task/${thread}/schedstat`), 10) || 0,
  )
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6
}

/** Processes and threads end whenever they like. */
function readIfThere(path: string): string {
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

/** The Chrome DevTools protocol, as far as it is needed. */
async function connect(url: URL): Promise<{ send(method: string, params?: object): Promise<unknown>; close(): void }> {
  const targets = (await (await fetch(new URL('/json', `http://${url.host}`))).json()) as Target[]
  const target = targets.find(({ id }) => id.startsWith('core:user')) as Target
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const waiting = new Map<number, (result: unknown) => void>()
  let last = 0
  socket.on('message', (data: WebSocket.RawData) => {
    const { id, result, error } = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: unknown }
    if (id !== undefined) waiting.get(id)?.(error ? Promise.reject(new Error(JSON.stringify(error))) : result)
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
