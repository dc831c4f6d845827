import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { temporaryFolder } from '../folders.js'
import { typeErrors } from '../type-check.js'
import type { ChatRequest } from './scripted-service.js'

/** The examples of the repository, bundled with `src` and run in a temporary folder. */

export const root = fileURLToPath(new URL('../..', import.meta.url))
/** Where the imports of an example are in `src`. */
export const SOURCES = Object.fromEntries(
  Object.entries({
    'skillshelf/adapters/ai-sdk': 'src/agent/adapters/ai-sdk.ts',
    'skillshelf/adapters/anthropic': 'src/exports/adapters/anthropic.ts',
    'skillshelf/adapters/openai': 'src/exports/adapters/openai.ts',
    'skillshelf/tools': 'src/exports/tools.ts',
    'skillshelf/session': 'src/exports/session.ts',
    'skillshelf/store': 'src/exports/store.ts',
    'skillshelf/match': 'src/exports/match.ts',
    'skillshelf/dialects': 'src/exports/dialects.ts',
    'skillshelf/node': 'src/source/directory/directory.ts',
    skillshelf: 'src/exports/index.ts',
  }).map(([name, path]) => [name, join(root, path)]),
)
export const LOAD = [{ name: 'load_skill', input: { skill: 'invoice-check' } }]
export const READ = [
  { name: 'read_skill_file', input: { skill: 'invoice-check', path: 'references/rates.csv' } },
]

/** A folder with the skills of the examples and these packages. */
export function exampleFolder(modules = join(root, 'node_modules')): string {
  const folder = temporaryFolder()
  cpSync(join(root, 'examples/skills'), join(folder, 'skills'), { recursive: true })
  symlinkSync(modules, join(folder, 'node_modules'), 'junction')
  return folder
}

const bundling = new Map<string, Promise<unknown>>()
/** Bundles an example into a subfolder of `folder`, once. Returns the subfolder and the name of the bundle. */
async function bundleExample(
  folder: string,
  entry: string,
  external: string[],
): Promise<{ place: string; bundle: string }> {
  const place = join(folder, 'example')
  const bundle = `${entry.replace(/\W/g, '-')}.mjs`
  const outfile = join(place, bundle)
  const made =
    bundling.get(outfile) ??
    build({
      entryPoints: [join(root, 'examples', entry)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      alias: SOURCES,
      external,
      nodePaths: [join(root, 'node_modules')],
      // CommonJS packages need `require`.
      banner: {
        js: "import { createRequire as from } from 'node:module'; const require = from(import.meta.url)",
      },
      logLevel: 'error',
    })
  bundling.set(outfile, made)
  await made
  return { place, bundle }
}

/** Runs an example in a subfolder of `folder` with these environment variables and input lines, and returns its output. */
export async function runExample(
  folder: string,
  entry: string,
  env: Record<string, string>,
  lines: readonly string[] = [],
  external: string[] = [],
): Promise<{ out: string; err: string }> {
  const { place, bundle } = await bundleExample(folder, entry, external)
  const own = { PATH: process.env['PATH'], HOME: folder, OPENAI_API_KEY: 'a-key' }
  const child = spawn(process.execPath, [bundle], { cwd: place, env: { ...own, ...env } })
  child.stdin.end(lines.map(line => `${line}\n`).join(''))
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { out, err }
}

/** The files of an example, and its type errors. Strict mode is expected. */
export function checkExample(
  name: string,
  paths: Record<string, string> = {},
): { files: string[]; errors: string[] } {
  const example = join(root, 'examples', name)
  const config = join(example, 'tsconfig.json')
  const own = Object.entries({ ...SOURCES, ...paths }).map(([module, path]) => [module, [path]])
  const tsconfig = { extends: config, compilerOptions: { paths: Object.fromEntries(own) } }
  if (!readFileSync(config, 'utf8').includes('"strict": true'))
    throw new Error(`${name} is not in strict mode`)
  const files = readdirSync(example).filter(file => file.endsWith('.ts'))
  return { files: files.map(file => join(example, file)), errors: typeErrors(root, tsconfig) }
}

/** What the messages of a role say. */
export const contents = (request: ChatRequest | undefined, role: string): string[] =>
  (request?.messages ?? [])
    .filter(message => message.role === role)
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content ?? '')))
