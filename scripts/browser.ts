/** Builds dist/browser: the package for pages without a bundler, as one module with chunks that load on demand. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OutputOptions, type RolldownOptions, type RolldownOutput, rolldown } from 'rolldown'
import { root } from './exports.js'
import { licenses } from './licenses.js'

const out = join(root, 'dist/browser')
/** What the first answer by meaning needs beside the module that the page imports. */
const FIRST_ANSWER = 'library/model/join-model.js'

await rm(out, { recursive: true, force: true })
await mkdir(out, { recursive: true })
// Pages without a bundler get one module, so it has what readers, stores and rankings need.
const entry = join(root, 'build/browser-entry.js')
const exported = ['index', 'match', 'store'].map(name => `export * from './exports/${name}.js'\n`)
await writeFile(entry, `${exported.join('')}import './${FIRST_ANSWER}'\n`)
const library = await bundle(
  {
    input: { skillshelf: entry },
    // Chunks import from the module itself, by short names. Otherwise its code would be one request further away.
    preserveEntrySignatures: 'allow-extension',
    plugins: [
      {
        name: 'rows of the model',
        load: id =>
          id.endsWith('/bundled/rows-folder.js')
            ? `export const ROWS_FOLDER = new URL('../../model/rows/', import.meta.url).href`
            : null,
      },
    ],
    checks: { ineffectiveDynamicImport: false },
  },
  {
    codeSplitting: {
      groups: [
        // Otherwise what the module shares with each set of chunks is a file of its own.
        { name: 'skillshelf', tags: ['$initial'] },
        { name: 'skillshelf', test: /rolldown[/]runtime/ },
        // The embedding matcher shares the words of languages with the first message.
        { name: 'message-language', test: /[/](?:message-language|function-words)\.js$/ },
      ],
    },
  },
)
// A file of its own, which loads the library on demand: pages without the element load no further chunks.
const element = await bundle({
  input: { 'skill-search': join(root, 'build/ui/element/register.js') },
  plugins: [
    {
      name: 'library',
      resolveId: id =>
        id.endsWith('/on-demand.js') ? { id: './skillshelf.js', external: true } : null,
    },
  ],
})
await writeFile(join(out, 'LICENSES.txt'), licenses([...library, ...element]))

/** Writes a bundle into the folder, and returns the modules that it has. */
async function bundle(input: RolldownOptions, options: OutputOptions = {}): Promise<string[]> {
  const build = await rolldown({
    ...input,
    cwd: root,
    platform: 'browser',
    transform: { target: 'es2022' },
  })
  const { output }: RolldownOutput = await build.generate({
    ...options,
    format: 'esm',
    minify: true,
    chunkFileNames: '[name]-[hash].js',
    banner: '/*! skillshelf, MIT; bundles: LICENSES.txt */',
  })
  await build.close()
  const modules: string[] = []
  for (const file of output) {
    if (file.type !== 'chunk') throw new Error(`Not a script: ${file.fileName}`)
    modules.push(...file.moduleIds)
    // The chunks are in another folder than the modules that name the model's files.
    const code = file.code.replaceAll('../../../../model/', '../../model/')
    await writeFile(join(out, file.fileName), code)
  }
  return modules
}
