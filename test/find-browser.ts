import { delimiter, join } from 'node:path'
import { chromium } from 'playwright'
import { isExecutable } from './engines/find-engines.js'

/** Finds a Chromium: CHROMIUM_PATH, the system's, then playwright's own. The one without a window takes a third less time. */
export function findBrowser(): string | undefined {
  const configured = process.env['CHROMIUM_PATH']
  if (configured) return configured
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const system = [
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
  ].flatMap(name => folders.map(folder => join(folder, name)))
  return [
    ...system,
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    chromium.executablePath(),
  ].find(isExecutable)
}

/** Switches for a browser that only opens local pages. */
export const LAUNCH_ARGS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]
