import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// `test/core` runs in every runtime; `test/{node,browser,workerd}` in one. Each runtime is loaded only where it is wanted.

/**
 * How long a test, what stands around it, and a value that it waits for may take, in ms: what a machine needs that has much else to do.
 * Nothing waits so long unless it is broken.
 */
const patience = { testTimeout: 240_000, hookTimeout: 240_000, expect: { poll: { timeout: 60_000, interval: 20 } } }

const node = {
  test: {
    ...patience,
    name: 'node',
    include: ['test/core/**/*.test.ts', 'test/node/**/*.test.ts', 'test/package/**/*.test.ts'],
  },
}

/** The files of a real transformer, where they are: not part of the project. */
const models = fileURLToPath(new URL('../shared/models/', import.meta.url))

async function browser() {
  const { playwright } = await import('@vitest/browser-playwright')
  const { findBrowser, LAUNCH_ARGS } = await import('./test/find-browser.ts')
  const executablePath = findBrowser()
  return {
    // Found in mid-run otherwise, and the page reloads.
    optimizeDeps: {
      include: [
        'comlink',
        'yaml',
        'mrmime',
        '@noble/hashes/sha2.js',
        '@noble/hashes/utils.js',
        'zod/mini',
        'zod/v4/locales/en.js',
        'idb',
        'idb-keyval',
        'fflate',
        'modern-tar',
        '@zip.js/zip.js/lib/zip-core-reader.js',
        '@huggingface/transformers',
        'hono',
        'hono/body-limit',
        'hono/cors',
        'hono/utils/buffer',
      ],
    },
    resolve: {
      // Half as large, and all that WASM needs.
      alias: { 'onnxruntime-web/webgpu': 'onnxruntime-web/wasm' },
    },
    server: { fs: { allow: ['.', models] } },
    test: {
      ...patience,
      name: 'browser',
      include: ['test/core/**/*.test.ts', 'test/browser/**/*.test.ts'],
      provide: { models: existsSync(`${models}Xenova/all-MiniLM-L6-v2`) ? `/@fs${models}` : '' },
      browser: {
        enabled: true,
        connectTimeout: 240_000,
        headless: true,
        screenshotFailures: false,
        instances: [{ browser: 'chromium' as const }],
        provider: playwright({
          launchOptions: {
            ...(executablePath ? { executablePath } : {}),
            args: LAUNCH_ARGS,
          },
        }),
      },
    },
  }
}

async function workerd() {
  const { cloudflareTest } = await import('@cloudflare/vitest-pool-workers')
  return {
    plugins: [
      cloudflareTest({
        wrangler: { configPath: './wrangler.toml' },
        miniflare: { r2Buckets: ['TEST_BUCKET'], bindings: { SKILLSHELF_TOKEN: 'written-by-tests' } },
      }),
    ],
    test: { ...patience, name: 'workerd', include: ['test/core/**/*.test.ts', 'test/workerd/**/*.test.ts'] },
  }
}

/** For mutants: one runtime is enough, and starts faster. */
const nodeOnly = Boolean(process.env['NODE_ONLY'])

export default defineConfig({
  test: {
    // Many files wait for a browser or a host: two at a time pay off on two processors too.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      node,
      ...(process.env['SKIP_BROWSER'] || nodeOnly ? [] : [await browser()]),
      ...(nodeOnly ? [] : [await workerd()]),
    ],
  },
})
