import { type Browser, type BrowserContext, chromium } from 'playwright'
import { findBrowser, LAUNCH_ARGS } from '../../test/find-browser.js'
import type { Host, Traffic } from './host.js'

/** A network as CDP emulates it. */
export interface Network {
  /** Bits a second. */
  rate: number
  /** Milliseconds until the first byte of an answer. */
  latency: number
}

export interface Visit<Told> {
  told: Told
  traffic: Traffic
}

const LONGEST = 180_000
/** A window of Chromium loads hundreds of files of its own user interface, in the same two seconds. */
const SETTLE = 1_500

export function launch(): Promise<Browser> {
  const executablePath = findBrowser()
  if (!executablePath) throw new Error('No Chromium was found: install one, or set CHROMIUM_PATH to its executable')
  return chromium.launch({ executablePath, args: LAUNCH_ARGS })
}

/** Opens a page in a profile of its own, without a cache, and waits for what it tells. */
export async function visitCold<Told>(
  browser: Browser,
  host: Host,
  path: string,
  network?: Network,
): Promise<Visit<Told>> {
  const context = await browser.newContext()
  try {
    return await visit<Told>(context, host, path, network)
  } finally {
    await context.close()
  }
}

/** Opens a page in a profile that may have been there before. */
export async function visit<Told>(
  context: BrowserContext,
  host: Host,
  path: string,
  network?: Network,
): Promise<Visit<Told>> {
  const page = await context.newPage()
  try {
    if (network) {
      const session = await context.newCDPSession(page)
      const { latency, rate } = network
      await session.send('Network.enable')
      await session.send('Network.emulateNetworkConditions', {
        offline: false,
        latency,
        downloadThroughput: rate / 8,
        uploadThroughput: rate / 8,
      })
    }
    await new Promise(resolve => setTimeout(resolve, SETTLE))
    const heard = host.listen()
    const failed = new Promise<never>((_, reject) => {
      page.on('pageerror', reject)
      page.setDefaultTimeout(LONGEST)
      setTimeout(() => reject(new Error(`${path} told nothing`)), LONGEST).unref()
    })
    failed.catch(() => undefined)
    await page.goto(`${host.origin}/${path}`, { waitUntil: 'commit' })
    const { told, traffic } = await Promise.race([heard, failed])
    if (told && typeof told === 'object' && 'error' in told) throw new Error(`${path}: ${told.error}`)
    return { told: told as Told, traffic }
  } finally {
    await page.close()
  }
}
