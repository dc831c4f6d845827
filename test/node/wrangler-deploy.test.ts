import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../folders.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = readFileSync(join(root, 'docs/edge.md'), 'utf8')
const commands = [
  ...new Set(
    [...guide.matchAll(/npx (wrangler deploy(?! --dry-run)[^\n`]*)/g)].map(
      ([, command = '']) => command,
    ),
  ),
]

it('docs/edge.md deploys three Workers', () => {
  const configs = ['', ' --config worker/keywords.toml', ' --config worker/page.toml']
  expect(commands).toEqual(configs.map(config => `wrangler deploy${config}`))
})

it.each(commands)('[CARD-3] npx %s builds the Worker without a warning', async command => {
  const out = temporaryFolder()
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [
      'node_modules/wrangler/bin/wrangler.js',
      ...command.split(' ').slice(1),
      '--dry-run',
      '--outdir',
      out,
    ],
    { cwd: root, env: { ...process.env, NO_COLOR: '1', WRANGLER_SEND_METRICS: 'false' } },
  )
  // The free plan of Cloudflare accepts 3 MiB.
  const [, size] = /Total Upload: .*gzip: ([\d.]+) KiB/.exec(stdout) ?? []
  expect(Number(size)).toBeLessThan(3072)
  const weights = readdirSync(out).filter(name => name.endsWith('.bin'))
  expect(weights).toHaveLength(command.includes('keywords') ? 0 : 1)
  expect(stdout + stderr).not.toMatch(/warning|deprecated/i)
})
