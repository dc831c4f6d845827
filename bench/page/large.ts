import type { Browser } from 'playwright'
import { quantile } from '../rank/measure.js'
import { markdownTable } from '../report/table.js'
import type { Host } from './host.js'
import type { LargeTimes } from './pages/results.js'
import { visitCold } from './visit.js'

/** One matcher on a large library in a page. */
export interface LargeRow {
  matcher: string
  skills: number
  openMs: number
  queryMs: Record<string, { p50: number; p95: number }>
}

export async function measureLarge(browser: Browser, host: Host): Promise<LargeRow[]> {
  const { report } = await visitCold<LargeTimes>(browser, host, 'large/large.html')
  return Object.entries(report.times).map(([matcher, kinds]) => ({
    matcher,
    skills: report.skills,
    openMs: report.opened,
    queryMs: Object.fromEntries(
      Object.entries(kinds).map(([kind, times]) => [kind, { p50: quantile(times, 0.5), p95: quantile(times, 0.95) }]),
    ),
  }))
}

export function largeTable(rows: readonly LargeRow[]): string {
  return markdownTable(
    ['query in ms: p50 / p95', 'skills', 'opening in ms', ...Object.keys(rows[0]?.queryMs ?? {})],
    rows.map(({ matcher, skills, openMs, queryMs }) => [
      matcher,
      String(skills),
      openMs.toFixed(1),
      ...Object.values(queryMs).map(({ p50, p95 }) => `${p50.toFixed(2)} / ${p95.toFixed(2)}`),
    ]),
  )
}
