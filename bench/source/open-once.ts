/** Opens one source in this process and prints its measurements as JSON. Run by main.ts with --expose-gc. */
import { request } from 'node:http'
import { folderTarget, zipTarget } from './files.js'
import { httpTarget } from './http.js'
import { manualR2Target, PACKED, r2Target, TREE } from './r2.js'
import type { OpenedTarget, Opening, Target } from './types.js'

const targets: Readonly<Record<string, (at: string) => Target>> = {
  folder: folderTarget,
  zip: zipTarget,
  http: httpTarget,
  'r2 tree': at => r2Target(at, TREE),
  'r2 packed': at => r2Target(at, PACKED),
  plain: manualR2Target,
}

/** Milliseconds. A slower source is not opened a second time. */
const MAX_REPEATED = 20_000

const [kind = '', at = ''] = process.argv.slice(2)
const target = targets[kind]?.(at)
if (!target) throw new Error(`Unknown source ${kind}`)

await target.start?.()
target.counts?.()
collect()
let base = held()
let last = await timed(target)
const firstMs = last.ms
const { reads, bytes } = target.counts?.() ?? { reads: 0, bytes: 0 }
// The host counts until this report.
if (!target.counts) await report(new URL('/report', at))
const again = firstMs < MAX_REPEATED
if (again) {
  await last.opened.close?.()
  last = { ms: 0, opened: { skills: 0, held: {} } }
  collect()
  base = held()
  last = await timed(target)
}
collect()
const row: Opening = {
  skills: last.opened.skills,
  reads,
  bytes,
  firstMs,
  ...(again ? { againMs: last.ms } : {}),
  held: held() - base,
}
console.log(JSON.stringify(row))
await last.opened.close?.()
await target.close?.()

/** Uses a new connection, because the host may have closed idle ones. */
function report(address: URL): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request(address, { method: 'POST', agent: false }, response =>
      response.resume().on('end', resolve),
    )
      .on('error', reject)
      .end('{}')
  })
}

async function timed(target: Target): Promise<{ ms: number; opened: OpenedTarget }> {
  const start = performance.now()
  const opened = await target.open()
  return { ms: performance.now() - start, opened }
}

function held(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function collect(): void {
  const { gc } = globalThis as { gc?: () => void }
  gc?.()
  gc?.()
}
