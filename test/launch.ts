import { type Browser, chromium } from 'playwright'
import { findBrowser, LAUNCH_ARGS } from './find-browser.js'

/** Path of the browser for tests that drive one from Node. `undefined`: the tests are skipped. */
export const executablePath = process.env['SKIP_BROWSER'] ? undefined : findBrowser()

/** Timeout for what a page shows, in milliseconds. Long enough for a very busy machine. */
export const PATIENCE = 120_000

/** @param args Command-line switches in addition to the defaults. */
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
 * For `addInitScript`: raises the two-second timeout of models and the three-second deadline of Markdown, so that results do not depend on
 * the load of the machine. Separate tests cover them.
 */
export const UNHURRIED = `{
  const later = globalThis.setTimeout
  globalThis.setTimeout = (run, ms, ...rest) => later(run, ms === 2_000 || ms === 3_000 ? ${PATIENCE} : ms, ...rest)
}`
