import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { exportPaths } from '../../scripts/exports.js'
import { snippetErrors } from './snippets.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** An example of a doc comment, and the place where it stands. */
interface Example {
  file: string
  line: number
  code: string
}

/** What an example may use without saying where it comes from. */
const GIVEN: Readonly<Record<string, string>> = {
  library: "import('skillshelf').LocalLibrary",
  session: "import('skillshelf/session').Session",
  skill: "import('skillshelf').Skill",
  shelf: "import('skillshelf/tools').ToolShelf",
  message: 'string',
  history: "import('skillshelf/session').SessionMessage[]",
  model: 'any',
  messages: 'any[]',
  system: 'string',
  hostTools: 'readonly any[]',
  TEAM_KEY: 'string',
  source: "import('skillshelf/sources').ListableSource",
  engine: "import('skillshelf/engine').SkillEngine",
  store: "import('skillshelf/store').SkillStore",
  text: 'string',
  kv: '{ get(key: string, type: string): Promise<ArrayBuffer | null> }',
  backup: 'string',
  env: 'any',
  R2Bucket: 'any',
  generateText: '(options: object) => Promise<{ text: string }>',
  apiKey: 'string',
  SkillSource: "import('skillshelf').SkillSource",
}
/** The same for the examples of one file or folder, whose SDKs have other messages. */
const GIVEN_IN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/agent/adapters/': {
    message: 'any',
    anthropic: 'any',
    openai: 'any',
    max_tokens: 'number',
    input: 'any[]',
    response: '{ output: any[] }',
  },
  'src/server/engine/engine-library.ts': { library: "import('skillshelf/engine').EngineLibrary" },
}
/** Examples with a module or a global of a bundler, which only there has types. */
const UNTYPED = /\.\/my-source\.js|import\.meta\.glob/

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map(file => `${folder}/${file.replaceAll('\\', '/')}`)
    .sort()
}

/** The examples of the doc comments of a file: fenced, or plain lines up to the next tag. */
function examplesOf(file: string): Example[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap(({ 0: comment, index }) => {
    const line = text.slice(0, index).split('\n').length
    const lines = comment.slice(0, -2).replace(/^\s*\* ?/gm, '')
    return lines
      .split(/^@example\b.*\n/m)
      .slice(1)
      .map(after => {
        const own = after.split(/^@\w/m)[0] ?? ''
        const [, language, fenced] = /```(\w+)\n([\s\S]*?)```/.exec(own) ?? []
        return {
          file,
          line,
          code: language === undefined || language === 'ts' ? (fenced ?? own) : '',
        }
      })
  })
}

const importsOf = (code: string): string[] =>
  [...code.matchAll(/ from '([^']+)'/g)].map(([, name]) => name as string)
const isInstalled = (name: string): boolean =>
  name.startsWith('skillshelf') ||
  name.startsWith('.') ||
  name.startsWith('node:') ||
  name.startsWith('virtual:') ||
  existsSync(join(root, 'node_modules', ...name.split('/').slice(0, name.startsWith('@') ? 2 : 1)))
const hasWord = (code: string, word: string): boolean =>
  new RegExp(`(?<![\\w.'"/-])${word}(?![\\w'"-])`).test(code)
const declares = (code: string, name: string): boolean =>
  new RegExp(
    `(?:const|let|using|function)\\s+(?:${name}\\b|\\{[^}=]*\\b${name}\\b[^}=]*\\}|\\[[^\\]=]*\\b${name}\\b)`,
  ).test(code) || new RegExp(`import\\s[^;]*\\b${name}\\b[^;]*from`).test(code)

/** The values that each export path of the package exports, by name. A path of an SDK has the same names as another, so it is left out. */
async function exportedNames(): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const { specifier: name, file } of exportPaths()) {
    if (/react|vue|vite|element|adapters|thread-ready/.test(name)) continue
    const exported = await import(/* @vite-ignore */ `../../src/exports/${file}.ts`)
    for (const key of Object.keys(exported)) {
      if (!names.has(key)) names.set(key, name)
    }
  }
  return names
}

it('[CARD-5] every example of a doc comment type-checks', async () => {
  const names = await exportedNames()
  const examples = filesIn('src')
    .flatMap(examplesOf)
    .filter(({ code }) => code !== '' && !UNTYPED.test(code) && importsOf(code).every(isInstalled))
  expect(examples.length).toBeGreaterThan(110)
  const snippets = examples.map(({ file, code }) => {
    const own = [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /^export (?:async )?(?:function|const) (\w+)/gm,
      ),
    ]
    const known = new Map([
      ...own.map(([, name]) => [name as string, join(root, file).replace(/\.ts$/, '.js')] as const),
      ...names,
    ])
    const imports = [...known]
      .filter(([name]) => hasWord(code, name) && !declares(code, name))
      .map(([name, from]) => `import { ${name} } from '${from}'`)
    const special = Object.entries(GIVEN_IN).find(([place]) => file.startsWith(place))?.[1]
    const given = Object.entries({ ...GIVEN, ...special })
      .filter(([name]) => hasWord(code, name) && !declares(code, name))
      .map(([name, type]) =>
        /^(?:[A-Z][a-z]|R2)/.test(name) ? `type ${name} = ${type}` : `declare let ${name}: ${type}`,
      )
    return [...imports, ...given, code, 'export {}'].join('\n')
  })
  const errors = snippetErrors(snippets)
  const place = (number: string): string => {
    const example = examples[Number(number) - 1] as Example
    return `${example.file}:${example.line} `
  }
  expect(
    errors.map(error => error.replace(/^snippet-(\d+)\.ts/, (_, number) => place(number))),
  ).toEqual([])
})

/** Folders whose documents are checked. The changelog names files of its time. */
const DOCUMENTS = [
  'DESIGN.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'README.md',
  ...documentsIn('docs'),
]

function documentsIn(folder: string): string[] {
  return readdirSync(join(root, folder), { encoding: 'utf8' })
    .filter(file => file.endsWith('.md'))
    .map(file => `${folder}/${file}`)
}

/** Paths such as `search/match/score.ts`, from the root, from src, or the end of such a path. */
function namedFiles(text: string): string[] {
  const found = text.matchAll(/(?<![\w./@{*-])\w[\w.-]*(?:\/[\w.-]+)+\.(?:ts|cts|tsv|svg|gif)\b/g)
  return [...found].map(([path]) => path)
}
/** Files of a skill or an app in an example. */
const INVENTED =
  /^(?:\.?\w*\/)?(?:skills|references|examples|assets|my-\w+|public|out|dist|hooks|templates)\/|^docs\/x\.md$|SKILL\.md$|^src\/(?:app|invoice)/
const GENERATED = /^(?:node_modules|dist|build|public|\.wrangler|\.vitepress)$/

/** The files below a folder, but for installed and generated ones, which come and go while tests run. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`
    if (entry.isFile()) return [path]
    return entry.isDirectory() && !GENERATED.test(entry.name) ? filesBelow(path) : []
  })
}
const known = new Set(
  [
    'src',
    'docs',
    'test',
    'demo',
    'bench',
    'training',
    'worker',
    'kernel',
    'model',
    'scripts',
    'examples',
    '.github',
  ].flatMap(filesBelow),
)
const isThere = (path: string): boolean =>
  existsSync(join(root, path)) || [...known].some(file => file.endsWith(`/${path}`))

it('[CARD-6] every file that a document or a comment names is there', () => {
  const comments = filesIn('src').map(file => {
    const text = readFileSync(join(root, file), 'utf8')
    const found = text.match(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm) ?? []
    return { file, text: found.join('\n') }
  })
  const documents = DOCUMENTS.map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  const missing = [...documents, ...comments].flatMap(({ file, text }) =>
    [...new Set(namedFiles(text))]
      .filter(path => !INVENTED.test(path) && !isThere(path))
      .map(path => `${file} names ${path}`),
  )
  expect(missing).toEqual([])
})

it('[CARD-6] docs/imports.md names every export path', () => {
  const text = readFileSync(join(root, 'docs/imports.md'), 'utf8')
  const missing = exportPaths()
    .map(({ specifier }) => specifier)
    .filter(
      path => !text.includes(`\`${path}\``) && !text.includes(`\`${path.split('/').at(-1)}\``),
    )
  expect(missing).toEqual([])
})

it('[CARD-6] docs/sources.md names every source', () => {
  const text = readFileSync(join(root, 'docs/sources.md'), 'utf8')
  const reports = readdirSync(join(root, 'test/api'))
    .map(file => readFileSync(join(root, 'test/api', file), 'utf8'))
    .join('\n')
  // A source of another source has a document of its own.
  const sources = [
    ...reports.matchAll(/^export function (\w+)\((?!source: )[^;]*(?:;\n\})?\): \w*Source\b/gm),
  ].map(([, name]) => name)
  expect(sources.length).toBeGreaterThan(5)
  expect(sources.filter(name => !text.includes(`\`${name}(`))).toEqual([])
})
