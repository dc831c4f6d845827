/** Opens one kind of place in a process of its own and prints what that took, as JSON. Run by main.ts with --expose-gc. */
import { request } from 'node:http'
import { folderPlace, zipPlace } from './files.js'
import { httpPlace } from './http.js'
import type { Opened, Opening, Place } from './place.js'
import { PACKED, plainPlace, r2Place, TREE } from './r2.js'

const places: Readonly<Record<string, (at: string) => Place>> = {
  folder: folderPlace,
  zip: zipPlace,
  http: httpPlace,
  'r2 tree': at => r2Place(at, TREE),
  'r2 packed': at => r2Place(at, PACKED),
  plain: plainPlace,
}

/** Milliseconds: what takes longer is not opened a second time. */
const PATIENCE = 20_000

const [kind = '', at = ''] = process.argv.slice(2)
const place = places[kind]?.(at)
if (!place) throw new Error(`There is no place ${kind}`)

await place.ready?.()
place.counts?.()
collect()
let base = held()
let last = await timed(place)
const firstMs = last.ms
const { reads, bytes } = place.counts?.() ?? { reads: 0, bytes: 0 }
// The host counts until it hears this.
if (!place.counts) await report(new URL('/report', at))
const again = firstMs < PATIENCE
if (again) {
  await last.opened.close?.()
  last = { ms: 0, opened: { skills: 0, held: {} } }
  collect()
  base = held()
  last = await timed(place)
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
await place.close?.()

/** By a connection of its own: the host may have closed those that waited. */
function report(address: URL): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request(address, { method: 'POST', agent: false }, response => response.resume().on('end', resolve))
      .on('error', reject)
      .end('{}')
  })
}

async function timed(where: Place): Promise<{ ms: number; opened: Opened }> {
  const start = performance.now()
  const opened = await where.open()
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
