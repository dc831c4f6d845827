/** `npm run dev:edge [-- wrangler arguments]`: the Worker on this machine, over the sample skills in a local R2 bucket. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { getPlatformProxy } from 'wrangler'
import { bundled } from '../src/embed/bundled/node.js'
import type { R2BucketLike } from '../src/exports/cloudflare.js'
import { directory } from '../src/source/directory/directory.js'
import { pack } from '../src/store/pack/pack.js'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Who publishes to it shows this. */
const TOKEN = 'local'

const { env, dispose } = await getPlatformProxy<{ SKILLS: R2BucketLike }>({
  configPath: `${root}wrangler.toml`,
  persist: { path: `${root}.wrangler/state/v3` },
})
const outputs = pack(directory(`${root}demo/skills`, { name: 'skills' }), { embedder: await bundled() })
let files = 0
// The catalog comes last, so that whoever looks meanwhile sees what was there before.
for await (const { path, bytes } of outputs) {
  await env.SKILLS.put(path, bytes)
  files++
}
await dispose()
console.log(`${files} files of the sample skills are in the local bucket; the token of writers is ${TOKEN}`)

const wrangler = spawn(
  process.execPath,
  [
    `${root}node_modules/wrangler/bin/wrangler.js`,
    'dev',
    '--env=',
    '--var',
    `SKILLSHELF_TOKEN:${TOKEN}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
)
// However this ends: wrangler's own handlers of signals, which came with its import, end it before any of ours is called.
process.on('exit', () => wrangler.kill())
wrangler.on('exit', code => process.exit(code ?? 0))
