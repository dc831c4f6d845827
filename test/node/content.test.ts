import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { directory } from '../../src/exports/node.js'
import { createHandler } from '../../src/exports/server.js'
import { pack, skillStore } from '../../src/exports/store.js'
import { packSkills } from '../../src/tools/hook/pack-cache.js'
import { scanFolders } from '../../src/tools/hook/scan.js'
import { writeFiles } from '../folders.js'
import { startPublishServer } from './cli-publish-fixtures.js'
import { cli, contentsOf, skill, temporaryFolder, two } from './cli-world.js'

/** What belongs to a skill, for everything that lists, publishes, serves and locks. */

const JUNK = [
  '.git/config',
  '.hg/store',
  '.svn/entries',
  'node_modules/p/index.js',
  '.venv/lib/m.py',
  'scripts/venv/lib/m.py',
  'scripts/__pycache__/a.cpython-312.pyc',
  'scripts/a.pyc',
  '.pytest_cache/README.md',
  '.mypy_cache/3.12/a.json',
  '.ruff_cache/a',
  '.cache/a',
  '.turbo/a',
  '.Trash/a.txt',
  '.trash/a.txt',
  '.Trash-1000/a.txt',
  '.DS_Store',
  '._SKILL.md',
  'Thumbs.db',
  'Desktop.ini',
  '.SKILL.md.swp',
  'notes.md~',
  '.idea/workspace.xml',
  '.vscode/settings.json',
  '~$notes.docx',
  '.~lock.notes.odt#',
  '.nfs0000a1',
  '.fuse_hidden0001',
  'a.egg-info/PKG-INFO',
  '.python_history',
  '.direnv/bin/python',
  '.localized',
]
const junk = Object.fromEntries(JUNK.map(path => [`skills/a/${path}`, 'x']))
const internal = `---\nname: dev\ndescription: Releases this repository.\nmetadata:\n  internal: true\n---\n\n# Dev\n`
const textOf = async (folder: string) => Object.entries(await contentsOf(folder)).join('\n')

describe('junk', () => {
  it('[BY-5] is not listed, packed, published, served or locked, and nothing is said of it', async () => {
    const clean = temporaryFolder(two)
    const cwd = temporaryFolder({ ...two, ...junk })
    for (const folder of [clean, cwd]) {
      expect(await cli(['pack', 'skills', '--out', 'out'], { cwd: folder })).toMatchObject({
        code: 0,
        err: '',
      })
    }
    expect(await contentsOf(join(cwd, 'out'))).toEqual(await contentsOf(join(clean, 'out')))
    const library = await openLibrary(directory(join(cwd, 'skills')))
    expect((await library.get('a')).files.map(({ path }) => path)).toEqual(['scripts/a.py'])
    const server = await startPublishServer()
    expect(await server.publish(cwd)).toMatchObject({ code: 0, out: '2 put\n' })
    expect(await server.publish(clean)).toMatchObject({ code: 0, out: '2 as they were\n' })
  })

  it('[BY-5] a folder that is called like junk and has a SKILL.md is a skill', async () => {
    const files = { 'venv/SKILL.md': skill('venv', 'Makes environments.'), 'venv/bin/a.sh': 'x' }
    const library = await openLibrary(directory(temporaryFolder(files)))
    expect((await library.get('venv')).files.map(({ path }) => path)).toEqual(['bin/a.sh'])
  })

  it('[BY-5] `ignore` of directory replaces the list, and outputs of a skill stay', async () => {
    const root = temporaryFolder({ ...two, ...junk, 'skills/a/dist/index.js': 'x' })
    const pathsOf = async (source: ReturnType<typeof directory>) =>
      (await source.list()).map(({ path }) => path)
    const [own, all] = [
      directory(join(root, 'skills')),
      directory(join(root, 'skills'), { ignore: [] }),
    ]
    expect(await pathsOf(own)).toContain('a/dist/index.js')
    expect(await pathsOf(own)).not.toContain('a/.vscode/settings.json')
    expect((await pathsOf(all)).length).toBe((await pathsOf(own)).length + JUNK.length)
  })

  it('[BY-5] a project lists its skills, and not those of environments, trash and builds', async () => {
    const cwd = temporaryFolder({
      ...two,
      'package.json': '{}',
      '.venv/lib/x/SKILL.md': skill('x', 'x'),
      '.trash/old/SKILL.md': skill('old', 'x'),
      'dist/skills/a/SKILL.md': skill('a', 'Mends bicycles, as built.'),
      'build/skills/a/SKILL.md': skill('a', 'Mends bicycles, as built.'),
      'packages/p/package.json': '{}',
      'packages/p/target/k/SKILL.md': skill('k', 'x'),
      'skills/build/SKILL.md': skill('build', 'Builds it.'),
      'skills/target/c/SKILL.md': skill('c', 'A category.'),
    })
    const namesIn = async (...argv: string[]) =>
      (await cli(['list', '--json', ...argv], { cwd }))
        .json()
        .skills.map(({ id }: { id: string }) => id.slice(id.indexOf('/') + 1))
        .sort()
    expect(await namesIn('.')).toEqual(['skills/a', 'skills/b', 'skills/build', 'skills/target/c'])
    expect(await namesIn('dist')).toEqual(['skills/a'])
    expect((await openLibrary(memory({ 'dist/a/SKILL.md': skill('a', 'x') }))).snapshot.total).toBe(
      1,
    )
  })
})

it('[BY-27] a .gitignore in a skill takes nothing out of its lock', async () => {
  const cwd = temporaryFolder({
    'skills/a/SKILL.md': skill('a', 'Does a.'),
    'skills/a/.gitignore': 'run.sh\n',
    'skills/a/run.sh': 'echo 1',
  })
  await cli(['lock', 'skills'], { cwd })
  await writeFile(join(cwd, 'skills/a/run.sh'), 'echo 2')
  expect((await cli(['lock', 'skills', '--frozen'], { cwd })).code).toBe(1)
})

describe('.gitignore', () => {
  const ENV = 'TOKEN=not-a-real-one\n'
  const files = {
    ...two,
    'skills/a/.env': ENV,
    'skills/a/.gitignore': '.env\n/data/\n!keep.log\n',
    'skills/a/data/big.bin': 'x',
    'skills/a/keep.log': 'x',
    'skills/b/debug.log': 'x',
    '.gitignore': '*.log\n',
    '.git/HEAD': '',
  }

  it('[BY-5] leaves out files of a pack, which is said once', async () => {
    const cwd = temporaryFolder(files)
    const { code, out, err } = await cli(['pack', 'skills', '--out', 'out'], { cwd })
    expect([code, err]).toEqual([0, 'skillshelf: 3 files left out by .gitignore\n'])
    expect(out).toContain('Packed 2 skills with 5 files')
    const packed = await textOf(join(cwd, 'out'))
    expect(packed).toContain('keep.log')
    for (const hidden of ['TOKEN', 'big.bin', 'debug.log']) expect(packed).not.toContain(hidden)
  })

  it('[BY-5] that leaves out the folder itself does not count for it', async () => {
    for (const list of ['skills/\n', '*\n!src/\n']) {
      const cwd = temporaryFolder({ ...two, '.gitignore': list, '.git/HEAD': '' })
      expect(await cli(['list', 'skills'], { cwd })).toMatchObject({ code: 0, err: '' })
      expect((await cli(['list', '.'], { cwd })).err).toMatch(/[34] files left out by \.gitignore/)
    }
  })

  it('[BY-27] --frozen does not depend on what Git ignores', async () => {
    const cwd = temporaryFolder(files)
    await cli(['lock'], { cwd })
    // By the list of the project. That of a skill does not count.
    writeFiles(cwd, { 'skills/b/new.log': 'x' })
    expect(await cli(['lock', '--frozen'], { cwd })).toMatchObject({ code: 0 })
    writeFiles(cwd, { 'skills/a/data/x.bin': 'changed' })
    expect(await cli(['lock', '--frozen'], { cwd })).toMatchObject({ code: 1 })
  })

  it('[BY-9] .env is not served, with or without a list', async () => {
    const root = temporaryFolder({ ...two, 'skills/a/.env': ENV })
    const handle = createHandler({
      library: await openLibrary(directory(join(root, 'skills'))),
    }).fetch
    const paths = ['v1/skills/skills/a/files/.env', 'files/.env', '.well-known/agent-skills/a/.env']
    for (const path of paths) {
      const response = await handle(new Request(`https://x.test/${path}`))
      expect([path, response.ok]).toEqual([path, false])
      expect(await response.text()).not.toContain('TOKEN')
    }
    const archive = await handle(new Request('https://x.test/.well-known/agent-skills/a.tgz'))
    const { gunzipSync } = await import('node:zlib')
    const text = gunzipSync(Buffer.from(await archive.arrayBuffer())).toString('latin1')
    expect(text).toContain('a.py')
    expect(text).not.toContain('TOKEN')
  })
})

describe('internal skills', () => {
  const files = { ...two, 'skills/dev/SKILL.md': internal }

  it('[BY-5] are used in their repository and published only if they are named', async () => {
    const cwd = temporaryFolder(files)
    expect((await cli(['list'], { cwd })).out).toContain('dev')
    const { out } = await cli(['pack', '--out', 'out'], { cwd })
    expect(out).toContain('Packed 2 skills')
    expect(out).toContain('1 internal skill left out; publish it with --internal')
    expect(await textOf(join(cwd, 'out'))).not.toContain('Releases')
    const all = await cli(['pack', '--internal', '--out', 'all'], { cwd })
    expect(all.out).toContain('Packed 3 skills')
    expect((await cli(['pack', 'skills/dev', '--out', 'one'], { cwd })).out).toContain('1 skill')
    const only = temporaryFolder({ 'skills/dev/SKILL.md': internal })
    const refused = await cli(['pack', '--out', 'out'], { cwd: only })
    expect(refused).toMatchObject({
      code: expect.any(Number),
      err: expect.stringContaining('All skills of skills are internal'),
    })
    expect(existsSync(join(only, 'out/skillshelf.json'))).toBe(false)
  })

  it('[BY-5] stay on this machine when skills are uploaded', async () => {
    const cwd = temporaryFolder(files)
    const server = await startPublishServer()
    const { out, err } = await server.publish(cwd)
    expect([out, err]).toEqual(['2 put\n', expect.stringContaining('dev is internal')])
    expect((await server.publish(cwd, ['--internal'])).out).toBe('1 put, 2 as they were\n')
    const { out: gone } = await server.publish(cwd, ['--prune'])
    expect(gone).toBe('2 as they were, 1 removed\n')
  })

  it('[BY-5] are in no well-known index of a server, and in stores that install them', async () => {
    const library = await openLibrary(directory(join(temporaryFolder(files), 'skills')))
    const handle = createHandler({ library }).fetch
    const index = await handle(new Request('https://x.test/.well-known/agent-skills/index.json'))
    const { skills } = (await index.json()) as { skills: { name: string }[] }
    expect(skills.map(({ name }) => name)).toEqual(['a', 'b'])
    const stored = memory()
    await skillStore(stored).install({ 'dev/SKILL.md': internal })
    expect((await openLibrary(stored)).snapshot.skills.map(({ name }) => name)).toEqual(['dev'])
    const outputs = pack(memory({ 'dev/SKILL.md': internal, ...tree }))
    let next = await outputs.next()
    while (!next.done) next = await outputs.next()
    expect(next.value.diagnostics.map(({ code }) => code)).toContain('skill-internal')
  })

  const tree = { 'a/SKILL.md': skill('a', 'Mends bicycles.') }
})

describe('the hook', () => {
  it('[BY-25] offers no file of a skill and no junk as a skill, and internal skills', async () => {
    const root = temporaryFolder({
      'SKILL.md': skill('outer', 'Is a skill itself.'),
      'templates/t/SKILL.md': skill('t', 'A template.'),
      'venv/x/SKILL.md': skill('x', 'x'),
      'dev/SKILL.md': internal,
    })
    const place = { path: root, owner: 'user', of: root, isSkill: true } as const
    const scan = scanFolders({ roots: [place], rules: [], linkRoots: [], problems: [] })
    expect([...scan.skills.keys()]).toEqual(['0', '0/dev'])
    expect(Object.keys((await packSkills(scan)).state.skills)).toHaveLength(2)
  })
})

describe('the lock of `npx skills`', () => {
  it.each<[string, (at: string) => Promise<unknown>]>([
    [
      'CRLF',
      async at => {
        const file = join(at, 'SKILL.md')
        await writeFile(file, (await readFile(file, 'utf8')).replaceAll('\n', '\r\n'))
      },
    ],
    [
      'caches',
      at =>
        mkdir(join(at, '__pycache__')).then(() => writeFile(join(at, '__pycache__/a.pyc'), 'x')),
    ],
    ['a desktop', at => writeFile(join(at, '.DS_Store'), 'x')],
  ])('[BY-27] is the same with %s, and not with another byte', async (_, change) => {
    const cwd = temporaryFolder(two)
    await cli(['lock'], { cwd })
    const lock = JSON.parse(await readFile(join(cwd, 'skills-lock.json'), 'utf8'))
    for (const one of Object.values<Record<string, unknown>>(lock.skills)) delete one['digest']
    await writeFile(join(cwd, 'skills-lock.json'), JSON.stringify(lock))
    await change(join(cwd, 'skills/a'))
    expect(await cli(['lock', '--frozen'], { cwd })).toMatchObject({ code: 0 })
    await writeFile(join(cwd, 'skills/a/scripts/a.py'), 'print(2)')
    expect(await cli(['lock', '--frozen'], { cwd })).toMatchObject({ code: 1 })
  })

  it.each(['.venv/bin/x', '.pytest_cache/x', 'Thumbs.db', '.vscode/x', 'notes.md~', '.idea/x'])(
    '[BY-27] --frozen does not depend on %s',
    async path => {
      const cwd = temporaryFolder(two)
      await cli(['lock'], { cwd })
      writeFiles(cwd, { [`skills/a/${path}`]: 'x' })
      expect(await cli(['lock', '--frozen'], { cwd })).toMatchObject({ code: 0 })
    },
  )
})
