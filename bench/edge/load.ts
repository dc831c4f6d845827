import autocannon from 'autocannon'
import type { Isolate } from './isolate.js'

const CONNECTIONS = 64

export interface LoadOptions {
  seconds: number
  paths: readonly string[]
  /** Measures memory growth, with a garbage collection before each reading. */
  growth?: boolean
}

/** Sends requests over many connections. Returns a row of the table. */
export async function load(
  what: string,
  isolate: Isolate,
  { seconds, paths, growth }: LoadOptions,
): Promise<string[]> {
  const run = (duration: number) =>
    autocannon({
      url: isolate.url.origin,
      connections: CONNECTIONS,
      duration,
      requests: paths.map(path => ({ path })),
    })
  // Caches fill during the first seconds; that is not growth.
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
