/** Measures one peer at one size in a process of its own and prints JSON. Run by main.ts with --expose-gc. */
import { gzipSync } from 'node:zlib'
import { quantile } from '../rank/measure.js'
import { messages, readDocuments } from './documents.js'
import { type Index, peers } from './peers.js'

const [name = '', size = ''] = process.argv.slice(2)
const peer = peers[name]?.(Number(size))
if (!peer) throw new Error(`There is no peer ${name}`)

let documents: ReturnType<typeof readDocuments> | undefined = readDocuments(Number(size))
const base = held()
let start = performance.now()
const built = await peer.build(documents)
const buildMs = performance.now() - start
const memory = held() - base
const packed = built.pack()
documents = undefined
start = performance.now()
const opened = await peer.open(packed)
const openMs = performance.now() - start

const queryMs: Record<string, { p50: number; p95: number }> = {}
for (const [kind, some] of Object.entries(messages)) queryMs[kind] = await time(opened, some)
console.log(
  JSON.stringify({
    name,
    size: Number(size),
    buildMs,
    memory,
    packed: packed.length,
    gzipped: gzipSync(packed, { level: 6 }).length,
    openMs,
    queryMs,
  }),
)

/** Bytes held after collection: objects and buffers. */
function held(): number {
  const { gc } = globalThis as { gc?: () => void }
  gc?.()
  gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

async function time(index: Index, some: readonly string[]): Promise<{ p50: number; p95: number }> {
  const times: number[] = []
  const until = performance.now() + 3_000
  for (let round = 0; round < 40 && (round < 3 || performance.now() < until); round++) {
    for (const message of some) {
      const before = performance.now()
      await index.search(message)
      if (round > 0) times.push(performance.now() - before)
    }
  }
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) }
}
