/**
 * Runs types, lint, the build of the page, and the tests in every runtime: npm test [-- vitest arguments]
 * SKIP_BROWSER=1 skips the tests that need a browser. Without arguments it also checks that every behavior has a passing test.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findBrowser } from './find-browser.js'

if (process.env['SKIP_BROWSER']) console.log('SKIP_BROWSER is set: skipping the tests that need a browser')
else if (!findBrowser() && !installBrowser()) {
  console.error(
    'Chromium not found. Install it, set CHROMIUM_PATH to its executable, or set SKIP_BROWSER=1 to skip the tests that need it.',
  )
  process.exit(1)
}

const node = process.execPath
const args = process.argv.slice(2)
const report = ['--reporter=json', '--outputFile.json=node_modules/.cache/skillshelf/tests.json']
const steps: [name: string, command: string, ...rest: string[]][] = [
  ['kernel', node, 'node_modules/tsx/dist/cli.mjs', 'scripts/kernel.ts'],
  ['build', node, 'node_modules/typescript/bin/tsc', '-b'],
  ['package', node, 'node_modules/tsx/dist/cli.mjs', 'scripts/package.ts'],
  ['browser bundle', node, 'node_modules/tsx/dist/cli.mjs', 'scripts/browser.ts'],
  ['llms.txt', node, 'node_modules/tsx/dist/cli.mjs', 'scripts/llms.ts'],
  ...['test', 'test/browser', 'test/workerd']
    .filter(folder => existsSync(`${folder}/tsconfig.json`))
    .map((folder): [string, string, ...string[]] => [
      `types of ${folder}`,
      node,
      'node_modules/typescript/bin/tsc',
      '-p',
      folder,
    ]),
  ['lint', node, 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  ['sample library', node, 'dist/tools/cli/main.js', 'pack', 'demo/skills', '--out', 'demo/public/skills'],
  ['page', node, 'node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'],
  ['reference', node, 'node_modules/typedoc/bin/typedoc', '--options', 'docs/typedoc.json', '--logLevel', 'Warn'],
  ['documentation', node, 'node_modules/vitepress/bin/vitepress.js', 'build', 'docs'],
  ['tests', node, 'node_modules/vitest/vitest.mjs', 'run', ...args, '--reporter=default', ...report],
]
// A part of the tests cannot prove every behavior.
if (args.length === 0) steps.push(['behaviors', node, 'node_modules/tsx/dist/cli.mjs', 'test/behaviours.ts'])
for (const [name, command, ...rest] of steps) {
  console.log(`\n── ${name}`)
  const quiet = name === 'behaviors'
  const { status, stderr } = spawnSync(command, rest, {
    stdio: quiet ? ['ignore', 'ignore', 'pipe'] : 'inherit',
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
  })
  if (quiet) process.stderr.write(stderr)
  if (status !== 0) {
    console.error(`\n${name} failed`)
    process.exit(1)
  }
}

function installBrowser(): boolean {
  const attempts = [
    ['npx', 'playwright', 'install', 'chromium'],
    ...(process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
      ? [['sh', '-c', 'apt-get update && apt-get install -y --no-install-recommends chromium']]
      : []),
  ]
  for (const [command = '', ...rest] of attempts) {
    console.log(`Chromium not found. Trying: ${command} ${rest.join(' ')}`)
    spawnSync(command, rest, { stdio: 'inherit', timeout: 600_000 })
    if (findBrowser()) return true
  }
  return false
}
