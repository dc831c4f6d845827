import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import { build, mergeConfig, type Rolldown } from 'vite'
import { lazy } from '../../src/core/concurrency.js'
import type { SkillSource } from '../../src/exports/index.js'
import { type PackOptions, pack } from '../../src/exports/store.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { directory } from '../../src/source/directory/directory.js'
import config from '../../vite.config.js'
import { samples } from '../samples.js'

/** The built page and the packed samples. They are made once, until a source changes: the next process reads them from a cache. */

export type Files = ReadonlyMap<string, Uint8Array | string>
export type Output = Rolldown.RolldownOutput['output']

export interface BuiltPage {
  output: Output
  files: Files
  samples: Files
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, 'node_modules/.cache/skillshelf/page')
/** Everything that the page and the packed samples are made of. */
const SOURCES = ['demo', 'src', 'dist/kernel', 'model', 'package-lock.json', 'vite.config.ts']

export async function packed(source: SkillSource, options: PackOptions = {}): Promise<Files> {
  const files = new Map<string, Uint8Array>()
  for await (const { path, bytes } of pack(source, options)) files.set(path, bytes)
  return files
}

/** The test files of a process share it. */
export const builtPage = lazy(readOrBuild)

async function readOrBuild(): Promise<BuiltPage> {
  const key = sourcesKey()
  const file = join(cache, key)
  if (existsSync(file)) return deserialize(readFileSync(file)) as BuiltPage
  const [{ output }, ownSamples] = await Promise.all([
    build(
      mergeConfig(config, {
        configFile: false,
        publicDir: false,
        logLevel: 'error',
        build: { write: false },
      }),
    ) as Promise<Rolldown.RolldownOutput>,
    packed(directory(samples), { embedder: await bundled({ parts: 'all' }) }),
  ])
  const page = {
    // Copies the getters of Rolldown's objects.
    output: output.map(one =>
      Object.fromEntries(FIELDS.map(field => [field, one[field as keyof typeof one]])),
    ),
    files: new Map(output.map(one => [one.fileName, one.type === 'chunk' ? one.code : one.source])),
    samples: ownSamples,
  }
  mkdirSync(cache, { recursive: true })
  // Another test file may write the same.
  for (const name of readdirSync(cache)) {
    if (!name.startsWith(key)) rmSync(join(cache, name), { force: true })
  }
  const temporary = `${file}-${process.pid}`
  writeFileSync(temporary, serialize(page))
  renameSync(temporary, file)
  return page as unknown as BuiltPage
}

const FIELDS = [
  'type',
  'fileName',
  'code',
  'source',
  'isEntry',
  'imports',
  'dynamicImports',
  'moduleIds',
]

const isSource = (path: string): boolean => !/^(?:dist|public)\b/.test(path)

/** Changes with each of the sources. */
function sourcesKey(): string {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    const path = join(root, source)
    const files = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(isSource).sort()
      : ['']
    for (const file of files) {
      const { mtimeMs, size } = statSync(join(path, file))
      hash.update(`${source}/${file} ${size} ${mtimeMs}\n`)
    }
  }
  return hash.digest('hex')
}
