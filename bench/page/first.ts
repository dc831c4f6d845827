import type { Browser } from 'playwright'
import { quantile } from '../rank/measure.js'
import { markdownTable } from '../report/table.js'
import type { Host, Traffic } from './host.js'
import type { FirstMatch } from './pages/told.js'
import { type Network, visitCold } from './visit.js'

/** One kind of visit, from the start of the navigation to the first match: medians, and all answers. */
export interface FirstRow {
  what: string
  script: number
  opened: number
  answered: number
  all: number[]
  traffic: Traffic
}

const VISITS = [
  { what: 'a page that does nothing', path: 'floor/floor.html', model: /^$/ },
  { what: 'first match, by words', path: 'words/words.html', model: /^lexical/ },
  { what: 'by words and meaning', path: 'meaning/meaning.html', model: /^hybrid/ },
  { what: 'by words and meaning, Chinese', path: 'meaning/meaning.html?zh', model: /^hybrid/ },
]

/** Cold visits, in turn, so that a busy moment hits all kinds alike. The first turn does not count: the browser itself is cold. */
export async function measureFirst(
  browser: Browser,
  host: Host,
  rounds: number,
  network?: Network,
): Promise<FirstRow[]> {
  const told: FirstMatch[][] = VISITS.map(() => [])
  const traffic: Traffic[] = []
  for (let round = 0; round <= rounds; round++) {
    for (const [at, { path, model }] of VISITS.entries()) {
      const visited = await visitCold<FirstMatch>(browser, host, path, network)
      if (!model.test(visited.told.model)) throw new Error(`${path} was answered by ${visited.told.model}`)
      traffic[at] = visited.traffic
      if (round > 0) told[at]?.push(visited.told)
    }
  }
  return VISITS.map(({ what }, at): FirstRow => {
    const median = (of: (one: FirstMatch) => number): number => quantile((told[at] ?? []).map(of), 0.5)
    return {
      what,
      script: median(({ script }) => script),
      opened: median(({ opened }) => opened),
      answered: median(({ answered }) => answered),
      all: (told[at] ?? []).map(({ answered }) => answered),
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
      'times nothing',
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
      rows[0]?.what === what ? '-' : `${Math.min(...all).toFixed(0)} – ${Math.max(...all).toFixed(0)}`,
      (answered / floor.answered).toFixed(1),
      ...[traffic.script, traffic.library, traffic.model].map(kilobytes),
      String(traffic.requests),
    ]),
  )
}

export function kilobytes(bytes: number): string {
  return (bytes / 1e3).toFixed(0)
}
