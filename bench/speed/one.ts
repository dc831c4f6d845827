/** Measures one peer at one size in a process of its own and prints JSON. Run by main.ts with --expose-gc. */
import { gzipSync } from 'node:zlib'
import { quantile } from '../rank/measure.js'
import { messages, readDocuments } from './documents.js'
import { type Index, peers } from './peers.js'

/** Results of one process. Times in ms, sizes in bytes. */
export interface Row {
  name: string
  size: number
  buildMs: number
  /** Memory after the build, without the documents. */
  held: number
  /** Peak memory during the build, including uncollected garbage. */
  peak: number
  packed: number
  gzipped: number
  openMs: number
  queryMs: Record<string, { p50: number; p95: number }>
}

/** Documents between two memory samples. */
const LOOK_EVERY = 100

const [name, size] = process.argv.slice(2)
const peer = peers.find(one => one.name === name)
if (!peer) throw new Error(`There is no peer ${name}`)

let documents: ReturnType<typeof readDocuments> | undefined = readDocuments(Number(size))
const count = documents.length
collect()
const base = held()
let peak = 0
let added = 0
const look = (): void => {
  peak = Math.max(peak, held() - base)
}
let start = performance.now()
const built = await peer.build(documents, () => {
  if (++added % LOOK_EVERY === 0) look()
})
const buildMs = performance.now() - start
look()
collect()
const kept = held() - base
const packed = built.pack()
documents = undefined

const openings: number[] = []
let index = built
for (let round = 0; round < 3; round++) {
  start = performance.now()
  index = await peer.open(packed, count)
  openings.push(performance.now() - start)
}
const queryMs: Row['queryMs'] = {}
for (const [kind, some] of Object.entries(messages)) queryMs[kind] = await time(index, some)
const row: Row = {
  name: peer.name,
  size: count,
  buildMs,
  held: kept,
  peak,
  packed: packed.length,
  gzipped: gzipSync(packed, { level: 6 }).length,
  openMs: quantile(openings, 0.5),
  queryMs,
}
console.log(JSON.stringify(row))

function held(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function collect(): void {
  const { gc } = globalThis as { gc?: () => void }
  gc?.()
  gc?.()
}

async function time(of: Index, some: readonly string[]): Promise<{ p50: number; p95: number }> {
  const times: number[] = []
  const until = performance.now() + 4_000
  for (let round = 0; round < 200 && (round < 4 || performance.now() < until); round++) {
    for (const message of some) {
      const before = performance.now()
      await of.search(message)
      if (round > 0) times.push(performance.now() - before)
    }
  }
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) }
}
