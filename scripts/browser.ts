/** Builds dist/browser: the package for pages without a bundler, as one module with chunks that load on demand. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const out = join(root, 'dist/browser')

await rm(out, { recursive: true, force: true })
await mkdir(out, { recursive: true })
const options = {
  absWorkingDir: root,
  outdir: out,
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  charset: 'utf8',
  legalComments: 'eof',
  banner: { js: '/*! skillshelf, MIT license; licenses of bundled packages: LICENSES.txt */' },
  logLevel: 'warning',
} as const
const { metafile } = await build({
  ...options,
  // Named entries give the chunks readable names.
  entryPoints: { skillshelf: 'dist/exports/index.js', yaml: 'dist/skill/yaml-package.js' },
  splitting: true,
  chunkNames: '[name]-[hash]',
  metafile: true,
})
// A file of its own, which loads the library on demand: pages without the element load no further chunks.
await build({
  ...options,
  entryPoints: { 'skill-search': 'dist/ui/element/register.js' },
  plugins: [
    {
      name: 'library',
      setup: ({ onResolve }) =>
        onResolve({ filter: /\/on-demand\.js$/ }, () => ({ path: './skillshelf.js', external: true })),
    },
  ],
})

// The chunks are in another folder than the modules that name the model's files.
for (const name of await readdir(out)) {
  const text = await readFile(join(out, name), 'utf8')
  if (text.includes('../../../../model/'))
    await writeFile(join(out, name), text.replaceAll('../../../../model/', '../../model/'))
}

const bundled = new Set(
  Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.keys(inputs))
    .flatMap(input => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []),
)
await writeFile(join(out, 'LICENSES.txt'), await licenses([...bundled].sort()))

/** The license and notice of this package, and the license of each bundled package. */
async function licenses(packages: readonly string[]): Promise<string> {
  const own = [await readFile(join(root, 'LICENSE'), 'utf8'), await readFile(join(root, 'NOTICE'), 'utf8')]
  const others = await Promise.all(
    packages.map(async name => {
      const folder = join(root, 'node_modules', name)
      const file = (await readdir(folder)).find(one => /^licen[cs]e(?:\.|$)/i.test(one))
      if (!file) throw new Error(`${name} is bundled but has no license file`)
      const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
      return `${name} ${version}\n\n${await readFile(join(folder, file), 'utf8')}`
    }),
  )
  return `${[...own, ...others].map(text => text.trim()).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
