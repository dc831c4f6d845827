/** Builds dist/browser: the package for pages without a bundler, as one module with chunks that load on demand. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './exports.js'
import { licenses } from './licenses.js'

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
  banner: { js: '/*! skillshelf, MIT; bundles: LICENSES.txt */' },
  logLevel: 'warning',
} as const
// Pages without a bundler get one module, so it has what readers, stores and rankings need.
const entry = join(root, 'build/browser-entry.js')
const exported = ['index', 'match', 'store'].map(name => `export * from './exports/${name}.js'\n`)
await writeFile(entry, exported.join(''))
const { metafile } = await build({
  ...options,
  // Named entries give the chunks readable names.
  entryPoints: { skillshelf: 'build/browser-entry.js', yaml: 'build/skill/yaml-reader.js' },
  splitting: true,
  plugins: [
    {
      name: 'rows of the model',
      setup: ({ onLoad }) =>
        onLoad({ filter: /bundled\/rows-folder\.js$/ }, () => ({
          contents: `export const ROWS_FOLDER = new URL('../../model/rows/', import.meta.url).href`,
        })),
    },
  ],
  chunkNames: '[name]-[hash]',
  metafile: true,
})
// A file of its own, which loads the library on demand: pages without the element load no further chunks.
await build({
  ...options,
  entryPoints: { 'skill-search': 'build/ui/element/register.js' },
  plugins: [
    {
      name: 'library',
      setup: ({ onResolve }) =>
        onResolve({ filter: /\/on-demand\.js$/ }, () => ({
          path: './skillshelf.js',
          external: true,
        })),
    },
  ],
})

// The chunks are in another folder than the modules that name the model's files.
for (const name of await readdir(out)) {
  const text = await readFile(join(out, name), 'utf8')
  if (text.includes('../../../../model/')) {
    await writeFile(join(out, name), text.replaceAll('../../../../model/', '../../model/'))
  }
}

await writeFile(join(out, 'LICENSES.txt'), licenses([metafile]))
