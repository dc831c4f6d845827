import { type Browser, chromium } from 'playwright'
import { findBrowser, LAUNCH_ARGS } from './find-browser.js'

/** The browser of the tests that drive one from Node; `undefined`: they are left out. */
export const executablePath = process.env['SKIP_BROWSER'] ? undefined : findBrowser()

/** How long a test waits for what a page shows, in ms: as long as a very busy machine may take. */
export const PATIENCE = 60_000

/** @param args Switches beside those that every test wants. */
export async function launch(...args: string[]): Promise<Browser> {
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [...LAUNCH_ARGS, ...args],
    timeout: PATIENCE,
  })
  browser.on('context', context => context.setDefaultTimeout(PATIENCE))
  return browser
}

/**
 * For `addInitScript`: a model gets as long as it takes for a message, not two seconds, so that no answer depends on how busy the
 * machine is. What happens after two seconds has tests of its own.
 */
export const UNHURRIED = `{
  const later = globalThis.setTimeout
  globalThis.setTimeout = (run, ms, ...rest) => later(run, ms === 2_000 ? ${PATIENCE} : ms, ...rest)
}`
