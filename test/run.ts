/**
 * Runs types, lint, the build of the page, and the tests in every runtime: npm test [-- vitest arguments]
 * SKIP_BROWSER=1 skips the tests that need a browser. Without arguments it also checks that every behavior has a passing test.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type Engine, findRuntimes, missingEngines } from './engines/find-engines.js'
import { findBrowser } from './find-browser.js'
import { ONE_THREAD, TSC, UNCOLLECTED } from './type-check.js'

if (process.env['SKIP_BROWSER'])
  console.log('SKIP_BROWSER is set: skipping the tests that need a browser')
else if (!findBrowser() && !installBrowser()) {
  console.error(
    'Chromium not found. Install it, set CHROMIUM_PATH to its executable, or set SKIP_BROWSER=1 to skip the tests that need it.',
  )
  process.exit(1)
}

for (const name of missingEngines()) console.log(`${name} is not installed: its tests are left out`)

const node = process.execPath
const args = process.argv.slice(2)
const report = ['--reporter=json', '--outputFile.json=node_modules/.cache/skillshelf/tests.json']

type Step = readonly [name: string, ...command: string[]]
const TSX = 'node_modules/tsx/dist/cli.mjs'
const types = (folder: string): Step => [`types of ${folder}`, TSC, '-p', folder, ONE_THREAD]

await runInOrder([
  ['rows of mutants.ts', TSX, 'test/behaviours.ts', '--rows'],
  ['kernel', TSX, 'scripts/kernel.ts'],
  ['rows of the model', TSX, 'scripts/model-rows.ts'],
  ['build', TSC, '-b'],
  ['package', TSX, 'scripts/package.ts'],
])
// No test reads the documentation.
const documentation = runInOrder([
  [
    'reference',
    'node_modules/typedoc/bin/typedoc',
    '--options',
    'docs/typedoc.json',
    '--logLevel',
    'Warn',
    // The build has checked the types.
    '--skipErrorChecking',
  ],
  ['reference of commands', TSX, 'scripts/reference.ts'],
  ['documentation', 'node_modules/vitepress/bin/vitepress.js', 'build', 'docs'],
])
await runInOrder([
  [
    'sample library',
    'dist/tools/cli/main.js',
    'pack',
    'demo/skills',
    '--out',
    'demo/public/skills',
  ],
  ['page', 'node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'],
  ['browser bundle', TSX, 'scripts/browser.ts'],
  ['llms.txt', TSX, 'scripts/llms.ts'],
  ['lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  types('test'),
  types('test/browser'),
  types('test/workerd'),
])
await runStep(
  ['tests', 'node_modules/vitest/vitest.mjs', 'run', ...args, '--reporter=default', ...report],
  'inherit',
)
for (const engine of args.length === 0 ? findRuntimes() : []) await runIn(engine)
await documentation
// A part of the tests cannot prove every behavior.
if (args.length === 0) await runStep(['behaviors', TSX, 'test/behaviours.ts'])

async function runInOrder(steps: readonly Step[]): Promise<void> {
  for (const step of steps) await runStep(step)
}

/** Runs tests that need no page in another engine. */
function runIn({ name, command: [program, ...first] }: Engine): Promise<void> {
  const step = [
    `tests in ${name}`,
    ...first,
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'unit',
    '--reporter=dot',
  ] as const
  return runStep(step, 'pipe', { program, env: { ENGINE: name, NODE_ONLY: '1' } })
}

/** Runs a step, and ends the process if it fails. What steps beside each other print is kept apart. */
async function runStep(
  [name, ...command]: Step,
  output: 'inherit' | 'pipe' = 'pipe',
  { program = node, env: more = {} }: { program?: string; env?: Record<string, string> } = {},
): Promise<void> {
  if (output === 'inherit') console.log(`\n── ${name}`)
  const env = {
    WRANGLER_SEND_METRICS: 'false',
    ...(command.includes(TSC) ? UNCOLLECTED : {}),
    ...(process.env['TEST_EVERYTHING'] ? {} : { GUIDES_ONLY: '1' }),
    ...process.env,
    ...more,
  }
  const started = performance.now()
  const child = spawn(program, command, { stdio: ['ignore', output, output], env })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', text => (printed += text))
  const [status] = await once(child, 'close')
  if (output === 'pipe')
    console.log(
      `\n── ${name}, ${Math.round((performance.now() - started) / 1000)} s\n${status === 0 && name === 'behaviors' ? '' : printed}`,
    )
  if (status === 0) return
  console.error(`\n${name} failed`)
  process.exit(1)
}

function installBrowser(): boolean {
  const attempts = [
    ['npx', 'playwright', 'install', 'chromium'],
    ...(process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
      ? [
          [
            'sh',
            '-c',
            'apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell',
          ],
        ]
      : []),
  ]
  for (const [command = '', ...rest] of attempts) {
    console.log(`Chromium not found. Trying: ${command} ${rest.join(' ')}`)
    spawnSync(command, rest, { stdio: 'inherit', timeout: 600_000 })
    if (findBrowser()) return true
  }
  return false
}
