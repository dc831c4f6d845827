import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { typeErrors } from '../type-check.js'

/** Code snippets of the documentation, and their type errors. */

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The `ts` code blocks of a page, in order. */
export function snippetsOf(page: string): string[] {
  const text = readFileSync(root + page, 'utf8')
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code as string)
}

/** Transpiles TypeScript to JavaScript. */
export function withoutTypes(code: string): string {
  const { ESNext } = ts.ScriptTarget
  return ts.transpile(code, {
    target: ESNext,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
  })
}

/**
 * Type-checks each snippet as a module in strict mode, with `skillshelf` resolved to src. Returns errors that begin with `snippet-<n>.ts`.
 * @param folder Where its other packages are installed: a folder of the repository.
 */
export function snippetErrors(snippets: readonly string[], folder = ''): string[] {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    exports: Record<string, string | { types: string }>
  }
  const own = Object.entries(exports).flatMap(([name, to]) =>
    typeof to === 'string'
      ? []
      : [
          [
            `skillshelf${name.slice(1)}`,
            [root + to.types.replace(/^\.\/dist\/(.*)\.d\.ts$/, 'src/$1.ts')],
          ],
        ],
  )
  const compilerOptions = {
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    moduleDetection: 'force',
    lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'],
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    // The adapter in src must see the same version of the AI SDK.
    paths: { ...Object.fromEntries(own), ai: [`${root}${folder}node_modules/ai/dist/index.d.ts`] },
  }
  const files = Object.fromEntries(snippets.map((code, at) => [`snippet-${at + 1}.ts`, code]))
  const include = ['*.ts', `${root}src/tools/vite/virtual.d.ts`]
  return typeErrors(root + folder, { compilerOptions, include }, files)
}
