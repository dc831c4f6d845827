import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { VERSION } from '../../src/core/version.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true })
    .map(path => join(root, folder, String(path)))
    .filter(path => /\.ts$/.test(path) && !path.includes('node_modules') && statSync(path).isFile())
}

it('the version in the code is that of package.json', () => {
  expect(VERSION).toBe(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version)
})

it('[CARD-6] has the required files and folders at the top level', () => {
  for (const part of 'package.json tsconfig.json vite.config.ts wrangler.toml src worker demo test'.split(
    ' ',
  ))
    expect([part, existsSync(join(root, part))]).toEqual([part, true])
})

/** Packages and the folders whose code uses them. */
const USED_IN: readonly [name: string, folders: readonly string[]][] = [
  ['yaml', ['src']],
  ['zod', ['src']],
  ['idb-keyval', ['src']],
  ['comlink', ['src']],
  ['@huggingface/transformers', ['src']],
  ['vite', ['.']],
  ['vitest', ['test']],
  ['wrangler', ['scripts']],
]

it.each(USED_IN)('[CARD-6] %s is declared, installed and imported', (name, folders) => {
  expectInstalled(name)
  const files = folders.flatMap(folder =>
    folder === '.' ? [join(root, 'vite.config.ts')] : filesIn(folder),
  )
  const imported = files.flatMap(runtimeImports)
  expect(imported.some(path => path === name || path.startsWith(`${name}/`))).toBe(true)
})

it('[CARD-6] @cloudflare/workers-types is declared, installed and compiled into the Worker', () => {
  expectInstalled('@cloudflare/workers-types')
  const { config } = ts.readConfigFile(join(root, 'worker/tsconfig.json'), ts.sys.readFile)
  expect(config.compilerOptions.types.join()).toContain('@cloudflare/workers-types')
})

/** Sorting and casing by the locale of the machine, which differ between machines. Numbers are written as in English. */
const BY_LOCALE =
  /localeCompare|Intl\.(?:Collator|NumberFormat\(\)|DateTimeFormat\(\))|toLocale(?!String\('en'\))\w+/
/** The hash of `npx skills` is sorted so. */
const SORTED_BY_LOCALE = ['src/tools/cli/npx-hash.ts']

it('[BY-27] nothing that is hashed, written or named depends on the locale of the machine', () => {
  const found = [...filesIn('src'), ...filesIn('scripts'), ...filesIn('worker')]
    .filter(path => BY_LOCALE.test(readFileSync(path, 'utf8')))
    .map(path => path.slice(root.length).replaceAll('\\', '/'))
  expect(found).toEqual(SORTED_BY_LOCALE)
})

function expectInstalled(name: string): void {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { dependencies, devDependencies, peerDependencies } = manifest
  expect(Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })).toContain(name)
  expect(existsSync(join(root, 'node_modules', name, 'package.json'))).toBe(true)
}

/** The imports of each file, which several rows ask for. */
const imports = new Map<string, readonly string[]>()
function runtimeImports(path: string): readonly string[] {
  const known = imports.get(path)
  if (known) return known
  const found = readImports(path)
  imports.set(path, found)
  return found
}

/** The modules that a file imports at run time. Comments, strings and type-only imports do not count. */
function readImports(path: string): string[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const specifier =
      ts.isImportDeclaration(node) && !isTypeOnly(node.importClause)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined
    if (specifier && ts.isStringLiteral(specifier)) found.push(specifier.text)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (!clause || clause.name) return false
  const { isTypeOnly, namedBindings } = clause
  if (isTypeOnly) return true
  return (
    !!namedBindings &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every(one => one.isTypeOnly)
  )
}

it('[BY-27] each clause of docs/trust.md is named at its check, and no other', () => {
  const [, table = ''] =
    /## Clauses\n([\s\S]*?)\n## /.exec(readFileSync(join(root, 'docs/trust.md'), 'utf8')) ?? []
  const clauses = [...table.matchAll(/^\| (T\d+) \|/gm)].map(([, clause]) => clause as string)
  const code = filesIn('src/library/signed')
    .map(file => readFileSync(file, 'utf8'))
    .join('\n')
  const named = [...code.matchAll(/^\s*\/\/ (T\d+)$/gm)].map(([, clause]) => clause as string)
  expect(clauses.length).toBeGreaterThan(5)
  expect([...new Set(named)].sort()).toEqual(clauses)
})
