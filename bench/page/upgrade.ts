import type { Browser, BrowserContext } from 'playwright'
import { quantile } from '../rank/measure.js'
import { markdownTable } from '../report/table.js'
import { kilobytes } from './first.js'
import type { Host, Traffic } from './host.js'
import { MARKS } from './pages/marks.js'
import type { Fluency, UpgradeTimes } from './pages/told.js'
import { type LongestTasks, longestTasks, TASK_CATEGORIES } from './tasks.js'
import { visit } from './visit.js'

/** One kind of visit while a transformer joins: of each round. */
export interface UpgradeRow {
  what: string
  told: UpgradeTimes[]
  /** By part: see `MARKS`. */
  tasks: Record<string, LongestTasks>[]
  traffic: Traffic
}

const PARTS: { when: string; mark: (typeof MARKS)[number]; fluency: (told: UpgradeTimes) => Fluency }[] = [
  { when: 'before', mark: 'quiet', fluency: ({ before }) => before },
  { when: 'it loads', mark: 'loading', fluency: ({ loading }) => loading },
  { when: 'it reads the skills', mark: 'reading', fluency: ({ embedding }) => embedding },
]

const PAGE = 'upgrade/upgrade.html'
const VISITS = [
  { what: 'nothing kept', path: PAGE },
  { what: 'first visit, vectors kept', path: `${PAGE}?cache` },
  { what: 'second visit', path: `${PAGE}?cache` },
]

export async function measureUpgrade(browser: Browser, host: Host, rounds: number): Promise<UpgradeRow[]> {
  const rows = VISITS.map(({ what }): UpgradeRow => ({ what, told: [], tasks: [], traffic: {} as Traffic }))
  for (let round = 0; round < rounds; round++) {
    // The first visit has a profile of its own; the other two share one.
    const contexts: BrowserContext[] = [await browser.newContext(), await browser.newContext()]
    for (const [at, { path }] of VISITS.entries()) {
      await browser.startTracing(undefined, { categories: TASK_CATEGORIES })
      const { told, traffic } = await visit<UpgradeTimes>(contexts[at && 1] as BrowserContext, host, path)
      const row = rows[at] as UpgradeRow
      row.tasks.push(longestTasks(await browser.stopTracing(), MARKS))
      row.told.push(told)
      row.traffic = traffic
    }
    for (const context of contexts) await context.close()
  }
  return rows
}

export function upgradeTables(rows: readonly UpgradeRow[], rounds: number): string[] {
  return [
    `A transformer joins a library in use; medians of ${rounds} visits, the longest of all for tasks:`,
    markdownTable(
      ['', 'model ready, s', 'in use, s', 'skills read', 'ms a message then', 'from the host, KB'],
      rows.map(({ what, told, traffic }) => [
        what,
        ...[told.map(({ loaded }) => loaded), told.map(({ ready }) => ready)].map(ms =>
          (quantile(ms, 0.5) / 1000).toFixed(1),
        ),
        String(
          quantile(
            told.map(({ read }) => read),
            0.5,
          ),
        ),
        quantile(
          told.flatMap(({ after }) => after),
          0.5,
        ).toFixed(1),
        kilobytes(traffic.script + traffic.wasm + traffic.library + traffic.model),
      ]),
    ),
    'The page meanwhile, with a match every 100 ms:',
    markdownTable(
      [
        'ms',
        '',
        'longest task',
        'its own time',
        'tasks over 50',
        'longest gap',
        'a match, p50',
        'p95',
        'longest',
        'matches',
      ],
      rows.flatMap(({ what, told, tasks }) =>
        PARTS.map(({ when, mark, fluency }) => [
          what,
          when,
          ...fluencyCells(
            told.map(fluency),
            tasks.map(one => one[mark] as LongestTasks),
          ),
        ]),
      ),
    ),
  ]
}

function fluencyCells(some: readonly Fluency[], tasks: readonly LongestTasks[]): string[] {
  const matches = some.flatMap(one => one.matches)
  return [
    Math.max(...tasks.map(({ wall }) => wall)).toFixed(0),
    Math.max(...tasks.map(({ own }) => own)).toFixed(0),
    String(some.reduce((sum, { longTasks }) => sum + longTasks, 0)),
    Math.max(...some.map(({ longestGap }) => longestGap)).toFixed(0),
    ...[quantile(matches, 0.5), quantile(matches, 0.95), Math.max(0, ...matches)].map(ms => ms.toFixed(1)),
    String(matches.length),
  ]
}
