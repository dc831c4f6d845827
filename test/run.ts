/** The whole test: types, lint, the built page, every runtime. `npm test [-- vitest arguments]`; SKIP_BROWSER=1 leaves out what needs a browser. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findBrowser } from './find-browser.js'

if (process.env['SKIP_BROWSER']) console.log('SKIP_BROWSER is set: tests that need a browser are left out')
else if (!findBrowser() && !installBrowser()) {
  console.error(
    'No Chromium was found: install one, or set CHROMIUM_PATH to its executable, or SKIP_BROWSER=1 to leave those tests out',
  )
  process.exit(1)
}

const node = process.execPath
const steps: [what: string, command: string, ...rest: string[]][] = [
  ['build', node, 'node_modules/typescript/bin/tsc', '-b'],
  ['browser bundle', node, 'node_modules/tsx/dist/cli.mjs', 'scripts/browser.ts'],
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
  ['sample library', node, 'dist/cli/main.js', 'pack', 'demo/skills', '--out', 'demo/public/skills', '--meaning'],
  ['page', node, 'node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'],
  ['behaviours', node, 'node_modules/tsx/dist/cli.mjs', 'test/behaviours.ts'],
  ['tests', node, 'node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)],
]
for (const [what, command, ...rest] of steps) {
  console.log(`\n── ${what}`)
  const quiet = what === 'behaviours'
  const { status, stderr } = spawnSync(command, rest, {
    stdio: quiet ? ['ignore', 'ignore', 'pipe'] : 'inherit',
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
  })
  if (quiet) process.stderr.write(stderr)
  if (status !== 0) {
    console.error(`\n${what} failed`)
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
    console.log(`No Chromium was found; trying: ${command} ${rest.join(' ')}`)
    spawnSync(command, rest, { stdio: 'inherit', timeout: 600_000 })
    if (findBrowser()) return true
  }
  return false
}
