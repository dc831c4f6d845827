import type { Browser } from 'playwright'
import { builtPage } from '../../test/node/built-page.js'
import { quantile } from '../rank/measure.js'
import { markdownTable } from '../report/table.js'
import type { Host } from './host.js'
import { visitCold } from './visit.js'

/** A moment of a first visit to the demo page. */
interface Moment {
  /** Milliseconds from the start of the navigation. */
  time: number
  requests: number
  bytes: number
}

export interface DemoRow {
  what: string
  time: number
  requests: number
  bytes: number
}

/** The network that Lighthouse calls slow 4G, and the processor of a phone. */
const CONDITIONS = { network: { rate: 1_600_000, latency: 150 }, slowdown: 4 }

/** Runs before the page: notes when it shows the first answer, and when the bundled model ranks. */
const OBSERVE = `{
  const moments = []
  const look = () => {
    const shown = ['#demonstration:not([hidden]) .match', '#models[aria-busy="false"]']
    if (!document.querySelector(shown[moments.length])) return requestAnimationFrame(look)
    const files = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    // A file of the HTTP cache has no transfer size.
    const sent = files.filter(({ transferSize }) => transferSize > 0)
    const bytes = sent.reduce((sum, { transferSize }) => sum + transferSize, 0)
    moments.push({ time: performance.now(), requests: sent.length, bytes })
    if (moments.length < shown.length) requestAnimationFrame(look)
    else fetch('/report', { method: 'POST', body: JSON.stringify(moments) })
  }
  requestAnimationFrame(look)
}`

/** Adds the demo page and its samples, and returns the path of the page. */
export async function addDemo(host: Host): Promise<string> {
  const { files, samples } = await builtPage()
  const bytesOf = (content: Uint8Array | string): Uint8Array =>
    typeof content === 'string' ? new TextEncoder().encode(content) : content
  const page = [...files].map(([path, content]) => [`demo/${path}`, bytesOf(content)] as const)
  const skills = [...samples].map(
    ([path, content]) => [`demo/skills/${path}`, bytesOf(content)] as const,
  )
  host.add(new Map([...page, ...skills]))
  return 'demo/index.html'
}

/** First visits to the demo page: medians. */
export async function measureDemo(
  browser: Browser,
  host: Host,
  rounds: number,
): Promise<DemoRow[]> {
  const path = await addDemo(host)
  const visits: Moment[][] = []
  for (let round = 0; round < rounds; round++) {
    visits.push(
      (await visitCold<Moment[]>(browser, host, path, { ...CONDITIONS, script: OBSERVE })).report,
    )
  }
  return ['first match, by words', 'the bundled model ranks'].map((what, at) => {
    const median = (of: (moment: Moment) => number): number =>
      quantile(
        visits.map(moments => of(moments[at] as Moment)),
        0.5,
      )
    return {
      what,
      time: median(one => one.time),
      requests: median(one => one.requests),
      bytes: median(one => one.bytes),
    }
  })
}

export function demoTable(rows: readonly DemoRow[]): string {
  return markdownTable(
    ['The demo page, first visit', 'ms', 'requests', 'KB'],
    rows.map(({ what, time, requests, bytes }) => [
      what,
      time.toFixed(0),
      String(requests),
      (bytes / 1000).toFixed(0),
    ]),
  )
}
