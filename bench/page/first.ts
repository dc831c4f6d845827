import type { Browser } from 'playwright'
import { quantile } from '../rank/measure.js'
import { markdownTable } from '../report/table.js'
import type { Host, Traffic } from './host.js'
import type { FirstMatch } from './pages/results.js'
import { type Conditions, visitCold } from './visit.js'

/** One kind of visit, from the start of the navigation to the first match: medians, and every time to the first match. */
export interface FirstRow {
  what: string
  script: number
  opened: number
  answered: number
  all: number[]
  traffic: Traffic
}

const VISITS = [
  { what: 'empty page', path: 'baseline/baseline.html', model: /^$/ },
  { what: 'keywords', path: 'keywords/keywords.html', model: /^lexical/ },
  { what: 'bundled model', path: 'bundled-model/bundled-model.html', model: /^hybrid/ },
  { what: 'bundled model, Chinese', path: 'bundled-model/bundled-model.html?zh', model: /^hybrid/ },
]

/** Cold visits, interleaved so that a busy moment affects all kinds. The first round is a warm-up of the browser. */
export async function measureFirst(
  browser: Browser,
  host: Host,
  rounds: number,
  conditions?: Conditions,
): Promise<FirstRow[]> {
  const results: FirstMatch[][] = VISITS.map(() => [])
  const traffic: Traffic[] = []
  for (let round = 0; round <= rounds; round++) {
    for (const [at, { path, model }] of VISITS.entries()) {
      const visited = await visitCold<FirstMatch>(browser, host, path, conditions)
      if (!model.test(visited.report.model)) {
        throw new Error(`${path} was answered by ${visited.report.model}`)
      }
      traffic[at] = visited.traffic
      if (round > 0) results[at]?.push(visited.report)
    }
  }
  return VISITS.map(({ what }, at): FirstRow => {
    const median = (of: (one: FirstMatch) => number): number =>
      quantile((results[at] ?? []).map(of), 0.5)
    return {
      what,
      script: median(({ script }) => script),
      opened: median(({ opened }) => opened),
      answered: median(({ answered }) => answered),
      all: (results[at] ?? []).map(({ answered }) => answered),
      traffic: traffic[at] as Traffic,
    }
  })
}

export function firstTable(rows: readonly FirstRow[]): string {
  const [floor] = rows as [FirstRow]
  return markdownTable(
    [
      'ms from the start of the navigation',
      'script runs',
      'library open',
      'first match',
      'fastest – slowest',
      'relative to empty page',
      'script, KB',
      'library, KB',
      'model, KB',
      'requests',
    ],
    rows.map(({ what, script, opened, answered, all, traffic }) => [
      what,
      script.toFixed(0),
      rows[0]?.what === what ? '-' : opened.toFixed(0),
      rows[0]?.what === what ? '-' : answered.toFixed(0),
      rows[0]?.what === what
        ? '-'
        : `${Math.min(...all).toFixed(0)} – ${Math.max(...all).toFixed(0)}`,
      (answered / floor.answered).toFixed(1),
      ...[traffic.script, traffic.library, traffic.model].map(kilobytes),
      String(traffic.requests),
    ]),
  )
}

/** The times alone, for visits whose traffic is that of another table. */
export function timesTable(rows: readonly FirstRow[]): string {
  const [floor] = rows
  return markdownTable(
    ['ms from the start of the navigation', 'script runs', 'library open', 'first match'],
    rows.map(row => [
      row.what,
      ...[row.script, row.opened, row.answered].map((ms, at) =>
        row === floor && at > 0 ? '-' : ms.toFixed(0),
      ),
    ]),
  )
}

export function kilobytes(bytes: number): string {
  return (bytes / 1e3).toFixed(0)
}
