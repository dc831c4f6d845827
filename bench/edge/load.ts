import autocannon from 'autocannon'
import type { Isolate } from './isolate.js'

const CONNECTIONS = 64

export interface LoadOptions {
  seconds: number
  paths: readonly string[]
  /** Look at the memory before and after, each after a collection. */
  growth?: boolean
}

/** Requests from many connections at once; a row of the table. */
export async function load(what: string, isolate: Isolate, { seconds, paths, growth }: LoadOptions): Promise<string[]> {
  const run = (duration: number) =>
    autocannon({ url: isolate.url.origin, connections: CONNECTIONS, duration, requests: paths.map(path => ({ path })) })
  // What is made at first is no growth.
  await run(Math.min(5, seconds))
  const before = growth ? await isolate.memory(true) : 0
  const { requests, errors, non2xx, timeouts, latency } = await run(seconds)
  const after = growth ? await isolate.memory(true) : 0
  const grown = ((after - before) / 1e6 / requests.total) * 10_000
  return [
    what,
    String(requests.total),
    String(errors + non2xx + timeouts),
    String(latency.p50),
    String(latency.p99),
    growth ? grown.toFixed(2) : '',
    '',
  ]
}
