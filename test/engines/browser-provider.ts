import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineBrowserProvider } from '@vitest/browser'
import type { BrowserProvider, BrowserProviderOption } from 'vitest/node'
import type { Engine } from './find-engines.js'

/** Keeps Firefox from showing pages of its own and from asking the network. */
const FIREFOX_SETTINGS = {
  'browser.shell.checkDefaultBrowser': false,
  'browser.aboutwelcome.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.enabled': false,
  'network.captive-portal-service.enabled': false,
}

/**
 * A provider that starts a browser with the address of the tests, and ends it. It needs no driver, so it works with every browser that has a
 * command line. Module mocks, CDP and user input need a driver: tests that use them run in Chromium.
 */
export function openAddress(engines: readonly Engine[]): BrowserProviderOption {
  return defineBrowserProvider({
    name: 'open-address',
    options: {},
    providerFactory(project) {
      const { name } = project.config.browser
      const engine = engines.find(engine => engine.name === name)
      if (!engine) throw new Error(`The engine ${name} is not installed`)
      return createProvider(engine)
    },
  })
}

function createProvider({ name, command }: Engine): BrowserProvider {
  const profile = mkdtempSync(join(tmpdir(), `skillshelf-${name}-`))
  let running: ChildProcess | undefined
  const stop = (): void => {
    // The group: xvfb-run, the display and the processes of the browser.
    if (running?.pid !== undefined) signalGroup(running.pid)
    running = undefined
  }
  process.once('exit', stop)

  return {
    name,
    supportsParallelism: false,
    getCommandsContext: () => ({}),
    async openPage(_session, url) {
      stop()
      const [program, ...args] = command
      if (name === 'firefox') {
        writeFileSync(join(profile, 'user.js'), firefoxSettings())
        args.push('--profile', profile)
      }
      running = spawn(program, [...args, url], {
        stdio: 'ignore',
        detached: true,
        env: {
          ...process.env,
          HOME: profile,
          // Containers forbid the sandbox, and the browser opens our own pages only.
          WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
        },
      })
    },
    async close() {
      stop()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function firefoxSettings(): string {
  return Object.entries(FIREFOX_SETTINGS)
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join('')
}

function signalGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
