import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory } from '../../src/exports/node.js'
import { ignoreRule } from '../../src/source/directory/ignore-files.js'
import { cli, skill, temporaryFolder, two } from './cli-world.js'

/** `.gitignore` files, as Git reads them. */

const NAMES = ['a.log', 'b.txt', 'x y', '#c', '!d', 'e[1]', 'f*', 'abc', 'é', '7.dat', 'z ']
const FOLDERS = ['', 'out/', 'src/', 'src/out/', 'src/deep/er/', '[id]/', 'a+b/']
const tree = Object.fromEntries(FOLDERS.flatMap(at => NAMES.map(name => [at + name, 'x'])))

/** What Git keeps, and what the rule keeps in the same folder. */
async function kept(files: Readonly<Record<string, string>>, folder = '') {
  const cwd = temporaryFolder({ ...tree, ...files })
  execFileSync('git', ['init', '-q'], { cwd })
  const list = ['-c', 'core.excludesFile=', 'ls-files', '-o', '--exclude-standard', '-z']
  const git = execFileSync('git', list, { cwd, encoding: 'utf8' }).split('\0').filter(Boolean)
  const inside = folder === '' ? '' : `${folder}/`
  const listing = await directory(join(cwd, folder)).list()
  const { isIgnored, problems } = await ignoreRule(join(cwd, folder), listing)
  return {
    git: git.filter(path => path.startsWith(inside)).sort(),
    ours: listing.flatMap(({ path }) => (isIgnored(path) ? [] : [inside + path])).sort(),
    problems,
  }
}

it.each([
  '*.log\n!src/a.log\n',
  'out/\n',
  '/out\n',
  'src/out\n',
  'src/**/er\n',
  '**/deep\n',
  'src/**\n!src/abc\n',
  'src/*\n!src/out\n',
  '\\#c\n\\!d\n# a comment\n\n',
  'x y\nb.txt   \nz\\ \n',
  'f\\*\ne\\[1\\]\n',
  '[a-b]*\n',
  '[!a]*.log\n[^0-9].dat\n',
  '[[:digit:]].dat\n[]e]*\n',
  '*\n!*/\n!abc\n',
  'abc/\n',
  'deep/er/?bc\n',
  '?\n??\n',
  'é\n',
  '/**\n!/src/\n!/src/*\n',
  'a+b\n{src,out}\n(src)\n$x\n^y\n',
  '[id]\n\\[id\\]/abc\n',
  '!\n/\n\\\n  \n[\n',
  '**/*.log\nsrc/**/\n',
  './abc\nsrc//abc\nout\t\n',
  '\ufeff*.log\r\nout\r\n',
])('[BY-5] %j is read as Git reads it', async list => {
  const { git, ours, problems } = await kept({ '.gitignore': list })
  expect(ours).toEqual(git)
  expect(problems).toEqual([])
})

it.each<[folder: string, lists: Readonly<Record<string, string>>]>([
  ['', { '.gitignore': '*.log\n', 'src/.gitignore': '!a.log\n', 'src/out/.gitignore': '*.log' }],
  ['', { '.gitignore': 'out/\n', 'src/.gitignore': '!out/\n' }],
  ['', { 'src/.gitignore': '/abc\n/*/b.txt\ndeep/er\n', '[id]/.gitignore': '*\n!abc\n' }],
  ['', { 'a+b/.gitignore': '/abc\n!\n/\n# x\n\\#c\n\\!d\nout/ \n' }],
  ['', { 'out/.gitignore': '*', '.gitignore': 'out/\n!out/abc\n' }],
  ['src', { '.gitignore': '*.log\n/src/deep\nout/\n', 'src/.gitignore': '!a.log\n' }],
  ['src', { '.gitignore': '*\n!src/\n!src/**\n*.log\n' }],
  ['[id]', { '.gitignore': '/\\[id\\]/abc\nb.txt\n', '[id]/.gitignore': 'x?y\n' }],
  ['src/deep', { '.gitignore': '/abc\n', 'src/.gitignore': '/deep/er/abc\nb.txt\n' }],
])(
  '[BY-5] files in, below and above the folder %j are read as Git reads them',
  async (folder, lists) => {
    const { git, ours } = await kept(lists, folder)
    expect(ours).toEqual(git)
  },
)

describe('a folder that is named', () => {
  it.each([
    'src/\n*.log\n',
    '*\n!out/\n*.log\n',
    '/src\n*.log\n',
    'src/*\n*.log\n!src/*\n!src/*/*\n!src/*/*/*\n*.log\n',
  ])('[BY-5] is not left out by %j above it, and its files are', async list => {
    const { ours } = await kept({ '.gitignore': list }, 'src')
    expect(ours).toContain('src/abc')
    expect(ours).not.toContain('src/a.log')
  })
})

describe('patterns that would take too long', () => {
  const slow = {
    ...two,
    'skills/a/.gitignore': [
      `${'*a'.repeat(60)}b`,
      `${'**/a/'.repeat(10)}b`,
      'x'.repeat(2_000),
      '*.log',
    ].join('\n'),
    'skills/a/a.log': 'x',
    [`skills/a/${'a'.repeat(200)}`]: 'x',
    [`skills/a/${'a/'.repeat(400)}c`]: 'x',
  }

  it('[BY-9] are left out, which is said, and the others count', async () => {
    const cwd = temporaryFolder(slow)
    const { code, err } = await cli(['list', 'skills'], { cwd })
    expect(code).toBe(0)
    expect(err.split('\n')).toEqual([
      'skillshelf: 1 file left out by .gitignore',
      'skillshelf: a/.gitignore:2 was left out, because the pattern has too many `**`',
      'skillshelf: a/.gitignore:3 was left out, because the pattern has more than 1,000 characters',
      '',
    ])
  })

  it('[BY-9] and too many of them for the files are refused', async () => {
    const deep = `${'a/'.repeat(300)}c`
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [deep + index, 'x']))
    const cwd = temporaryFolder({ ...files, '.gitignore': 'a/**/b/**/c\n'.repeat(1_000) })
    const listing = await directory(cwd).list()
    const { isIgnored } = await ignoreRule(cwd, listing)
    expect(() => listing.map(({ path }) => isIgnored(path))).toThrow(/takes too long to compare/)
  })

  it('[BY-9] and too many in lists of folders are refused before they are repeated', async () => {
    const lists = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`${index}/.gitignore`, 'x\n']),
    )
    const cwd = temporaryFolder({ ...lists, '.gitignore': 'a\n'.repeat(100_000) })
    await expect(ignoreRule(cwd, await directory(cwd).list())).rejects.toThrow(/takes too long/)
  })

  it('[BY-9] what is deeper than 100 folders goes with the last of them', async () => {
    const cwd = temporaryFolder({ '.gitignore': `c\n/b/**/x/**/y\n/b/**/${'a/'.repeat(98)}\n` })
    const { isIgnored } = await ignoreRule(cwd, [{ path: '.gitignore' }])
    const below = (top: string, depth: number, name: string) =>
      `${top}/${'a/'.repeat(depth)}${name}`
    expect(isIgnored(below('a', 98, 'c'))).toBe(true)
    expect(isIgnored(below('a', 1_900, 'c'))).toBe(false)
    expect(isIgnored(below('b', 1_900, 'd'))).toBe(true)
  })

  it('[BY-5] a list that is a link is not read, as by Git', async () => {
    const cwd = temporaryFolder({ ...tree, list: 'abc\n' })
    execFileSync('ln', ['-s', 'list', '.gitignore'], { cwd })
    expect(existsSync(join(cwd, '.gitignore'))).toBe(true)
    const { isIgnored } = await ignoreRule(cwd, await directory(cwd).list())
    expect(isIgnored('abc')).toBe(false)
  })
})

it('[BY-5] one skill in a folder of a repository leaves out what its own list says', async () => {
  const cwd = temporaryFolder({
    '.git/HEAD': '',
    '.gitignore': '.claude/\n*.tmp\n',
    '.claude/skills/a/SKILL.md': skill('a', 'Mends bicycles.'),
    '.claude/skills/a/x.tmp': 'x',
  })
  const { code, out, err } = await cli(['pack', '.claude/skills', '--out', 'out'], { cwd })
  expect([code, err]).toEqual([0, 'skillshelf: 1 file left out by .gitignore\n'])
  expect(out).toContain('Packed 1 skill with 1 file')
})
