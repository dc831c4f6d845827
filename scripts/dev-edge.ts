/** `npm run dev:edge [-- wrangler arguments]`: runs the Worker locally, with the sample skills in a local R2 bucket. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { getPlatformProxy } from 'wrangler'
import { bundled } from '../src/embed/bundled/package.js'
import type { R2BucketLike } from '../src/exports/cloudflare.js'
import { directory } from '../src/source/directory/directory.js'
import { pack } from '../src/store/pack/pack.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const WRITE_TOKEN = 'local'

const { env, dispose } = await getPlatformProxy<{ SKILLS: R2BucketLike }>({
  configPath: `${root}wrangler.toml`,
  persist: { path: `${root}.wrangler/state/v3` },
})
const outputs = pack(directory(`${root}demo/skills`, { name: 'skills' }), { embedder: await bundled() })
let files = 0
// `pack` writes the catalog last, so a reader sees the old library until all files are there.
for await (const { path, bytes } of outputs) {
  await env.SKILLS.put(path, bytes)
  files++
}
await dispose()
console.log(`${files} files of the sample skills are in the local bucket; the write token is ${WRITE_TOKEN}`)

const wrangler = spawn(
  process.execPath,
  [
    `${root}node_modules/wrangler/bin/wrangler.js`,
    'dev',
    'worker/local.ts',
    '--env=',
    '--var',
    `SKILLSHELF_TOKEN:${WRITE_TOKEN}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
)
// Importing wrangler installs signal handlers that exit first, so a signal handler here would not run. `exit` always fires.
process.on('exit', () => wrangler.kill())
wrangler.on('exit', code => process.exit(code ?? 0))
