import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Miniflare } from 'miniflare'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const TYPES = { bin: 'Data', wasm: 'CompiledWasm' } as const

it('[BY-16] a Worker is warm before its first request, with and without a model', async () => {
  const out = mkdtempSync(join(tmpdir(), 'skillshelf-warm-'))
  execFileSync(
    process.execPath,
    [
      'node_modules/wrangler/bin/wrangler.js',
      'deploy',
      'test/workerd/warm-worker.ts',
      '--dry-run',
      '--env=',
      '--outdir',
      out,
    ],
    { cwd: root, stdio: 'pipe', env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
  )
  const modules = readdirSync(out).flatMap(name => {
    const type = TYPES[name.split('.').at(-1) as keyof typeof TYPES]
    return type ? [{ type, path: join(out, name) }] : []
  })
  // workerd fails to start the script if it does at module scope what Workers forbid there.
  const platform = new Miniflare({
    compatibilityDate: '2026-04-01',
    modulesRoot: out,
    modules: [{ type: 'ESModule', path: join(out, 'warm-worker.js') }, ...modules],
  })
  try {
    expect(await (await platform.dispatchFetch('http://localhost/')).json()).toEqual([true, true])
  } finally {
    await platform.dispose()
  }
})
