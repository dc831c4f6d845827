import { type Browser, type BrowserContext, chromium } from 'playwright'
import { findBrowser, LAUNCH_ARGS } from '../../test/find-browser.js'
import type { Host, Traffic } from './host.js'

/** An emulated network. */
export interface Network {
  /** Bits per second. */
  rate: number
  /** Milliseconds until the first byte of a response. */
  latency: number
}

/** What a visit is slowed down by. */
export interface Conditions {
  network?: Network
  /** Factor by which the processor is slower. */
  slowdown?: number
  /** Runs before the scripts of the page. */
  script?: string
}

export interface Visit<Report> {
  report: Report
  traffic: Traffic
  /** The traffic until each moment that the page named before its report. */
  moments: readonly Traffic[]
}

/** Timeout in ms for the report of a page. */
const TIMEOUT = 180_000
/** Time in ms for a new Chromium window to load its own user interface. */
const SETTLE = 1_500

export function launch(): Promise<Browser> {
  const executablePath = findBrowser()
  if (!executablePath) {
    throw new Error('Chromium was not found. Install it, or set CHROMIUM_PATH to its executable.')
  }
  return chromium.launch({ executablePath, args: LAUNCH_ARGS })
}

/** Opens a page in a new profile and waits for its report. */
export async function visitCold<Report>(
  browser: Browser,
  host: Host,
  path: string,
  conditions?: Conditions,
): Promise<Visit<Report>> {
  const context = await browser.newContext()
  try {
    return await visit<Report>(context, host, path, conditions)
  } finally {
    await context.close()
  }
}

/** Opens a page in a profile that may have a cache, and waits for its report. */
export async function visit<Report>(
  context: BrowserContext,
  host: Host,
  path: string,
  conditions: Conditions = {},
): Promise<Visit<Report>> {
  const page = await context.newPage()
  try {
    const { network, slowdown, script } = conditions
    if (script) await page.addInitScript(script)
    const session = await context.newCDPSession(page)
    if (slowdown) await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    if (network) {
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
    const reported = host.listen()
    const failed = new Promise<never>((_, reject) => {
      page.on('pageerror', reject)
      page.setDefaultTimeout(TIMEOUT)
      setTimeout(() => reject(new Error(`${path} reported nothing`)), TIMEOUT).unref()
    })
    failed.catch(() => undefined)
    await page.goto(`${host.origin}/${path}`, { waitUntil: 'commit' })
    const { report, traffic, moments } = await Promise.race([reported, failed])
    if (report && typeof report === 'object' && 'error' in report) {
      throw new Error(`${path}: ${report.error}`)
    }
    return { report: report as Report, traffic, moments }
  } finally {
    await page.close()
  }
}
