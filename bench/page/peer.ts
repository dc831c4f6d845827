import type { Browser } from 'playwright'
import { quantile } from '../rank/measure.js'
import { markdownTable } from '../report/table.js'
import { kilobytes } from './first.js'
import type { Host, Traffic } from './host.js'
import type { PeerTimes } from './pages/told.js'
import { visitCold } from './visit.js'

/** Medians of a page that waits for a transformer. */
export interface PeerRow extends Omit<PeerTimes, 'found'> {
  perSkill: number
  query: number
  traffic: Traffic
}

export async function measurePeer(browser: Browser, host: Host, rounds: number): Promise<PeerRow> {
  const told: PeerTimes[] = []
  let traffic: Traffic | undefined
  for (let round = 0; round < rounds; round++) {
    const visited = await visitCold<PeerTimes>(browser, host, 'peer/peer.html')
    told.push(visited.told)
    traffic = visited.traffic
  }
  const median = (of: (one: PeerTimes) => number): number => quantile(told.map(of), 0.5)
  return {
    script: median(({ script }) => script),
    ready: median(({ ready }) => ready),
    embedded: median(({ embedded }) => embedded),
    answered: median(({ answered }) => answered),
    skills: median(({ skills }) => skills),
    perSkill: median(({ ready, embedded, skills }) => (embedded - ready) / skills),
    query: median(({ embedded, answered }) => answered - embedded),
    traffic: traffic as Traffic,
  }
}

export function peerTable({ ready, embedded, answered, perSkill, query, traffic }: PeerRow): string {
  return markdownTable(
    [
      'ms from the start of the navigation',
      'model ready',
      'all skills read',
      'first match',
      'ms a skill',
      'ms a message',
      'script, KB',
      'WASM, KB',
      'texts, KB',
      'model, KB',
    ],
    [
      [
        'MiniLM by transformers.js, cosine',
        ...[ready, embedded, answered].map(ms => ms.toFixed(0)),
        perSkill.toFixed(1),
        query.toFixed(1),
        ...[traffic.script, traffic.wasm, traffic.library, traffic.model].map(kilobytes),
      ],
    ],
  )
}
