import type { Browser } from 'playwright'
import { quantile } from '../rank/measure.js'
import { markdownTable } from '../report/table.js'
import type { Host } from './host.js'
import type { EncoderTimes } from './pages/results.js'
import { visitCold } from './visit.js'

/** What the project's encoder takes on one thread, with the processor of this machine and with a slower one. */
export interface EncoderRow extends EncoderTimes {
  slowdown: number
}

export async function measureEncoder(
  browser: Browser,
  host: Host,
  slowdowns: readonly number[],
): Promise<EncoderRow[]> {
  const rows: EncoderRow[] = []
  for (const slowdown of slowdowns) {
    const { report } = await visitCold<EncoderTimes>(browser, host, 'encoder/encoder.html', {
      slowdown,
    })
    rows.push({ slowdown, ...report })
  }
  return rows
}

export function encoderTable(rows: readonly EncoderRow[]): string {
  return markdownTable(
    ['processor', 'ready, ms', 'ms a message, p50', 'p95', 'ms a skill, p50', 'p95'],
    rows.map(({ slowdown, loaded, messages, skills }) => [
      slowdown === 1 ? 'of this machine' : `${slowdown} times slower, as of a phone`,
      loaded.toFixed(0),
      ...[messages, skills].flatMap(times =>
        [0.5, 0.95].map(share => quantile(times, share).toFixed(1)),
      ),
    ]),
  )
}
