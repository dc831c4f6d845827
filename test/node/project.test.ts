import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true })
    .map(path => join(root, folder, String(path)))
    .filter(path => /\.(?:ts|json)$/.test(path) && !path.includes('node_modules') && statSync(path).isFile())
}

it('[CARD-6] has its parts at the top level', () => {
  for (const part of [
    'package.json',
    'tsconfig.json',
    'vite.config.ts',
    'wrangler.toml',
    'src',
    'worker',
    'demo',
    'test',
  ])
    expect([part, existsSync(join(root, part))]).toEqual([part, true])
})

/** Where each is in use, and how that looks in code that is run or compiled. */
const IN_USE: readonly [name: string, folders: readonly string[], use: RegExp][] = [
  ['yaml', ['src'], /import\(['"]yaml['"]\)|from ['"]yaml['"]/],
  ['zod', ['src'], /from ['"]zod\/mini['"]/],
  ['idb-keyval', ['src'], /from ['"]idb-keyval['"]/],
  ['comlink', ['src'], /from ['"]comlink['"]/],
  [
    '@huggingface/transformers',
    ['src'],
    /import\(['"]@huggingface\/transformers['"]\)|^import \{[^}]*\} from ['"]@huggingface\/transformers['"]/m,
  ],
  ['vite', ['src', 'demo', 'scripts', '.'], /from ['"]vite['"]/],
  ['vitest', ['test'], /from ['"]vitest['"]/],
  ['@cloudflare/workers-types', ['worker'], /"@cloudflare\/workers-types/],
  ['wrangler', ['scripts'], /from ['"]wrangler['"]/],
]

it.each(IN_USE)('[CARD-6] %s is declared, installed and in use', (name, folders, use) => {
  const { dependencies, devDependencies, peerDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  expect(Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })).toContain(name)
  expect(existsSync(join(root, 'node_modules', name, 'package.json'))).toBe(true)
  const files = folders.flatMap(folder => (folder === '.' ? [join(root, 'vite.config.ts')] : filesIn(folder)))
  expect(files.some(path => use.test(readFileSync(path, 'utf8')))).toBe(true)
})
