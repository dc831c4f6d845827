import { mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openOutputFolder } from '../../src/cli/pack-output.js'
import { digestOf, shortDigest } from '../../src/core/digest.js'
import { cli, demo, folderOf, skill } from './cli-world.js'

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** What stands in a folder: every file with its bytes. */
async function contentsOf(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const file of await filesIn(folder)) found[file] = await readFile(join(folder, file), 'latin1')
  return found
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const two = {
  'skills/a/SKILL.md': skill('a', 'Mends bicycles.'),
  'skills/a/scripts/a.py': 'print(1)',
  'skills/b/SKILL.md': skill('b', 'Bakes bread.'),
}

describe('skillshelf pack', () => {
  it('writes a library that opens, and says what it did', async () => {
    const cwd = await folderOf(two)
    const ran = await cli(['pack', '--out', 'out/deep'], { cwd })
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toMatch(
      /^2 skills with 3 files packed into out\/deep\n15 packed files, [\d.]+ kB: 15 written, 0 kept, 0 removed\n {2}catalog .+, segments .+, files .+, archives .+, v0\.1 copies .+, indexes .+\npublished as well-known skills: 2 to clients of v0\.2, 2 of v0\.1\n$/,
    )
    const bare = await cli(['pack', '--out', 'bare', '--no-well-known'], { cwd })
    expect(bare.out).toMatch(
      /^2 skills with 3 files packed into bare\n7 packed files, [\d.]+ kB: 7 written, 0 kept, 0 removed\n {2}catalog [^,]+, segments [^,]+, files [^,]+\n$/,
    )
    for (const file of await filesIn(join(cwd, 'bare')))
      expect(file).toMatch(/^(?:skillshelf\.json|[0-9a-f]{16}\.seg|files\/[0-9a-f]{16}\.\w+)$/)
    expect((await cli(['show', 'a', '--skills', 'out/deep', '--file', 'scripts/a.py'], { cwd })).out).toBe('print(1)')
  })

  it('writes down what was packed, and prints JSON', async () => {
    const cwd = await folderOf(two)
    const { summary } = (await cli(['pack', '--out', 'out', '--name', 'team', '--json'], { cwd })).json()
    expect(summary).toMatchObject({ found: 2, skills: 2, leftOut: 0, files: 3, kept: 0, removed: 0 })
    expect(JSON.parse(await readFile(join(cwd, 'out/skillshelf.json'), 'utf8')).name).toBe('team')
  })

  it('[BY-5] a second pack writes only what changed, and removes what is no longer named', async () => {
    const cwd = await folderOf(two)
    const pack = async (...more: string[]): Promise<Record<string, number>> =>
      (await cli(['pack', '--out', 'out', '--json', ...more], { cwd })).json().summary
    const first = await pack()
    expect(first).toMatchObject({ kept: 0, removed: 0 })
    const total = first['written'] as number
    const old = new Date('2001-02-03')
    for (const file of await filesIn(join(cwd, 'out'))) await utimes(join(cwd, 'out', file), old, old)

    expect(await pack()).toMatchObject({ written: 0, kept: total, removed: 0 })
    for (const file of await filesIn(join(cwd, 'out'))) expect((await stat(join(cwd, 'out', file))).mtime).toEqual(old)

    // A new body: its text, its details stay the same; the segment and the catalog follow.
    await writeFile(join(cwd, 'skills/b/SKILL.md'), skill('b', 'Bakes bread.', 'Knead for ten minutes.\n'))
    // So do the copy for v0.1, the index of v0.2, which names its digest, and what hosts are told of the segment.
    expect(await pack()).toMatchObject({ written: 6, kept: total - 6, removed: 2 })
    expect(await filesIn(join(cwd, 'out'))).toHaveLength(total + 1)

    await rm(join(cwd, 'skills/b'), { recursive: true })
    expect(await pack('--keep-old')).toMatchObject({ removed: 0 })
    expect((await pack())['removed']).toBeGreaterThan(0)
    expect((await cli(['list', '--skills', 'out', '--json'], { cwd })).json().skills).toMatchObject([{ name: 'a' }])
  })

  it('[BY-5] a file that was cut off is written again', async () => {
    const cwd = await folderOf(two)
    await cli(['pack', '--out', 'out'], { cwd })
    const before = await contentsOf(join(cwd, 'out'))
    // What pack knows its own files by it must find; the rules for hosts may be somebody's by now.
    const others = Object.keys(before).filter(file => !['.skillshelf-pack', '_headers', '.nojekyll'].includes(file))
    for (const file of others) {
      const whole = await readFile(join(cwd, 'out', file))
      await writeFile(join(cwd, 'out', file), whole.subarray(0, whole.length / 2))
    }
    await cli(['pack', '--out', 'out'], { cwd })
    expect(await contentsOf(join(cwd, 'out'))).toEqual(before)
  })

  it('[BY-9] removes only files of earlier packs', async () => {
    const name = (text: string): string => shortDigest(digestOf(text))
    const cwd = await folderOf({
      ...two,
      'out/index.html': 'mine',
      'out/files/notes.txt': 'mine',
      'out/files/0123456789abcdef/inner.md': 'mine',
      'out/0123456789abcdef.json': 'mine',
      'out/sub/0123456789abcdef.seg': 'mine',
      // Named like ours by another tool: their bytes say that they are not.
      'out/files/0123456789abcdef.md': 'mine',
      'out/0123456789abcdef.seg': 'mine',
      // Named by its bytes, but not as a pack names its files.
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
  ])('[BY-9] overwrites no skillshelf.json that is not its own: %s', async text => {
    const cwd = await folderOf({ ...two, 'out/skillshelf.json': text })
    expect(await cli(['pack', '--out', 'out'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('was not written by pack'),
    })
    expect(await contentsOf(join(cwd, 'out'))).toEqual({ 'skillshelf.json': text })
  })

  it.each(['', '{"form', '{"format":"skillshelf/1","name":"skil', '{ "format": "skillshelf/2" }'])(
    '[BY-5] writes a catalog anew that was cut off, or is of another version: %s',
    async text => {
      const cwd = await folderOf({ ...two, 'out/skillshelf.json': text })
      expect(await cli(['pack', '--out', 'out'], { cwd })).toMatchObject({ code: 0, err: '' })
      expect(JSON.parse(await readFile(join(cwd, 'out/skillshelf.json'), 'utf8')).skills).toHaveLength(2)
    },
  )

  it.each(['', ' '])('[BY-9] an empty --out is an error, and nothing is written: "%s"', async out => {
    const cwd = await folderOf(two)
    expect(await cli(['pack', 'skills', '--out', out], { cwd })).toMatchObject({
      code: 2,
      out: '',
      err: 'skillshelf: --out is empty\n  give the folder to write; is a variable not set?\n',
    })
    expect(await readdir(cwd)).toEqual(['skills'])
  })

  it('[BY-9] refuses to pack into the folder that is packed, also behind a link', async () => {
    const cwd = await folderOf({ ...two, 'all/files/a/SKILL.md': skill('a', 'Mends bicycles.') })
    await symlink(join(cwd, 'skills'), join(cwd, 'link'))
    const before = await contentsOf(cwd)
    for (const out of ['skills', 'skills/out', './skills/../skills/a', 'link', 'link/out'])
      expect(await cli(['pack', 'skills', '--out', out], { cwd })).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining('the folder that is packed'),
      })
    expect((await cli(['pack', 'all/files', '--out', 'all'], { cwd })).code).toBe(2)
    expect(await contentsOf(cwd)).toEqual(before)
    expect((await cli(['pack', 'skills', '--out', '.'], { cwd })).code).toBe(0)
  })

  it('[BY-9] writes nothing through a link that leaves --out', async () => {
    const cwd = await folderOf({
      ...two,
      'elsewhere/0123456789abcdef.md': 'mine',
      'victim.json': '{"format":"skillshelf/1"}',
    })
    await mkdir(join(cwd, 'out'))
    await symlink(join(cwd, 'elsewhere'), join(cwd, 'out/files'))
    expect(await cli(['pack', '--out', 'out'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('a link that leaves --out'),
    })
    expect(await filesIn(join(cwd, 'elsewhere'))).toEqual(['0123456789abcdef.md'])

    await rm(join(cwd, 'out/files'))
    await symlink(join(cwd, 'victim.json'), join(cwd, 'out/skillshelf.json'))
    expect((await cli(['pack', '--out', 'out'], { cwd })).code).toBe(0)
    expect(await readFile(join(cwd, 'victim.json'), 'utf8')).toBe('{"format":"skillshelf/1"}')
  })

  it('[BY-9] refuses an output whose path leaves the folder', async () => {
    const cwd = await folderOf(two)
    const out = await openOutputFolder(join(cwd, 'out'), join(cwd, 'skills'))
    for (const path of ['../evil.md', '/tmp/evil.md', 'files/../../evil.md', 'files\\..\\evil.md', '..%2fevil.md', ''])
      await expect(out.put({ path, bytes: bytes('evil'), part: 'copy' })).rejects.toThrow(/outside --out/)
    expect(await readdir(cwd)).toEqual(['skills'])
  })

  it('keeps the library that is there when the folder holds no skill any more', async () => {
    const cwd = await folderOf(two)
    await cli(['pack', '--out', 'out'], { cwd })
    const before = await contentsOf(join(cwd, 'out'))
    await rm(join(cwd, 'skills/a'), { recursive: true })
    await writeFile(join(cwd, 'skills/b/SKILL.md'), '')
    expect(await cli(['pack', '--out', 'out'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('no skill that can be used'),
    })
    expect(await contentsOf(join(cwd, 'out'))).toEqual(before)
  })

  it('writes no catalog when a file cannot be written, and leaves no draft behind', async () => {
    const cwd = await folderOf(two)
    await cli(['pack', '--out', 'good'], { cwd })
    const [file] = (await filesIn(join(cwd, 'good'))).filter(path => /^files.*\.md$/.test(path)) as [string]
    await mkdir(join(cwd, 'out', file, 'in-the-way'), { recursive: true })
    expect(await cli(['pack', '--out', 'out'], { cwd })).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/^skillshelf: .* cannot be used: /),
    })
    expect(await filesIn(join(cwd, 'out'))).not.toContain('skillshelf.json')
    expect((await filesIn(join(cwd, 'out'))).filter(path => path.endsWith('.tmp'))).toEqual([])
  })

  it('names what it left out; the reasons are few or counted', async () => {
    const cwd = await folderOf({ ...two, 'skills/c/SKILL.md': '' })
    const { out } = await cli(['pack', '--out', 'out'], { cwd })
    expect(out).toContain('1 SKILL.md left out\n  c/SKILL.md was left out: the file is empty')
    for (let at = 0; at < 12; at++) {
      await mkdir(join(cwd, `skills/n${at}`))
      await writeFile(join(cwd, `skills/n${at}/SKILL.md`), '')
    }
    const many = await cli(['pack', '--out', 'out'], { cwd })
    expect(many.out).toContain('13 SKILL.md files left out\n  for the 13 reasons see: skillshelf validate skills\n')
  })

  it('[OS-9] with --strict leaves out skills without a description of their own', async () => {
    const cwd = await folderOf({ ...two, 'skills/c/SKILL.md': '---\nname: c\n---\n\nPaints walls.\n' })
    expect((await cli(['pack', '--out', 'lax', '--json'], { cwd })).json().summary.skills).toBe(3)
    const strict = await cli(['pack', '--out', 'out', '--strict'], { cwd })
    expect(strict.out).toContain('c/SKILL.md was left out')
    const { skills } = (await cli(['list', '--skills', 'out', '--json'], { cwd })).json()
    expect(skills.map(({ name }: { name: string }) => name)).toEqual(['a', 'b'])
  })

  it('does not pack a packed library, nor into a file', async () => {
    const cwd = await folderOf({ ...two, file: 'x' })
    await cli(['pack', '--out', 'out'], { cwd })
    expect((await cli(['pack', 'out', '--out', 'again'], { cwd })).err).toContain('is a packed library already')
    expect((await cli(['pack', '--out', 'file'], { cwd })).err).toContain('--out')
    expect((await cli(['pack', '--out', 'file/in'], { cwd })).code).toBe(2)
  })

  it('the same skills give the same bytes', async () => {
    const [one, other] = [await folderOf(), await folderOf()]
    await cli(['pack', demo, '--out', one])
    await cli(['pack', demo, '--out', other])
    expect(await contentsOf(one)).toEqual(await contentsOf(other))
  })
})
