import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright'
import { findBrowser, LAUNCH_ARGS } from '../../test/find-browser.js'
import type { Network } from '../page/visit.js'
import type { Tasks } from './pages/kept.js'

/** A person with one profile, who closes the browser between visits. */
export interface Visitor {
  /** Starts the browser with that profile, opens the page, and closes all of it. */
  visit<T>(work: (visit: Visit) => Promise<T>): Promise<T>
  forget(): Promise<void>
}

export interface Visit {
  context: BrowserContext
  page: Page
  run<Name extends keyof Tasks>(task: Name, ...args: Parameters<Tasks[Name]>): ReturnType<Tasks[Name]>
  slow(network: Network): Promise<void>
  /** Bytes that the page's scripts hold, after collection. */
  held(): Promise<number>
}

export async function newVisitor(address: string): Promise<Visitor> {
  const executablePath = findBrowser()
  if (!executablePath) throw new Error('No Chromium was found: install one, or set CHROMIUM_PATH to its executable')
  const profile = await mkdtemp(join(tmpdir(), 'skillshelf-profile-'))
  return {
    async visit(work) {
      const context = await chromium.launchPersistentContext(profile, { executablePath, args: LAUNCH_ARGS })
      try {
        const page = context.pages()[0] ?? (await context.newPage())
        page.setDefaultTimeout(0)
        await page.goto(address)
        return await work(visitOf(context, page, await context.newCDPSession(page)))
      } finally {
        await context.close()
      }
    },
    forget: () => rm(profile, { recursive: true, force: true }),
  }
}

function visitOf(context: BrowserContext, page: Page, session: CDPSession): Visit {
  return {
    context,
    page,
    run: ((task: keyof Tasks, ...args: unknown[]) =>
      page.evaluate(
        ([name, given]) => {
          const { tasks } = globalThis as unknown as { tasks: Record<string, (...all: unknown[]) => unknown> }
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
      const heap: { usedSize: number; backingStorageSize?: number } = await session.send('Runtime.getHeapUsage')
      return heap.usedSize + (heap.backingStorageSize ?? 0)
    },
  }
}
