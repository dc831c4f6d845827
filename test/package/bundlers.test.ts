import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import webpack from 'webpack'
import { writeFiles } from '../folders.js'
import { executablePath } from '../launch.js'
import { startBrowser } from '../node/pages.js'
import { serveStatic, visit } from '../node/vite-world.js'
import { install } from './install.js'

/** The packed package with esbuild and webpack. */

/** Skills in memory, so that the SKILL.md parser is loaded too. */
const MAIN = `import { openLibrary } from 'skillshelf'
const library = await openLibrary({
  'invoices/SKILL.md': '---\\nname: invoices\\ndescription: Checks an invoice before it is paid\\n---\\nCompare the sums.',
  'bread/SKILL.md': '---\\nname: bread\\ndescription: Plans the baking of sourdough bread\\n---\\nStart a day before.',
})
const { matches } = await library.match('check this invoice')
console.log(matches.map(({ name }) => name).join())
`

const installed = await install()
writeFiles(installed.root, { 'main.js': MAIN, 'package.json': '{ "type": "module" }' })

it('runs bundled by esbuild', async () => {
  const outdir = join(installed.root, 'esbuild')
  const { warnings } = await build({
    absWorkingDir: installed.root,
    entryPoints: ['main.js'],
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
  })
  expect(warnings).toEqual([])
  expect(await installed.node(['esbuild/main.js'])).toBe('invoices\n')
})

it.skipIf(executablePath === undefined)('runs bundled by webpack (needs a browser)', async () => {
  const site = join(installed.root, 'webpack')
  const compiler = webpack({
    mode: 'production',
    context: installed.root,
    entry: './main.js',
    output: { path: site, filename: 'main.js' },
    // Minifying with terser would take most of the time.
    optimization: { minimize: false },
    performance: false,
  })
  const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) => {
    compiler?.run((error, result) => (error ? reject(error) : resolve(result)))
  })
  await new Promise(resolve => compiler?.close(resolve))
  expect(stats?.toJson({ all: false, errors: true, warnings: true })).toMatchObject({
    errors: [],
    warnings: [],
  })

  writeFiles(site, {
    'index.html': '<!doctype html><link rel="icon" href="data:,"><script src="main.js"></script>',
  })
  const { address } = await serveStatic(site)
  const { page, problems } = await visit(await startBrowser(), 'about:blank')
  const message = page.waitForEvent('console')
  await page.goto(address)
  expect((await message).text()).toBe('invoices')
  expect(problems).toEqual([])
})
