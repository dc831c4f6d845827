import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { close as closePagefind, createIndex } from 'pagefind'
import { memory } from '../../src/exports/index.js'
import { pack } from '../../src/exports/store.js'
import { readStoredCatalog } from '../../src/library/catalog/stored-catalog.js'
import { readModel } from '../rank/model.js'
import { readSkillFiles } from '../speed/documents.js'
import type { Files } from './fixtures.js'

/** The same skills as files of each library, for a host. */

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Real skills without the samples. Larger libraries repeat them. */
export const hasSkills = existsSync(join(root, '../shared/data/clawhub-skillmd.tar.xz'))
/** The samples of the demo page. */
export const SAMPLES = 42

type SkillFiles = Record<string, Uint8Array<ArrayBuffer>>

/** Name and description, which the peers index. */
interface SkillText {
  name: string
  description: string
}

function filesIn(
  folder: string,
  wanted: (path: string) => boolean,
): [string, Uint8Array<ArrayBuffer>][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => wanted(path) && statSync(join(folder, path)).isFile())
    .map(path => [path, new Uint8Array(readFileSync(join(folder, path)))])
}

/** The samples, or real skills: more than there are are the same again under other names. */
function skillFiles(count: number): SkillFiles {
  if (count <= SAMPLES) return Object.fromEntries(filesIn(join(root, 'demo/skills'), () => true))
  const real = Object.entries(readSkillFiles(count))
  const files = new Map(real)
  for (let round = 1; files.size < count; round++) {
    for (const [path, bytes] of real.slice(0, count - files.size)) {
      const text = new TextDecoder().decode(bytes).replace(/^name:.*$/m, line => `${line}-${round}`)
      files.set(`again-${round}/${path}`, new TextEncoder().encode(text))
    }
  }
  return Object.fromEntries(files)
}

/** The package as it is installed, under `skillshelf/`, and the two peers that are scripts. */
export async function libraryScripts(): Promise<Files> {
  const folders: [string, RegExp][] = [
    ['dist/browser', /\.js$/],
    ['model', /^(?:rows[/\\])?[^/\\]+\.bin$/],
  ]
  const files: Files = new Map(
    folders.flatMap(([folder, wanted]) =>
      filesIn(join(root, folder), path => wanted.test(path)).map(
        ([path, bytes]) => [`skillshelf/${folder}/${path}`, bytes] as const,
      ),
    ),
  )
  for (const [name, specifier] of [
    ['minisearch', 'minisearch'],
    ['orama', '@orama/orama'],
  ] as const) {
    const { outputFiles } = await build({
      stdin: {
        contents: `export * from '${specifier}'\n${name === 'minisearch' ? `export { default } from '${specifier}'` : ''}`,
        resolveDir: root,
      },
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      write: false,
    })
    files.set(`peers/${name}.js`, outputFiles[0]?.contents ?? new Uint8Array())
  }
  return files
}

/** A packed library under `wire/<count>/`, the texts of its skills, and Pagefind's index of them. */
export async function wireLibrary(count: number): Promise<{ skills: number; files: Files }> {
  const files: Files = new Map()
  const given = skillFiles(count)
  const source = memory(given, { name: 'skills' })
  // Some real skills have keys in them.
  const allow = [...new Set(Object.keys(given).map(path => path.split('/')[0] as string))]
  const packed: Record<string, Uint8Array<ArrayBuffer>> = {}
  for await (const { path, bytes, part } of pack(source, { embedder: readModel(), allow })) {
    // A match reads no files of skills.
    if (part === 'file') continue
    files.set(`wire/${count}/${path}`, bytes)
    packed[path] = bytes
  }
  const stored = await readStoredCatalog(memory(packed), undefined)
  if (!stored) throw new Error('Nothing was packed')
  const { skills } = stored.catalog
  const texts = skills.map(({ name, description }): SkillText => ({ name, description }))
  files.set(`wire/${count}/texts.json`, new TextEncoder().encode(JSON.stringify(texts)))
  for (const [path, bytes] of await pagefindFiles(texts))
    files.set(`wire/${count}/pagefind/${path}`, bytes)
  return { skills: skills.length, files }
}

/** One record for each skill, as its documentation advises for content that is no page. */
async function pagefindFiles(texts: readonly SkillText[]): Promise<Files> {
  const { index, errors } = await createIndex({ writePlayground: false })
  if (!index) throw new Error(`Pagefind: ${errors.join(', ')}`)
  for (const [number, { name, description }] of texts.entries()) {
    await index.addCustomRecord({
      url: `/${number}`,
      content: `${name}. ${description}`,
      language: 'en',
      meta: { title: name },
    })
  }
  const { files } = await index.getFiles()
  await closePagefind()
  return new Map(files.map(({ path, content }) => [path, content]))
}
