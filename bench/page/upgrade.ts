import type { Browser } from 'playwright'
import { quantile } from '../rank/measure.js'
import { markdownTable } from '../report/table.js'
import { kilobytes } from './first.js'
import { hasMiniLM } from './fixtures.js'
import type { Host, Traffic } from './host.js'
import { type LongestTasks, longestTasks, TASK_CATEGORIES } from './long-tasks.js'
import { MARKS, type Responsiveness, type UpgradeTimes } from './pages/results.js'
import { visit } from './visit.js'

/** One kind of visit during an upgrade to a transformer, with the results of each round. */
export interface UpgradeRow {
  what: string
  reports: UpgradeTimes[]
  /** By mark: see `MARKS`. */
  tasks: Record<string, LongestTasks>[]
  traffic: Traffic
}

const PARTS: {
  when: string
  mark: (typeof MARKS)[number]
  responsiveness: (report: UpgradeTimes) => Responsiveness
}[] = [
  { when: 'before', mark: 'idle', responsiveness: ({ before }) => before },
  { when: 'loading', mark: 'loading', responsiveness: ({ loading }) => loading },
  { when: 'embedding', mark: 'embedding', responsiveness: ({ embedding }) => embedding },
]

/** The folder of the library with packed vectors. */
export const ENCODED = 'encoded'
const PAGE = 'upgrade/upgrade.html?model='
const VISITS = [
  { what: 'skillshelf-encoder', path: `${PAGE}skillshelf-encoder` },
  {
    what: 'vectors packed with `--encoder`',
    path: `${PAGE}skillshelf-encoder&library=${ENCODED}`,
  },
  { what: 'first visit with vector cache', path: `${PAGE}skillshelf-encoder&cache` },
  { what: 'second visit', path: `${PAGE}skillshelf-encoder&cache` },
  ...(hasMiniLM ? [{ what: 'all-MiniLM-L6-v2', path: `${PAGE}all-MiniLM-L6-v2` }] : []),
]

export async function measureUpgrade(
  browser: Browser,
  host: Host,
  rounds: number,
): Promise<UpgradeRow[]> {
  const rows = VISITS.map(
    ({ what }): UpgradeRow => ({ what, reports: [], tasks: [], traffic: {} as Traffic }),
  )
  for (let round = 0; round < rounds; round++) {
    // Visits without a cache of vectors have a profile of their own; the other two share one.
    const shared = await browser.newContext()
    for (const [at, { path }] of VISITS.entries()) {
      const context = path.endsWith('&cache') ? shared : await browser.newContext()
      await browser.startTracing(undefined, { categories: TASK_CATEGORIES })
      const { report, traffic } = await visit<UpgradeTimes>(context, host, path)
      const row = rows[at] as UpgradeRow
      row.tasks.push(longestTasks(await browser.stopTracing(), MARKS))
      row.reports.push(report)
      row.traffic = traffic
      if (context !== shared) await context.close()
    }
    await shared.close()
  }
  return rows
}

export function upgradeTables(rows: readonly UpgradeRow[], visits: string): string[] {
  return [
    `Upgrade to a transformer; medians of ${visits}, maximum for tasks:`,
    markdownTable(
      [
        '',
        'model ready, s',
        'in use, s',
        'skills embedded',
        'ms per message after',
        'model, KB',
        'downloaded, KB',
      ],
      rows.map(({ what, reports, traffic }) => [
        what,
        ...[reports.map(({ loaded }) => loaded), reports.map(({ ready }) => ready)].map(ms =>
          (quantile(ms, 0.5) / 1000).toFixed(1),
        ),
        String(
          quantile(
            reports.map(({ embedded }) => embedded),
            0.5,
          ),
        ),
        quantile(
          reports.flatMap(({ after }) => after),
          0.5,
        ).toFixed(1),
        kilobytes(traffic.model),
        kilobytes(traffic.script + traffic.wasm + traffic.library + traffic.model),
      ]),
    ),
    'Main thread, with a match every 100 ms:',
    markdownTable(
      ['ms', '', 'longest task', 'tasks over 50', 'longest gap', 'match, p50', 'p95', 'longest'],
      rows.flatMap(({ what, reports, tasks }) =>
        PARTS.map(({ when, mark, responsiveness }) => [
          what,
          when,
          ...responsivenessCells(
            reports.map(responsiveness),
            tasks.map(one => one[mark] as LongestTasks),
          ),
        ]),
      ),
    ),
  ]
}

function responsivenessCells(
  some: readonly Responsiveness[],
  tasks: readonly LongestTasks[],
): string[] {
  const matches = some.flatMap(one => one.matches)
  return [
    Math.max(...tasks.map(({ wall }) => wall)).toFixed(0),
    String(some.reduce((sum, { longTasks }) => sum + longTasks, 0)),
    Math.max(...some.map(({ longestGap }) => longestGap)).toFixed(0),
    ...[quantile(matches, 0.5), quantile(matches, 0.95), Math.max(0, ...matches)].map(ms =>
      ms.toFixed(1),
    ),
  ]
}
