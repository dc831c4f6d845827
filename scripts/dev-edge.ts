/**
 * `npm run dev:edge [-- --engine] [wrangler arguments]`: runs the Worker locally, with the sample skills in a local R2 bucket.
 * `--engine`: with the skills in Qdrant at QDRANT_URL, or in a stand-in for its server on this machine.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type R2BucketLike, r2 } from '../src/exports/cloudflare.js'
import { publishToEngine, qdrant } from '../src/exports/engine.js'
import { pack } from '../src/library/store/pack/pack.js'
import { bundled } from '../src/search/model/bundled/package.js'
import { directory } from '../src/source/directory/directory.js'
import { hasQdrant, startQdrant } from '../test/node/qdrant/stand-in.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const WRITE_TOKEN = 'local'
const LIBRARY = 'skills'
const INSTALL = `python3 -m venv node_modules/.qdrant-edge && node_modules/.qdrant-edge/bin/pip install qdrant-edge-py==0.9.0`

const args = process.argv.slice(2)
const port = args.includes('--port') ? args[args.indexOf('--port') + 1] : 8787
const usesEngine = args.includes('--engine')
const { QDRANT_URL, QDRANT_API_KEY, QDRANT_COLLECTION, QDRANT_LIBRARY } = process.env
if (usesEngine && !QDRANT_URL && !hasQdrant) {
  console.error(
    `--engine needs qdrant-edge-py, or the address of a Qdrant server in QDRANT_URL. To install it:\n  ${INSTALL}`,
  )
  process.exit(1)
}

// Not before the check, because it takes seconds to load.
const { getPlatformProxy } = await import('wrangler')
const { env, dispose } = await getPlatformProxy<{ SKILLS: R2BucketLike }>({
  configPath: `${root}wrangler.toml`,
  persist: { path: `${root}.wrangler/state/v3` },
})
const openSamples = (name: string) => directory(`${root}demo/skills`, { name })
const variables = usesEngine ? await publish() : await copyToBucket()
await dispose()
console.log(`The write token is ${WRITE_TOKEN}`)

const wrangler = spawn(
  process.execPath,
  [
    `${root}node_modules/wrangler/bin/wrangler.js`,
    'dev',
    'worker/local.ts',
    '--env=',
    '--var',
    `SKILLSHELF_TOKEN:${WRITE_TOKEN}`,
    ...(variables ? ['--env-file', writeVariables(variables)] : []),
    ...args.filter(one => one !== '--engine'),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
)
// Importing wrangler installs signal handlers that exit first, so a signal handler here would not run. `exit` always fires.
process.on('exit', () => wrangler.kill())
wrangler.on('exit', code => process.exit(code ?? 0))

/** Packs the sample skills into the bucket. */
async function copyToBucket(): Promise<undefined> {
  let files = 0
  // `pack` writes the catalog last, so a reader sees the old library until all files are there.
  for await (const { path, bytes } of pack(openSamples(LIBRARY), { embedder: await bundled() })) {
    await env.SKILLS.put(path, bytes)
    files++
  }
  console.log(`${files} files of the sample skills are in the local bucket`)
  return undefined
}

/** Publishes the sample skills to Qdrant. Returns the variables of the Worker. */
async function publish(): Promise<Record<string, string>> {
  const url = QDRANT_URL || (await startStandIn())
  const library = QDRANT_LIBRARY || LIBRARY
  const collection = QDRANT_COLLECTION || 'skillshelf'
  const apiKey = QDRANT_API_KEY || undefined
  const { revision, ...published } = await publishToEngine(openSamples(library), {
    engine: qdrant({ url, apiKey, collection, library, timeout: 30_000 }),
    files: r2(env.SKILLS, { prefix: `engine/${library}/`, name: library }),
    embedder: await bundled(),
  })
  console.log(
    `${published.skills} sample skills are in revision ${revision} of ${library} at ${url}`,
  )
  console.log(
    `Publish your own: npm run build && SKILLSHELF_TOKEN=${WRITE_TOKEN} npx skillshelf publish DIR --to http://localhost:${port}/ --engine ${url}`,
  )
  return {
    QDRANT_URL: url,
    QDRANT_COLLECTION: collection,
    QDRANT_LIBRARY: library,
    QDRANT_TIMEOUT: '30000',
    ...(apiKey === undefined ? {} : { QDRANT_API_KEY: apiKey }),
  }
}

/** Writes variables to a file, because other users of the machine can read arguments. */
function writeVariables(variables: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'dev-edge-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, '.env')
  const lines = Object.entries(variables).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}\n`,
  )
  writeFileSync(file, lines.join(''), { mode: 0o600 })
  return file
}

/** A stand-in for the server, over the engine's own code. It ends with this process. */
async function startStandIn(): Promise<string> {
  const { url, folder, stop } = await startQdrant()
  process.on('exit', () => {
    void stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return url
}
