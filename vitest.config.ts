import { cloudflareTest } from '@cloudflare/vitest-pool-workers'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { findBrowser } from './test/find-browser.ts'

/** `test/core` runs in every runtime; `test/{node,browser,workerd}` in one. */
const executablePath = findBrowser()

const browser = {
  // Found in mid-run otherwise, and the page reloads.
  optimizeDeps: { include: ['yaml', 'mrmime', '@noble/hashes/sha2.js', '@noble/hashes/utils.js'] },
  test: {
    name: 'browser',
    include: ['test/core/**/*.test.ts', 'test/browser/**/*.test.ts'],
    testTimeout: 30_000,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      instances: [{ browser: 'chromium' as const }],
      provider: playwright({
        launchOptions: {
          ...(executablePath ? { executablePath } : {}),
          args: [
            '--no-sandbox',
            '--disable-background-networking',
            '--disable-component-update',
            '--disable-sync',
            '--no-first-run',
          ],
        },
      }),
    },
  },
}

const workerd = {
  plugins: [cloudflareTest({ wrangler: { configPath: './wrangler.toml' } })],
  test: { name: 'workerd', include: ['test/core/**/*.test.ts', 'test/workerd/**/*.test.ts'], testTimeout: 30_000 },
}

/** For mutants: one runtime is enough, and starts faster. */
const nodeOnly = Boolean(process.env['NODE_ONLY'])

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'node', include: ['test/core/**/*.test.ts', 'test/node/**/*.test.ts'], testTimeout: 60_000 } },
      ...(process.env['SKIP_BROWSER'] || nodeOnly ? [] : [browser]),
      ...(nodeOnly ? [] : [workerd]),
    ],
  },
})
