/** The export paths of the package: one per file of `src/exports`. `npm run api` writes them to package.json. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export interface ExportPath {
  /** As in an import: `skillshelf/adapters/openai`. */
  specifier: string
  /** As a file of `src/exports`, without its ending: `adapters/openai`. */
  file: string
  /** The environment whose types it needs: that of the project in `src/tsconfig*.json` which compiles it. */
  environment: (typeof ENVIRONMENTS)[number] | 'any'
}

const ENVIRONMENTS = ['dom', 'node'] as const

export function exportPaths(): readonly ExportPath[] {
  const names = readdirSync(join(root, 'src/exports'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => name.replaceAll('\\', '/').slice(0, -'.ts'.length))
    .sort()
  return names
    .map(
      (file): ExportPath => ({
        specifier: file === 'index' ? 'skillshelf' : `skillshelf/${file}`,
        file,
        environment: environmentOf(`exports/${file}.ts`),
      }),
    )
    .sort((a, b) => compare(a.specifier, b.specifier))
}

const projects = ENVIRONMENTS.map(name => ({
  name,
  include: (
    JSON.parse(readFileSync(join(root, `src/tsconfig.${name}.json`), 'utf8')) as {
      include: string[]
    }
  ).include,
}))
/** The environment of a file of `src`, from its path without the ending or with any. */
export function environmentOf(path: string): ExportPath['environment'] {
  const file = path.replace(/(?:\.d)?\.[jt]s$/, '')
  return (
    projects.find(({ include }) =>
      include.some(one => `${file}/`.startsWith(`${one.replace(/\.ts$/, '')}/`)),
    )?.name ?? 'any'
  )
}
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** The field `exports` of package.json. */
export function manifestExports(): Record<string, Record<string, string>> {
  return Object.fromEntries(
    exportPaths().map(({ specifier, file }) => [
      specifier.replace('skillshelf', '.'),
      {
        types: `./dist/exports/${file}.d.ts`,
        default: `./dist/exports/${file}.js`,
      },
    ]),
  )
}

export function writeManifest(): void {
  const path = join(root, 'package.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  manifest['exports'] = manifestExports()
  writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`)
}
