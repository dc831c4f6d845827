import { mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestOf, shortDigest } from '../../src/core/digest.js'
import { openOutputFolder } from '../../src/tools/cli/pack-output.js'
import { writeFiles } from '../folders.js'
import { cli, contentsOf, expectRefusal, skill, temporaryFolder, two } from './cli-world.js'

const filesIn = async (folder: string): Promise<string[]> => Object.keys(await contentsOf(folder))

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

describe('skillshelf pack', () => {
  it('writes a library that opens, and prints a summary', async () => {
    const cwd = temporaryFolder(two)
    const ran = await cli(['pack', '--out', 'out/deep'], { cwd })
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toMatch(
      /^Packed 2 skills with 3 files into out\/deep\n11 packed files, [\d.]+ kB: 11 written, 0 unchanged, 0 removed\n {2}catalog .+, segments .+, files .+, archives .+, indexes .+\nPublished as well-known skills: 2 for v0\.2 clients\n$/,
    )
    const bare = await cli(['pack', '--out', 'bare', '--no-well-known'], { cwd })
    expect(bare.out).toMatch(
      /^Packed 2 skills with 3 files into bare\n7 packed files, [\d.]+ kB: 7 written, 0 unchanged, 0 removed\n {2}catalog [^,]+, segments [^,]+, files [^,]+\n$/,
    )
    for (const file of await filesIn(join(cwd, 'bare')))
      expect(file).toMatch(/^(?:skillshelf\.json|[0-9a-f]{16}\.seg|files\/[0-9a-f]{16}\.\w+)$/)
    expect(
      (await cli(['show', 'a', '--skills', 'out/deep', '--file', 'scripts/a.py'], { cwd })).out,
    ).toBe('print(1)')
  })

  it('prints JSON and names the library in the catalog', async () => {
    const cwd = temporaryFolder(two)
    const { summary } = (
      await cli(['pack', '--out', 'out', '--name', 'team', '--json'], { cwd })
    ).json()
    expect(summary).toMatchObject({
      found: 2,
      skills: 2,
      leftOut: 0,
      files: 3,
      kept: 0,
      removed: 0,
    })
    expect(JSON.parse(await readFile(join(cwd, 'out/skillshelf.json'), 'utf8')).name).toBe('team')
  })

  it('[BY-5] removes the unfinished files of a pack that was killed, and no others', async () => {
    const cwd = temporaryFolder(two)
    const out = join(cwd, 'out')
    await cli(['pack', '--out', 'out'], { cwd })
    const packed = await filesIn(out)
    const unfinished = [
      ...packed,
      'files/0123456789abcdef.md',
      '0123456789abcdef.seg',
      '.skillshelf-pack',
    ]
    for (const [index, file] of unfinished.entries())
      await writeFile(join(out, `${file}.${3_000_000_000 + index}`), 'half')
    const others = [
      'photo.20261124',
      'files/report.1234567',
      'skillshelf.json.1',
      '_headers.bak',
      'notes/a.123456',
    ]
    await mkdir(join(out, 'notes'))
    for (const file of others) await writeFile(join(out, file), 'mine')
    const { summary } = (await cli(['pack', '--out', 'out', '--json'], { cwd })).json()
    expect(summary).toMatchObject({ written: 0, removed: unfinished.length })
    expect((await filesIn(out)).sort()).toEqual([...packed, ...others].sort())
  })

  it('[BY-5] writes the same files again, only changed ones, and removes unused ones', async () => {
    const cwd = temporaryFolder(two)
    const pack = async (...more: string[]): Promise<Record<string, number>> =>
      (await cli(['pack', '--out', 'out', '--json', ...more], { cwd })).json().summary
    const first = await pack()
    expect(first).toMatchObject({ kept: 0, removed: 0 })
    const total = first['written'] as number
    const old = new Date('2001-02-03')
    for (const file of await filesIn(join(cwd, 'out')))
      await utimes(join(cwd, 'out', file), old, old)

    expect(await pack()).toMatchObject({ written: 0, kept: total, removed: 0 })
    for (const file of await filesIn(join(cwd, 'out')))
      expect((await stat(join(cwd, 'out', file))).mtime).toEqual(old)

    // A new body changes the text, the segment and the catalog,
    await writeFile(
      join(cwd, 'skills/b/SKILL.md'),
      skill('b', 'Bakes bread.', 'Knead for ten minutes.\n'),
    )
    // and also the well-known index with its digest, and the hosting rules with the name of the segment.
    expect(await pack()).toMatchObject({ written: 5, kept: total - 5, removed: 2 })
    expect(await filesIn(join(cwd, 'out'))).toHaveLength(total + 1)

    await rm(join(cwd, 'skills/b'), { recursive: true })
    expect(await pack('--keep-old')).toMatchObject({ removed: 0 })
    expect((await pack())['removed']).toBeGreaterThan(0)
    expect((await cli(['list', '--skills', 'out', '--json'], { cwd })).json().skills).toMatchObject(
      [{ name: 'a' }],
    )
  })

  it('[BY-5] writes truncated files again', async () => {
    const cwd = temporaryFolder(two)
    await cli(['pack', '--out', 'out'], { cwd })
    const before = await contentsOf(join(cwd, 'out'))
    // The manifest must stay intact, and changed hosting files count as somebody else's.
    const others = Object.keys(before).filter(
      file => !['.skillshelf-pack', '_headers', '.nojekyll'].includes(file),
    )
    for (const file of others) {
      const whole = await readFile(join(cwd, 'out', file))
      await writeFile(join(cwd, 'out', file), whole.subarray(0, whole.length / 2))
    }
    await cli(['pack', '--out', 'out'], { cwd })
    expect(await contentsOf(join(cwd, 'out'))).toEqual(before)
  })

  it('[BY-9] removes only files of earlier packs', async () => {
    const name = (text: string): string => shortDigest(digestOf(text))
    const cwd = temporaryFolder({
      ...two,
      'out/index.html': 'mine',
      'out/files/notes.txt': 'mine',
      'out/files/0123456789abcdef/inner.md': 'mine',
      'out/0123456789abcdef.json': 'mine',
      'out/sub/0123456789abcdef.seg': 'mine',
      // Named like packed files, but their content does not match the name.
      'out/files/0123456789abcdef.md': 'mine',
      'out/0123456789abcdef.seg': 'mine',
      // Named by its digest, but not in the way pack names files.
      [`out/${name('mine')}.html`]: 'mine',
      [`out/files/${name('old')}.md`]: 'old',
      [`out/${name('old')}.seg`]: 'old',
    })
    expect((await cli(['pack', '--out', 'out', '--json'], { cwd })).json().summary.removed).toBe(2)
    const left = await contentsOf(join(cwd, 'out'))
    expect(Object.values(left).filter(text => text === 'mine')).toHaveLength(8)
    expect(Object.values(left)).not.toContain('old')
  })

  it.each([
    '{"private":"settings"}',
    '{"format":"mine"}',
    '["skillshelf/1"]',
    'mine\n',
    '// mine\n{"format":"skillshelf/1"}',
  ])('[BY-9] does not overwrite a foreign skillshelf.json: %s', async text => {
    const cwd = temporaryFolder({ ...two, 'out/skillshelf.json': text })
    await expectRefusal('was not written by pack', ['pack', '--out', 'out'], { cwd })
    expect(await contentsOf(join(cwd, 'out'))).toEqual({ 'skillshelf.json': text })
  })

  const CUT = [
    '',
    '{"form',
    '{"format":"skillshelf/1","name":"skil',
    '{ "format": "skillshelf/2" }',
  ]
  it.each(CUT)(
    '[BY-5] replaces a catalog that is truncated or of another version: %s',
    async text => {
      const cwd = temporaryFolder({ ...two, 'out/skillshelf.json': text })
      expect(await cli(['pack', '--out', 'out'], { cwd })).toMatchObject({ code: 0, err: '' })
      expect(
        JSON.parse(await readFile(join(cwd, 'out/skillshelf.json'), 'utf8')).skills,
      ).toHaveLength(2)
    },
  )

  it.each(['', ' '])('[BY-9] rejects an empty --out and writes nothing: "%s"', async out => {
    const cwd = temporaryFolder(two)
    expect(await cli(['pack', 'skills', '--out', out], { cwd })).toMatchObject({
      code: 2,
      out: '',
      err: 'skillshelf: `--out` is empty\n  give the output folder; check whether a shell variable is unset\n',
    })
    expect(await readdir(cwd)).toEqual(['skills'])
  })

  // Opens the folder only: a pack that is not refused would write into the root.
  it('[BY-9] refuses the root of the file system as --out', async () => {
    const cwd = temporaryFolder(two)
    await expect(openOutputFolder(parse(cwd).root, join(cwd, 'skills'))).rejects.toMatchObject({
      message: expect.stringMatching(/^--out .+ is the root of the file system/),
    })
  })

  it('[BY-9] refuses to pack into the packed folder, also through a link', async () => {
    const cwd = temporaryFolder({ ...two, 'all/files/a/SKILL.md': skill('a', 'Mends bicycles.') })
    await symlink(join(cwd, 'skills'), join(cwd, 'link'))
    const before = await contentsOf(cwd)
    for (const out of ['skills', 'skills/out', './skills/../skills/a', 'link', 'link/out'])
      await expectRefusal('the folder that is packed', ['pack', 'skills', '--out', out], { cwd })
    expect((await cli(['pack', 'all/files', '--out', 'all'], { cwd })).code).toBe(2)
    expect(await contentsOf(cwd)).toEqual(before)
    expect((await cli(['pack', 'skills', '--out', '.'], { cwd })).code).toBe(0)
  })

  it('[BY-9] writes nothing through a link that leaves', async () => {
    const mine = {
      'elsewhere/0123456789abcdef.md': 'mine',
      'victim.json': '{"format":"skillshelf/1"}',
    }
    const cwd = temporaryFolder({ ...two, ...mine })
    await mkdir(join(cwd, 'out'))
    await symlink(join(cwd, 'elsewhere'), join(cwd, 'out/files'))
    await expectRefusal('a link that leaves', ['pack', '--out', 'out'], { cwd })
    expect(await filesIn(join(cwd, 'elsewhere'))).toEqual(['0123456789abcdef.md'])

    await rm(join(cwd, 'out/files'))
    await symlink(join(cwd, 'victim.json'), join(cwd, 'out/skillshelf.json'))
    expect((await cli(['pack', '--out', 'out'], { cwd })).code).toBe(0)
    expect(await readFile(join(cwd, 'victim.json'), 'utf8')).toBe('{"format":"skillshelf/1"}')
  })

  it('[BY-9] refuses a packed file whose path leaves --out', async () => {
    const cwd = temporaryFolder(two)
    const out = await openOutputFolder(join(cwd, 'out'), join(cwd, 'skills'))
    for (const path of [
      '../evil.md',
      '/tmp/evil.md',
      'files/../../evil.md',
      'files\\..\\evil.md',
      '..%2fevil.md',
      '',
    ])
      await expect(out.write({ path, bytes: bytes('evil'), part: 'index' })).rejects.toThrow(
        /leaves --out/,
      )
    expect(await readdir(cwd)).toEqual(['skills'])
  })

  it('keeps the existing library if the folder has no usable skill', async () => {
    const cwd = temporaryFolder(two)
    await cli(['pack', '--out', 'out'], { cwd })
    const before = await contentsOf(join(cwd, 'out'))
    await rm(join(cwd, 'skills/a'), { recursive: true })
    await writeFile(join(cwd, 'skills/b/SKILL.md'), '')
    await expectRefusal('No usable skill in skills', ['pack', '--out', 'out'], { cwd })
    expect(await contentsOf(join(cwd, 'out'))).toEqual(before)
  })

  it('writes no catalog and leaves no temporary file if a file cannot be written', async () => {
    const cwd = temporaryFolder(two)
    await cli(['pack', '--out', 'good'], { cwd })
    const [file] = (await filesIn(join(cwd, 'good'))).filter(path =>
      /^files.*\.md$/.test(path),
    ) as [string]
    await mkdir(join(cwd, 'out', file, 'in-the-way'), { recursive: true })
    await expectRefusal(/^skillshelf: Cannot use .*: /, ['pack', '--out', 'out'], { cwd })
    expect(await filesIn(join(cwd, 'out'))).not.toContain('skillshelf.json')
    expect((await filesIn(join(cwd, 'out'))).filter(path => /\.\d+$/.test(path))).toEqual([])
  })

  it('prints the reasons why skills were left out, or their number', async () => {
    const cwd = temporaryFolder({ ...two, 'skills/c/SKILL.md': '' })
    const { out } = await cli(['pack', '--out', 'out'], { cwd })
    expect(out).toContain('1 SKILL.md file left out\n  c/SKILL.md was left out: the file is empty')
    for (let at = 0; at < 12; at++) writeFiles(cwd, { [`skills/n${at}/SKILL.md`]: '' })
    const many = await cli(['pack', '--out', 'out'], { cwd })
    expect(many.out).toContain(
      '13 SKILL.md files left out\n  see the 13 reasons with: skillshelf validate skills\n',
    )
  })

  it('[OS-9] leaves out skills without their own description with --strict', async () => {
    const cwd = temporaryFolder({
      ...two,
      'skills/c/SKILL.md': '---\nname: c\n---\n\nPaints walls.\n',
    })
    expect((await cli(['pack', '--out', 'lax', '--json'], { cwd })).json().summary.skills).toBe(3)
    const strict = await cli(['pack', '--out', 'out', '--strict'], { cwd })
    expect(strict).toMatchObject({
      code: 1,
      out: expect.stringContaining('c/SKILL.md was left out'),
    })
    expect((await cli(['pack', '--out', 'lax'], { cwd })).code).toBe(0)
    const { skills } = (await cli(['list', '--skills', 'out', '--json'], { cwd })).json()
    expect(skills.map(({ name }: { name: string }) => name)).toEqual(['a', 'b'])
  })

  it('refuses to pack a packed library, and to pack into a file', async () => {
    const cwd = temporaryFolder({ ...two, file: 'x' })
    await cli(['pack', '--out', 'out'], { cwd })
    expect((await cli(['pack', 'out', '--out', 'again'], { cwd })).err).toContain(
      'is packed already',
    )
    expect((await cli(['pack', '--out', 'file'], { cwd })).err).toContain('--out')
    expect((await cli(['pack', '--out', 'file/in'], { cwd })).code).toBe(2)
  })
})
