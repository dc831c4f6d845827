import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestOf, shortDigest } from '../../src/core/digest.js'
import { writeFiles } from '../folders.js'
import { cli, contentsOf, expectRefusal, skill, temporaryFolder, two } from './cli-world.js'

const COPIES = '.well-known/skills'
const SITE = '.well-known/agent-skills/index.json'

const pack = (cwd: string, ...more: string[]) => cli(['pack', '--out', 'out', ...more], { cwd })
const line = (path: string, text: string): string => `${shortDigest(digestOf(text))} ${path}\n`

/** Copies of files below `skills/`, as earlier versions wrote them for older clients, and the manifest that lists them. */
function oldCopies(copies: Readonly<Record<string, string>>): Record<string, string> {
  const all = Object.entries(copies).map(([path, text]) => [`${COPIES}/${path}`, text] as const)
  return {
    ...Object.fromEntries(all.map(([path, text]) => [`out/${path}`, text])),
    'out/.skillshelf-pack': all.map(([path, text]) => line(path, text)).join(''),
  }
}
const OLD = { 'index.json': '{"skills":[]}', 'a/SKILL.md': 'a', 'a/scripts/a.py': 'x' }

describe('skillshelf pack, for clients of well-known skills', () => {
  it('[BY-5] prints the size of each part, and the skills that are published with changes', async () => {
    const cwd = temporaryFolder({
      ...two,
      'skills/c/SKILL.md': skill('My C', 'Counts.'),
      'skills/d/SKILL.md': skill('d', 'Draws.'),
      'skills/d/图.md': 'x',
      'skills/e/SKILL.md': 'Eats.',
    })
    const { out } = await pack(cwd)
    expect(out).toContain(
      '\nPublished as well-known skills: 5 for v0.2 clients (4 for clients that read plain YAML only)\n',
    )
    expect(out.split('\n').slice(-4)).toEqual([
      'Published with changes',
      '  c/SKILL.md: Published as my-c: its name breaks the specification',
      '  e/SKILL.md:1: Some clients cannot install it: it does not start with a frontmatter between two lines ---',
      '',
    ])
    const { summary, diagnostics } = (await pack(cwd, '--json')).json()
    const wellKnown = { skills: 5, readable: 4 }
    expect(summary).toMatchObject({ written: 0, removed: 0, left: [], wellKnown })
    const files = await contentsOf(join(cwd, 'out'))
    const sum = (paths: RegExp): number =>
      Object.entries(files).reduce(
        (all, [path, text]) => all + (paths.test(path) ? text.length : 0),
        0,
      )
    expect(summary.parts).toEqual({
      catalog: sum(/^skillshelf\.json$/),
      segment: sum(/\.seg$/),
      vectors: 0,
      piece: 0,
      file: sum(/^files\/[^.]+\.(?!tgz)\w+$/),
      archive: sum(/\.tgz$/),
      index: sum(/\/index\.json$/),
    })
    const codes = diagnostics.map(({ code }: { code: string }) => code)
    expect(codes).toEqual(expect.arrayContaining(['published-name', 'published-partly']))
    for (let at = 0; at < 9; at++)
      writeFiles(cwd, { [`skills/n${at}/SKILL.md`]: skill(`N_${at}`, 'Is named otherwise.') })
    const many = 'Published with changes\n  see the 11 reasons with: skillshelf pack --json\n'
    expect((await pack(cwd)).out).toContain(many)
  })

  it('[BY-5] commands do not count the copies of a packed library as skills', async () => {
    const cwd = temporaryFolder({ ...two, 'skills/b/triggers.yaml': '- message: bread\n' })
    await pack(cwd)
    writeFiles(cwd, { [`out/${COPIES}/b/SKILL.md`]: two['skills/b/SKILL.md'] })
    expect((await cli(['validate', 'out'], { cwd })).err).toContain('out is a packed library\n')
    expect((await cli(['validate', '.'], { cwd })).out).toMatch(/^2 skills, /)
    expect((await cli(['list', '--skills', '.', '--json'], { cwd })).json().skills).toHaveLength(2)
    expect((await cli(['test', 'out', '--json'], { cwd })).json().summary).toMatchObject({
      total: 1,
    })
  })

  it('[BY-5] [BY-9] removes the copies that earlier versions wrote and emptied folders, and nothing else', async () => {
    const cwd = temporaryFolder({
      ...two,
      ...oldCopies(OLD),
      [`out/${COPIES}/a/mine.txt`]: 'mine',
      [`out/${COPIES}/notes.txt`]: 'mine',
    })
    const { out } = await pack(cwd)
    expect(out).toContain(', 3 removed\n')
    expect(out).toMatch(/: 2 for v0\.2 clients\n$/)
    expect(await contentsOf(join(cwd, 'out', COPIES))).toEqual({
      'a/mine.txt': 'mine',
      'notes.txt': 'mine',
    })
    expect(await readdir(join(cwd, 'out', COPIES, 'a'))).toEqual(['mine.txt'])

    await rm(join(cwd, 'skills/a'), { recursive: true })
    // The SKILL.md, the script, the details, the archive and the segment.
    expect((await pack(cwd, '--json')).json().summary.removed).toBe(5)
    const { summary } = (await pack(cwd, '--no-well-known', '--json')).json()
    expect(summary).toMatchObject({ removed: 3, parts: { index: 0 } })
    const bare = Object.keys(await contentsOf(join(cwd, 'out')))
    expect(
      bare.filter(path => !/^(?:files\/|skillshelf\.json$|[0-9a-f]{16}\.seg$)/.test(path)),
    ).toEqual([`${COPIES}/a/mine.txt`, `${COPIES}/notes.txt`])
    expect(await readdir(join(cwd, 'out/.well-known'))).toEqual(['skills'])
  })

  it('[BY-9] keeps a copy that was changed by others, and an index that is not listed', async () => {
    const { 'index.json': index, ...listed } = OLD
    const cwd = temporaryFolder({
      ...two,
      ...oldCopies(listed),
      [`out/${COPIES}/index.json`]: index,
    })
    await writeFile(join(cwd, 'out', COPIES, 'a/scripts/a.py'), 'mine')
    expect(await pack(cwd)).toMatchObject({ code: 0, err: '' })
    expect(await contentsOf(join(cwd, 'out', COPIES))).toEqual({
      'a/scripts/a.py': 'mine',
      'index.json': index,
    })
  })

  it('[BY-5] removes files that --keep-old kept or an interrupted pack left', async () => {
    const cwd = temporaryFolder(two)
    await pack(cwd)
    await rm(join(cwd, 'skills/a/scripts'), { recursive: true })
    await pack(cwd, '--keep-old')
    const files = Object.values(await contentsOf(join(cwd, 'out/files')))
    expect(files).toContain(two['skills/a/scripts/a.py'])
    // The pack fails halfway: a folder is where a file must go.
    writeFiles(cwd, { 'skills/a/new.txt': 'new', 'skills/b/x.txt': 'x' })
    const inTheWay = join(cwd, 'out/files', `${shortDigest(digestOf('x'))}.txt`)
    await mkdir(join(inTheWay, 'in-the-way'), { recursive: true })
    const before = await readFile(join(cwd, 'out', SITE), 'utf8')
    expect((await pack(cwd)).code).not.toBe(0)
    expect(await readFile(join(cwd, 'out', SITE), 'utf8')).toBe(before)
    await rm(inTheWay, { recursive: true })
    expect(Object.values(await contentsOf(join(cwd, 'out/files')))).toContain('new')

    await rm(join(cwd, 'skills/a/new.txt'))
    await pack(cwd)
    await pack(cwd, '--out', 'fresh')
    expect(await contentsOf(join(cwd, 'out'))).toEqual(await contentsOf(join(cwd, 'fresh')))
  })

  it('[BY-9] does not overwrite a foreign index, and advises to pack with --no-well-known', async () => {
    const cwd = temporaryFolder({ ...two, [`out/${SITE}`]: '{"skills":[]}' })
    const says = /index\.json in --out was not written by pack\n.* with --no-well-known\n/
    expect(await pack(cwd)).toMatchObject({ code: 2, err: expect.stringMatching(says) })
    expect(await contentsOf(join(cwd, 'out'))).toEqual({ [SITE]: '{"skills":[]}' })
    expect((await pack(cwd, '--no-well-known')).code).toBe(0)
    expect(await readFile(join(cwd, 'out', SITE), 'utf8')).toBe('{"skills":[]}')
  })

  it('[BY-9] keeps a foreign or changed _headers file and prints its own', async () => {
    const cwd = temporaryFolder({ ...two, 'out/_headers': '/*\n  X-Mine: 1\n' })
    const first = await pack(cwd)
    expect(first).toMatchObject({ code: 0, err: '' })
    expect(first.out).toContain('_headers was not written by pack and stays unchanged\n')
    expect(first.out).toContain(
      '\n    /files/*\n      Cache-Control: public, max-age=31536000, immutable\n',
    )
    expect(await readFile(join(cwd, 'out/_headers'), 'utf8')).toBe('/*\n  X-Mine: 1\n')

    await rm(join(cwd, 'out/_headers'))
    expect((await pack(cwd)).out).not.toContain('_headers')
    await writeFile(join(cwd, 'skills/b/SKILL.md'), skill('b', 'Bakes cake.'))
    expect((await pack(cwd)).out).not.toContain('_headers')
    const own = await readFile(join(cwd, 'out/_headers'), 'utf8')
    expect(own).toContain(
      `/${(await readdir(join(cwd, 'out'))).find(name => name.endsWith('.seg'))}\n`,
    )

    await writeFile(join(cwd, 'out/_headers'), `${own}/*\n  X-Mine: 1\n`)
    const { summary } = (await pack(cwd, '--json')).json()
    expect(summary.left).toEqual([{ path: '_headers', wanted: own }])
    await cli(['pack', '--out', 'out', '--no-well-known'], { cwd })
    expect(await readFile(join(cwd, 'out/_headers'), 'utf8')).toContain('X-Mine')
  })

  it('[BY-9] writes and removes nothing through a link that leaves', async () => {
    const cwd = temporaryFolder({ ...two, 'elsewhere/a/SKILL.md': two['skills/a/SKILL.md'] })
    await mkdir(join(cwd, 'out'))
    await symlink(join(cwd, 'elsewhere'), join(cwd, 'out/.well-known'))
    expect((await pack(cwd)).err).toContain('a link that leaves')
    await rm(join(cwd, 'out/.well-known'))

    writeFiles(cwd, oldCopies({ 'a/SKILL.md': two['skills/a/SKILL.md'] }))
    await rm(join(cwd, 'out', COPIES, 'a'), { recursive: true })
    await symlink(join(cwd, 'elsewhere/a'), join(cwd, 'out', COPIES, 'a'))
    await pack(cwd)
    expect(await contentsOf(join(cwd, 'elsewhere'))).toEqual({
      'a/SKILL.md': two['skills/a/SKILL.md'],
    })

    await rename(join(cwd, 'out/.skillshelf-pack'), join(cwd, 'elsewhere/record'))
    await symlink(join(cwd, 'elsewhere/record'), join(cwd, 'out/.skillshelf-pack'))
    const before = await contentsOf(join(cwd, 'elsewhere'))
    expect((await pack(cwd)).err).toContain('.skillshelf-pack was not written by pack')
    expect(await contentsOf(join(cwd, 'elsewhere'))).toEqual(before)
  })

  it.each([
    ['leaves --out', line('../victim.txt', 'mine')],
    ['leaves --out after normalization', line('.well-known/../../victim.txt', 'mine')],
    ['names an unpublished file', line('index.html', 'mine')],
    ['has another format', 'to do: buy milk\n'],
    ['has another format and no final line break', 'to do'],
  ])('[BY-9] rejects a manifest that %s', async (_, manifest) => {
    const mine = { 'victim.txt': 'mine', 'out/index.html': 'mine' }
    const cwd = temporaryFolder({ ...two, ...mine, 'out/.skillshelf-pack': manifest })
    const before = await contentsOf(cwd)
    const says = expect.stringContaining('.skillshelf-pack was not written by pack')
    expect(await pack(cwd)).toMatchObject({ code: 2, err: says })
    expect(await contentsOf(cwd)).toEqual(before)
  })

  it('[BY-5] reads a manifest with a truncated last line', async () => {
    const cwd = temporaryFolder(two)
    await pack(cwd)
    const manifest = join(cwd, 'out/.skillshelf-pack')
    const whole = await readFile(manifest, 'utf8')
    await writeFile(manifest, `${whole}0123456789abcdef .well-kn`)
    await rm(join(cwd, 'skills/a/scripts'), { recursive: true })
    await writeFile(join(cwd, 'skills/a/x.md'), 'x')
    await pack(cwd, '--keep-old')
    await pack(cwd)
    await pack(cwd, '--out', 'fresh')
    expect(await contentsOf(join(cwd, 'out'))).toEqual(await contentsOf(join(cwd, 'fresh')))
  })

  it('[BY-9] refuses to pack a folder that it publishes to', async () => {
    const cwd = temporaryFolder({
      'all/.well-known/skills/a/SKILL.md': skill('a', 'Mends bicycles.'),
    })
    const before = await contentsOf(cwd)
    await expectRefusal(
      'is a folder that --out writes to',
      ['pack', 'all/.well-known/skills', '--out', 'all'],
      { cwd },
    )
    expect(await contentsOf(cwd)).toEqual(before)
  })
})
