import type { Browser } from 'playwright'
import { quantile } from '../rank/measure.js'
import { markdownTable } from '../report/table.js'
import { kilobytes } from './first.js'
import type { Host, Traffic } from './host.js'
import type { PeerTimes } from './pages/results.js'
import { visitCold } from './visit.js'

/** Medians of a page that waits for a transformer, without skillshelf. */
export interface PeerRow extends Omit<PeerTimes, 'found'> {
  perSkill: number
  query: number
  traffic: Traffic
}

export async function measurePeer(browser: Browser, host: Host, rounds: number): Promise<PeerRow> {
  const results: PeerTimes[] = []
  let traffic: Traffic | undefined
  for (let round = 0; round < rounds; round++) {
    const visited = await visitCold<PeerTimes>(browser, host, 'peer/peer.html')
    results.push(visited.report)
    traffic = visited.traffic
  }
  const median = (of: (one: PeerTimes) => number): number => quantile(results.map(of), 0.5)
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

export function peerTable({
  ready,
  embedded,
  answered,
  perSkill,
  query,
  traffic,
}: PeerRow): string {
  return markdownTable(
    [
      'ms from the start of the navigation',
      'model ready',
      'all skills embedded',
      'first match',
      'ms per skill',
      'ms per message',
      'script, KB',
      'WASM, KB',
      'texts, KB',
      'model, KB',
    ],
    [
      [
        'MiniLM in transformers.js, cosine',
        ...[ready, embedded, answered].map(ms => ms.toFixed(0)),
        perSkill.toFixed(1),
        query.toFixed(1),
        ...[traffic.script, traffic.wasm, traffic.library, traffic.model].map(kilobytes),
      ],
    ],
  )
}
