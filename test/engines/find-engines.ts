import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** An engine beside Chromium, workerd and the Node that runs the tests. */
export interface Engine {
  name: string
  /** The program and its first arguments. A browser gets an address after them, another engine a script. */
  command: readonly [program: string, ...args: string[]]
}

/** Where `.ci/run` installs the engines that npm has. */
const PACKAGES = fileURLToPath(
  new URL('../../node_modules/.engines/node_modules/', import.meta.url),
)

const RUNTIMES: readonly Engine[] = [
  { name: 'deno', command: [join(PACKAGES, '@deno/linux-x64-glibc/deno'), 'run', '-A'] },
  { name: 'bun', command: [join(PACKAGES, 'bun/bin/bun.exe'), '--bun'] },
  { name: 'node22', command: [join(PACKAGES, 'node22/bin/node')] },
  { name: 'node24', command: [join(PACKAGES, 'node24/bin/node')] },
]

/** Browsers that are installed, by the name of their project. */
export function findBrowserEngines(): Engine[] {
  const firefox = findProgram('firefox-esr') ?? findProgram('firefox')
  const xvfb = findProgram('xvfb-run')
  const webkit = findMiniBrowser()
  return [
    ...(firefox
      ? [{ name: 'firefox', command: [firefox, '--headless', '--no-remote'] as const }]
      : []),
    // It has no mode without a window.
    ...(webkit && xvfb
      ? [{ name: 'webkit', command: [xvfb, '-a', webkit, '--private'] as const }]
      : []),
  ]
}

/** Runtimes that are installed and run on this machine. They run the tests that need no page. */
export function findRuntimes(): Engine[] {
  return RUNTIMES.filter(
    ({ command: [program] }) =>
      existsSync(program) && spawnSync(program, ['--version']).status === 0,
  )
}

/** The names of engines that are not here. `.ci/run` installs them. */
export function missingEngines(): string[] {
  const found = new Set([...findBrowserEngines(), ...findRuntimes()].map(({ name }) => name))
  return ['firefox', 'webkit', ...RUNTIMES.map(({ name }) => name)].filter(name => !found.has(name))
}

/** The browser of WebKitGTK, which no PATH has. */
function findMiniBrowser(): string | undefined {
  const folder = '/usr/lib'
  const platforms = existsSync(folder) ? readdirSync(folder) : []
  return platforms
    .map(platform => join(folder, platform, 'webkit2gtk-4.1/MiniBrowser'))
    .find(isExecutable)
}

function findProgram(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map(folder => join(folder, name))
    .find(isExecutable)
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
