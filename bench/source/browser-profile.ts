import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright'
import { findBrowser, LAUNCH_ARGS } from '../../test/find-browser.js'
import type { Network } from '../page/visit.js'
import type { Tasks } from './pages/kept.js'

/** A browser profile on disk. The browser is closed between visits. */
export interface BrowserProfile {
  /** Starts the browser, opens the page, and closes both. */
  visit<T>(work: (visit: Visit) => Promise<T>): Promise<T>
  remove(): Promise<void>
}

export interface Visit {
  context: BrowserContext
  page: Page
  run<Name extends keyof Tasks>(
    task: Name,
    ...args: Parameters<Tasks[Name]>
  ): ReturnType<Tasks[Name]>
  slow(network: Network): Promise<void>
  /** Memory of the page's scripts in bytes, after garbage collection. */
  held(): Promise<number>
}

export async function createProfile(address: string): Promise<BrowserProfile> {
  const executablePath = findBrowser()
  if (!executablePath) {
    throw new Error('Chromium not found: install it, or set CHROMIUM_PATH to its executable')
  }
  const profile = await mkdtemp(join(tmpdir(), 'skillshelf-profile-'))
  return {
    async visit(work) {
      const context = await chromium.launchPersistentContext(profile, {
        executablePath,
        args: LAUNCH_ARGS,
      })
      try {
        const page = context.pages()[0] ?? (await context.newPage())
        page.setDefaultTimeout(0)
        await page.goto(address)
        return await work(createVisit(context, page, await context.newCDPSession(page)))
      } finally {
        await context.close()
      }
    },
    remove: () => rm(profile, { recursive: true, force: true }),
  }
}

function createVisit(context: BrowserContext, page: Page, session: CDPSession): Visit {
  return {
    context,
    page,
    run: ((task: keyof Tasks, ...args: unknown[]) =>
      page.evaluate(
        ([name, given]) => {
          const { tasks } = globalThis as unknown as {
            tasks: Record<string, (...all: unknown[]) => unknown>
          }
          return tasks[name]?.(...given)
        },
        [task, args] as const,
      )) as Visit['run'],
    async slow({ latency, rate }) {
      await session.send('Network.enable')
      await session.send('Network.emulateNetworkConditions', {
        offline: false,
        latency,
        downloadThroughput: rate / 8,
        uploadThroughput: rate / 8,
      })
    },
    async held() {
      await session.send('HeapProfiler.collectGarbage')
      const heap: { usedSize: number; backingStorageSize?: number } =
        await session.send('Runtime.getHeapUsage')
      return heap.usedSize + (heap.backingStorageSize ?? 0)
    },
  }
}
