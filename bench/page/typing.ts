import type { Browser, Page } from 'playwright'
import { quantile } from '../rank/measure.js'
import { markdownTable } from '../report/table.js'
import { addDemo } from './demo.js'
import type { Host } from './host.js'

/** How long the demo page takes from a key or a click to the next paint. */
export interface TypingRow {
  what: string
  interactions: number
  /** Milliseconds of the slowest in a hundred, as browsers report Interaction to Next Paint, and of the slowest. */
  p98: number
  max: number
}

/** Milliseconds between two keys of a fast typist, and after a message. */
const KEY = 90
const REST = 700
const SLOWDOWN = 4

/** None is in the samples or in their tests. */
const MESSAGES = [
  'my landlord sent a lease, anything odd in it?',
  'turn the sales sheet into one picture',
  'wie sage ich dem Kunden höflich ab',
  'the web server is slow since friday',
]

/** Notes the longest event of each interaction. */
const OBSERVE = `{
  window.interactions = new Map()
  new PerformanceObserver(list => {
    for (const { interactionId, duration } of list.getEntries()) {
      if (interactionId) interactions.set(interactionId, Math.max(duration, interactions.get(interactionId) ?? 0))
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: true })
}`

/** Types into the search box of the demo page, and into those of its views, with the processor of a phone. */
export async function measureTyping(browser: Browser, host: Host): Promise<TypingRow[]> {
  const path = await addDemo(host)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    await page.addInitScript(OBSERVE)
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
    const rows: TypingRow[] = []
    for (const { what, hash, box } of [
      { what: 'the search box', hash: '', box: '#message' },
      { what: 'a message, What agents see', hash: '#/listing', box: '#listing-message' },
      { what: 'the search box, Compare', hash: '#/compare', box: '#message' },
    ]) {
      await page.goto(`${host.origin}/${path}${hash}`)
      await page.reload()
      await page.locator('#models[aria-busy=false]').waitFor({ state: 'attached' })
      await page.locator('#ways h2').waitFor({ state: 'attached' })
      await page.locator(box).waitFor()
      const found: number[] = []
      for (const message of MESSAGES) found.push(...(await type(page, box, message)))
      rows.push({
        what,
        interactions: found.length,
        p98: quantile(found, 0.98),
        max: Math.max(...found),
      })
    }
    return rows
  } finally {
    await context.close()
  }
}

/** @returns The milliseconds of each key that took a frame or longer; 0 for the others */
async function type(page: Page, box: string, message: string): Promise<number[]> {
  await page.locator(box).fill('')
  await page.waitForTimeout(REST)
  await page.evaluate('interactions.clear()')
  await page.locator(box).pressSequentially(message, { delay: KEY })
  await page.waitForTimeout(REST)
  const slow = (await page.evaluate('[...interactions.values()]')) as number[]
  return [...slow, ...Array.from({ length: Math.max(0, message.length - slow.length) }, () => 0)]
}

export function typingTable(rows: readonly TypingRow[]): string {
  return markdownTable(
    ['Typing in the demo page, ms to the next paint', 'keys', 'p98', 'slowest'],
    rows.map(({ what, interactions, p98, max }) => [
      what,
      String(interactions),
      p98.toFixed(0),
      max.toFixed(0),
    ]),
  )
}
