import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { buildKernel } from './scripts/kernel.ts'
import { PAGE_DEPENDENCIES } from './src/tools/vite/dependencies.ts'
import { findBrowserEngines } from './test/engines/find-engines.ts'
import { shareOf } from './test/engines/share.ts'

// The library is tested from `src`, which imports the compiled kernel.
await buildKernel()

// `test/core` runs in every runtime. `test/unit` runs once, in Node: nothing in it depends on the runtime. `test/{node,browser,workerd}`
// run where their names say. A runtime is loaded only if it is needed.

/** Timeouts in ms for slow, busy machines. A test that needs them is broken. */
const timeouts = {
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 120_000, interval: 20 } },
}

const PAGE = 'test/node/page*.test.ts'
/** They replace modules that files before them have loaded. */
const MOCKING = 'test/node/join-*.test.ts'
/** For mutants, one runtime is enough and starts faster. */
const nodeOnly = Boolean(process.env['NODE_ONLY'])
/** Set in engines beside this Node, which run a share of the tests that need no page. */
const runtime = process.env['ENGINE']
/** What workerd tries with its own R2. Mutants are tried in Node. */
const IN_WORKERD_TOO = nodeOnly || process.env['TEST_EVERYTHING'] ? [] : ['test/node/r2.test.ts']

function inNode(
  name: string,
  include: string[],
  options: { isolate?: boolean; exclude?: string[] } = {},
) {
  return { test: { ...timeouts, name, setupFiles: ['test/words-only.ts'], include, ...options } }
}

// Files share a process, and those of the page a browser: less to load again.
const node = process.env['NODE_TESTS']
  ? // The tests that Stryker runs.
    [inNode('node', process.env['NODE_TESTS'].split(','))]
  : [
      inNode('node', ['test/node/**/*.test.ts', 'test/package/**/*.test.ts'], {
        exclude: [PAGE, MOCKING, ...IN_WORKERD_TOO],
        isolate: false,
      }),
      inNode('mocking', [MOCKING]),
      inNode('page', [PAGE], { isolate: false }),
      inNode(
        'unit',
        runtime
          ? shareOf(runtime, ['test/core', 'test/unit'])
          : ['test/core/**/*.test.ts', 'test/unit/**/*.test.ts'],
        { isolate: false },
      ),
    ]

/** The folder of a real transformer, which is not part of the project. Tests skip visibly without it. */
const models = fileURLToPath(new URL('../shared/models/', import.meta.url))

/** Tests of a page. `name` is that of the project. */
function inPages(name: string, browser: object) {
  return {
    plugins: [
      {
        name: 'words-only',
        enforce: 'pre' as const,
        resolveId: (id: string) =>
          id.endsWith('/default-model.js')
            ? fileURLToPath(new URL('test/engines/default-model.ts', import.meta.url))
            : undefined,
      },
    ],
    // A dependency that Vite discovers during the run reloads the page.
    optimizeDeps: {
      include: [
        ...PAGE_DEPENDENCIES,
        // What the published package contains.
        '@zip.js/zip.js/lib/zip-core-reader.js',
        'zod/mini',
        'zod/v4/locales/en.js',
        '@huggingface/transformers',
        'hono',
        'hono/body-limit',
        'hono/cors',
        'hono/utils/buffer',
        '@modelcontextprotocol/client',
        '@modelcontextprotocol/client/ext/skills',
        '@modelcontextprotocol/server',
        '@modelcontextprotocol/server/ext/skills',
        'react',
        'react-dom/client',
        'vue',
      ],
    },
    resolve: {
      // Half the size, and enough for WASM.
      alias: { 'onnxruntime-web/webgpu': 'onnxruntime-web/wasm' },
    },
    // Servers beside each other must not optimize the same dependencies.
    cacheDir: `node_modules/.vite/${name}`,
    // What the package is compiled to. Not every engine has `using`.
    oxc: { target: 'es2022' },
    // `cors` for frames without an origin.
    server: { cors: true, fs: { allow: ['.', models] } },
    test: {
      ...timeouts,
      name,
      include: ['test/core/**/*.test.ts', 'test/browser/**/*.test.ts'],
      provide: { models: existsSync(`${models}Xenova/all-MiniLM-L6-v2`) ? `/@fs${models}` : '' },
      browser: {
        enabled: true,
        connectTimeout: 240_000,
        headless: true,
        screenshotFailures: false,
        ...browser,
      },
    },
  }
}

async function chromium() {
  const { playwright } = await import('@vitest/browser-playwright')
  const { findBrowser, LAUNCH_ARGS } = await import('./test/find-browser.ts')
  const executablePath = findBrowser()
  const launchOptions = { ...(executablePath ? { executablePath } : {}), args: LAUNCH_ARGS }
  return inPages('browser', {
    instances: [{ browser: 'chromium' as const }],
    provider: playwright({ launchOptions }),
  })
}

/** Firefox and WebKit, where they are installed. Their projects share a server. */
async function otherBrowsers() {
  const engines = findBrowserEngines()
  if (engines.length === 0) return []
  const { openAddress } = await import('./test/engines/browser-provider.ts')
  return [
    inPages('engines', {
      instances: engines.map(({ name }) => ({
        browser: name,
        name,
        include: shareOf(name, ['test/core', 'test/browser']),
      })),
      provider: openAddress(engines),
    }),
  ]
}

async function workerd() {
  const { cloudflareTest } = await import('@cloudflare/vitest-pool-workers')
  return {
    plugins: [
      cloudflareTest({
        wrangler: { configPath: './wrangler.toml' },
        miniflare: {
          r2Buckets: ['TEST_BUCKET'],
          bindings: { SKILLSHELF_TOKEN: 'written-by-tests' },
        },
      }),
    ],
    test: {
      ...timeouts,
      name: 'workerd',
      // Files share an isolate: loading the modules again for each costs a fifth of the time.
      isolate: false,
      setupFiles: ['test/words-only.ts'],
      include: ['test/core/**/*.test.ts', 'test/workerd/**/*.test.ts'],
    },
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/temporary-files.ts',
    // Many files wait for a browser or a server, so two workers pay off on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Many tests open libraries without skills.
    onConsoleLog: log => (log.startsWith('skillshelf: ') ? false : undefined),
    projects: [
      ...node,
      ...(process.env['SKIP_BROWSER'] || nodeOnly
        ? []
        : [await chromium(), ...(await otherBrowsers())]),
      ...(nodeOnly ? [] : [await workerd()]),
    ],
  },
})
