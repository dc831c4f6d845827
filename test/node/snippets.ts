import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

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
  return ts.transpile(code, { target: ESNext, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true })
}

/**
 * Type-checks each snippet as a module in strict mode, with `skillshelf` resolved to src. Returns errors as `file:line: message`.
 * @param folder Where its other packages are installed: a folder of the repository.
 */
export function typeErrors(snippets: readonly string[], folder = ''): string[] {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    exports: Record<string, string | { types: string }>
  }
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    moduleDetection: ts.ModuleDetectionKind.Force,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    noEmit: true,
    paths: {
      ...Object.fromEntries(
        Object.entries(exports).flatMap(([name, to]) =>
          typeof to === 'string'
            ? []
            : [[`skillshelf${name.slice(1)}`, [root + to.types.replace(/^\.\/dist\/(.*)\.d\.ts$/, 'src/$1.ts')]]],
        ),
      ),
      // The adapter in src must see the same version of the AI SDK.
      ai: [`${root}${folder}node_modules/ai/dist/index.d.ts`],
    },
  }
  const files = new Map(snippets.map((code, at) => [`${root}${folder}snippet-${at + 1}.ts`, code]))
  const host = ts.createCompilerHost(options)
  const program = ts.createProgram({
    rootNames: [...files.keys(), `${root}src/tools/vite/virtual.d.ts`],
    options,
    host: {
      ...host,
      fileExists: path => files.has(path) || host.fileExists(path),
      getSourceFile: (path, version) => {
        const code = files.get(path)
        return code === undefined ? host.getSourceFile(path, version) : ts.createSourceFile(path, code, version)
      },
    },
  })
  return [...files.keys()].flatMap(path => {
    const file = program.getSourceFile(path) as ts.SourceFile
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ start = 0, messageText }) =>
        `${path.slice(root.length)}:${file.getLineAndCharacterOfPosition(start).line + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    )
  })
}
