import type { Browser } from 'playwright'
import { quantile } from '../rank/measure.js'
import { readModel } from '../rank/model.js'
import { markdownTable } from '../report/table.js'
import type { Files } from './fixtures.js'
import type { Host } from './host.js'
import type { LargeTimes } from './pages/results.js'
import { type LargeLibrary, timeMatching } from './pages/time-matching.js'
import { visitCold } from './visit.js'

/** One matcher on a large library in one runtime. */
export interface LargeRow {
  matcher: string
  runtime: 'Chromium' | 'Node'
  skills: number
  openMs: number
  queryMs: Record<string, { p50: number; p95: number }>
}

/** Measures a page in Chromium, then the same in this process. */
export async function measureLarge(
  browser: Browser,
  host: Host,
  files: Files,
): Promise<LargeRow[]> {
  const { report } = await visitCold<LargeTimes>(browser, host, 'large/large.html')
  const read = (name: string) => files.get(`large/${name}`) as Uint8Array<ArrayBuffer>
  const library = JSON.parse(new TextDecoder().decode(read('about.json'))) as LargeLibrary
  const inNode = await timeMatching(library, async index => read(`${index}.seg`), readModel())
  return [...toRows('Chromium', report), ...toRows('Node', inNode)]
}

function toRows(runtime: LargeRow['runtime'], { skills, opened, times }: LargeTimes): LargeRow[] {
  return Object.entries(times).map(([matcher, kinds]) => ({
    matcher,
    runtime,
    skills,
    openMs: opened,
    queryMs: Object.fromEntries(
      Object.entries(kinds).map(([kind, ms]) => [
        kind,
        { p50: quantile(ms, 0.5), p95: quantile(ms, 0.95) },
      ]),
    ),
  }))
}

export function largeTable(rows: readonly LargeRow[]): string {
  return markdownTable(
    [
      'query in ms: p50 / p95',
      'runtime',
      'skills',
      'opening in ms',
      ...Object.keys(rows[0]?.queryMs ?? {}),
    ],
    rows.map(({ matcher, runtime, skills, openMs, queryMs }) => [
      matcher,
      runtime,
      String(skills),
      openMs.toFixed(1),
      ...Object.values(queryMs).map(({ p50, p95 }) => `${p50.toFixed(2)} / ${p95.toFixed(2)}`),
    ]),
  )
}
