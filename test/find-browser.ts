import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright'

/** A Chromium to test in: CHROMIUM_PATH, the system's, playwright's own; `undefined` where there is none. */
export function findBrowser(): string | undefined {
  const named = process.env['CHROMIUM_PATH']
  if (named) return named
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const system = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].flatMap(name =>
    folders.map(folder => join(folder, name)),
  )
  return [...system, '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', chromium.executablePath()].find(
    isExecutable,
  )
}

/** For a browser that only looks at pages of our own. */
export const LAUNCH_ARGS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
