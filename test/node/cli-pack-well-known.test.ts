import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestOf, shortDigest } from '../../src/core/digest.js'
import { writeFiles } from '../folders.js'
import { cli, contentsOf, expectRefusal, skill, temporaryFolder, two } from './cli-world.js'

const COPIES = '.well-known/skills'
const SITE = '.well-known/agent-skills/index.json'

/** Packs for older clients too. */
const pack = (cwd: string, ...more: string[]) =>
  cli(['pack', '--out', 'out', '--legacy', ...more], { cwd })
const line = (path: string, text: string): string => `${shortDigest(digestOf(text))} ${path}\n`

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
      '\nPublished as well-known skills: 5 for v0.2 clients (4 for clients that read plain YAML only), 2 for older clients (v0.1)\n',
    )
    expect(out.split('\n').slice(-5)).toEqual([
      'Published with changes',
      '  c/SKILL.md: Published as my-c, and not to v0.1 clients: its name breaks the specification',
      '  d/SKILL.md: Not published to v0.1 clients: they cannot request "图.md"',
      '  e/SKILL.md:1: Not published to v0.1 clients, and some other clients cannot install it: it does not start with a frontmatter between two lines ---',
      '',
    ])
    const { summary, diagnostics } = (await pack(cwd, '--json')).json()
    const wellKnown = { skills: 5, readable: 4, legacy: 2 }
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
      file: sum(/^files\/[^.]+\.(?!tgz)\w+$/),
      archive: sum(/\.tgz$/),
      copy: sum(/^\.well-known\/skills\/.*\//),
      index: sum(/\/index\.json$/),
    })
    const codes = diagnostics.map(({ code }: { code: string }) => code)
    expect(codes).toEqual(expect.arrayContaining(['published-name', 'published-partly']))
    for (let at = 0; at < 9; at++)
      writeFiles(cwd, { [`skills/n${at}/SKILL.md`]: skill(`N_${at}`, 'Is named otherwise.') })
    const many = 'Published with changes\n  see the 12 reasons with: skillshelf pack --json\n'
    expect((await pack(cwd)).out).toContain(many)
  })

  it('[BY-5] writes copies that other commands do not count as skills', async () => {
    const cwd = temporaryFolder({ ...two, 'skills/b/triggers.yaml': '- message: bread\n' })
    await pack(cwd)
    expect((await cli(['validate', 'out'], { cwd })).err).toContain('out is a packed library\n')
    expect((await cli(['validate', '.'], { cwd })).out).toMatch(/^2 skills, /)
    expect((await cli(['list', '--skills', '.', '--json'], { cwd })).json().skills).toHaveLength(2)
    expect((await cli(['test', 'out', '--json'], { cwd })).json().summary).toMatchObject({
      total: 1,
    })
  })

  it('[BY-5] removes unpublished files and emptied folders, and nothing else', async () => {
    const cwd = temporaryFolder({ ...two, [`out/${COPIES}/notes.txt`]: 'mine' })
    await pack(cwd)
    await writeFile(join(cwd, 'out', COPIES, 'a/mine.txt'), 'mine')
    await rm(join(cwd, 'skills/a'), { recursive: true })
    // The SKILL.md, the script, the details, the archive, two copies and the segment.
    expect((await pack(cwd, '--json')).json().summary.removed).toBe(7)
    const left = Object.keys(await contentsOf(join(cwd, 'out', '.well-known')))
    const kept =
      'agent-skills/index.json skills/a/mine.txt skills/b/SKILL.md skills/index.json skills/notes.txt'
    expect(left).toEqual(kept.split(' '))
    expect(await readdir(join(cwd, 'out', COPIES, 'a'))).toEqual(['mine.txt'])

    const { summary } = (
      await cli(['pack', '--out', 'out', '--no-well-known', '--json'], { cwd })
    ).json()
    expect(summary).toMatchObject({ removed: 5, parts: { copy: 0, index: 0 } })
    const bare = Object.keys(await contentsOf(join(cwd, 'out')))
    expect(
      bare.filter(path => !/^(?:files\/|skillshelf\.json$|[0-9a-f]{16}\.seg$)/.test(path)),
    ).toEqual([`${COPIES}/a/mine.txt`, `${COPIES}/notes.txt`])
    expect(await readdir(join(cwd, 'out/.well-known'))).toEqual(['skills'])
  })

  it('[BY-5] [BY-9] publishes for older clients with --legacy only, and removes the copies of earlier packs', async () => {
    const theirs = { [`${COPIES}/index.json`]: '{"skills":[]}', [`${COPIES}/b/SKILL.md`]: 'mine' }
    const foreign = Object.fromEntries(
      Object.entries(theirs).map(([path, text]) => [`other/${path}`, text]),
    )
    const cwd = temporaryFolder({ ...two, ...foreign })
    expect((await pack(cwd)).out).toMatch(/: 2 for v0\.2 clients, 2 for older clients \(v0\.1\)\n$/)
    expect(await readdir(join(cwd, 'out', COPIES))).toEqual(['a', 'b', 'index.json'])
    expect((await cli(['pack', '--out', 'out'], { cwd })).out).toMatch(/: 2 for v0\.2 clients\n$/)
    expect(await readdir(join(cwd, 'out/.well-known'))).toEqual(['agent-skills'])
    expect((await cli(['pack', '--out', 'other'], { cwd })).code).toBe(0)
    expect(await contentsOf(join(cwd, 'other'))).toMatchObject(theirs)
  })

  it('[CARD-5] --legacy with --no-well-known is an error', async () => {
    const cwd = temporaryFolder(two)
    const argv = ['pack', '--out', 'out', '--legacy', '--no-well-known']
    await expectRefusal('`--legacy` and `--no-well-known` exclude each other', argv, { cwd })
    expect(await readdir(cwd)).toEqual(['skills'])
  })

  it('[BY-5] removes files that --keep-old kept or an interrupted pack left', async () => {
    const cwd = temporaryFolder(two)
    await pack(cwd)
    await rm(join(cwd, 'skills/a/scripts'), { recursive: true })
    await pack(cwd, '--keep-old')
    expect(Object.keys(await contentsOf(join(cwd, 'out', COPIES)))).toContain('a/scripts/a.py')
    // The pack fails halfway: a folder is where a copy must go.
    writeFiles(cwd, { 'skills/a/new.txt': 'new', 'skills/b/x.txt': 'x' })
    await mkdir(join(cwd, 'out', COPIES, 'b/x.txt/in-the-way'), { recursive: true })
    const before = await readFile(join(cwd, 'out', SITE), 'utf8')
    expect((await pack(cwd)).code).toBe(2)
    expect(Object.keys(await contentsOf(join(cwd, 'out', COPIES)))).toContain('a/new.txt')
    expect(await readFile(join(cwd, 'out', SITE), 'utf8')).toBe(before)

    await rm(join(cwd, 'skills/a/new.txt'))
    await rm(join(cwd, 'out', COPIES, 'b/x.txt'), { recursive: true })
    await pack(cwd)
    await pack(cwd, '--out', 'fresh')
    expect(await contentsOf(join(cwd, 'out'))).toEqual(await contentsOf(join(cwd, 'fresh')))
  })

  it('[BY-5] replaces a file with a folder, and a folder with a file', async () => {
    const cwd = temporaryFolder({ ...two, 'skills/a/x': 'file', 'skills/a/y/z/w.txt': 'folder' })
    await pack(cwd)
    await rm(join(cwd, 'skills/a/x'))
    await rm(join(cwd, 'skills/a/y'), { recursive: true })
    writeFiles(cwd, { 'skills/a/x/in/file.txt': 'folder', 'skills/a/y': 'file' })
    expect(await pack(cwd)).toMatchObject({ code: 0, err: '' })
    await pack(cwd, '--out', 'fresh')
    expect(await contentsOf(join(cwd, 'out'))).toEqual(await contentsOf(join(cwd, 'fresh')))
  })

  it('[BY-9] keeps a copy that was changed by others', async () => {
    const cwd = temporaryFolder(two)
    await pack(cwd)
    await writeFile(join(cwd, 'out', COPIES, 'a/scripts/a.py'), 'mine')
    await rm(join(cwd, 'skills/a'), { recursive: true })
    await pack(cwd)
    expect(await contentsOf(join(cwd, 'out', COPIES, 'a'))).toEqual({ 'scripts/a.py': 'mine' })
    // The changed file no longer belongs to pack.
    writeFiles(cwd, two)
    expect((await pack(cwd)).err).toContain('a.py in --out was not written by pack')
  })

  it.each([
    [`${COPIES}/index.json`, 'without --legacy', []],
    [SITE, 'with --no-well-known', ['--no-well-known']],
  ])(
    '[BY-9] does not overwrite a foreign %s, and advises to pack %s',
    async (index, advice, options) => {
      const cwd = temporaryFolder({ ...two, [`out/${index}`]: '{"skills":[]}' })
      const says = new RegExp(`index\\.json in --out was not written by pack\\n.* ${advice}\\n`)
      expect(await pack(cwd)).toMatchObject({ code: 2, err: expect.stringMatching(says) })
      expect(await contentsOf(join(cwd, 'out'))).toEqual({ [index]: '{"skills":[]}' })
      expect((await cli(['pack', '--out', 'out', ...options], { cwd })).code).toBe(0)
      expect(await readFile(join(cwd, 'out', index), 'utf8')).toBe('{"skills":[]}')
    },
  )

  it('[BY-9] does not overwrite a foreign copy', async () => {
    const cwd = temporaryFolder({ ...two, [`out/${COPIES}/b/SKILL.md`]: 'mine' })
    expect((await pack(cwd)).err).toContain('b/SKILL.md in --out was not written by pack')
    expect(await readFile(join(cwd, 'out', COPIES, 'b/SKILL.md'), 'utf8')).toBe('mine')
    expect(await readdir(join(cwd, 'out'))).not.toContain('skillshelf.json')
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

  it('[BY-9] writes and removes nothing through a link that leaves --out', async () => {
    const cwd = temporaryFolder({ ...two, 'elsewhere/a/SKILL.md': two['skills/a/SKILL.md'] })
    await mkdir(join(cwd, 'out'))
    await symlink(join(cwd, 'elsewhere'), join(cwd, 'out/.well-known'))
    expect((await pack(cwd)).err).toContain('a link that leaves --out')
    await rm(join(cwd, 'out/.well-known'))

    await pack(cwd)
    await rm(join(cwd, 'out', COPIES, 'a'), { recursive: true })
    await symlink(join(cwd, 'elsewhere/a'), join(cwd, 'out', COPIES, 'a'))
    await rm(join(cwd, 'skills/a'), { recursive: true })
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
