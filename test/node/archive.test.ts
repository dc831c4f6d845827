import { execFileSync, spawnSync } from 'node:child_process'
import {
  createReadStream,
  openAsBlob,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { SkillSource } from '../../src/exports/index.js'
import { archive, writeArchive } from '../../src/exports/sources.js'
import { fails } from '../fails.js'
import { temporaryFolder } from '../folders.js'
import { readText as textOf } from '../read-text.js'

// Archives written by real tools: tar, zip and Python.

const has = (tool: string): boolean =>
  spawnSync(tool, ['--version'], { stdio: 'ignore' }).error === undefined

const LONG = `skills/${'a-long-folder-'.repeat(9)}/${'a-long-name-'.repeat(12)}.md`
const FILES: Readonly<Record<string, string>> = {
  'skills/slides/SKILL.md':
    '---\nname: slides\ndescription: Makes slides.\n---\nOne idea a slide.\n',
  'skills/slides/assets/bytes.bin': Array.from({ length: 5_000 }, (_, index) =>
    String.fromCharCode(index % 128),
  ).join(''),
  'skills/slides/empty.txt': '',
  'skills/调研/SKILL.md': '---\nname: research\ndescription: 市场调研。\n---\n先搜索。\n',
  [LONG]: 'a long way down',
}

/** Files whose names fit into a ustar header. */
const { [LONG]: _, ...SHORT } = FILES

function run(tool: string, args: readonly string[], cwd: string): Buffer {
  return execFileSync(tool, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 28 })
}

/** Expects the source to hold exactly these files. `strip` is the prefix that the archive loses. */
async function expectFiles(
  source: SkillSource,
  files: Readonly<Record<string, string>> = FILES,
  strip = 'skills/',
) {
  const wanted = Object.fromEntries(
    Object.entries(files).map(([path, content]) => [path.slice(strip.length), content]),
  )
  const listed = ((await source.list?.()) ?? []).filter(
    ({ unreadable }) => unreadable === undefined,
  )
  expect(listed.map(({ path }) => path).sort()).toEqual(Object.keys(wanted).sort())
  for (const [path, content] of Object.entries(wanted)) {
    expect(await textOf(source, path), path).toBe(content)
  }
}

describe.skipIf(!has('tar'))('tar', () => {
  const gnu = has('tar') && /GNU tar/.test(String(spawnSync('tar', ['--version']).stdout))
  for (const format of ['gnu', 'posix', 'oldgnu']) {
    for (const gz of [true, false])
      it.skipIf(!gnu)(
        `[CARD-1] archive reads what tar --format=${format} ${gz ? '-z ' : ''}wrote`,
        async () => {
          const folder = temporaryFolder(FILES)
          run('tar', [gz ? '-czf' : '-cf', 'x.tar', `--format=${format}`, 'skills'], folder)
          await expectFiles(archive(readFileSync(join(folder, 'x.tar'))))
          await expectFiles(archive(await openAsBlob(join(folder, 'x.tar'))))
          const stream = Readable.toWeb(createReadStream(join(folder, 'x.tar')))
          await expectFiles(archive(stream as ReadableStream<Uint8Array>))
        },
      )
  }

  for (const format of ['ustar', 'v7'])
    it.skipIf(!gnu)(
      `[CARD-1] archive reads what tar --format=${format} wrote, with short names`,
      async () => {
        const folder = temporaryFolder(SHORT)
        run('tar', ['-czf', 'x.tar', `--format=${format}`, './skills'], folder)
        await expectFiles(archive(readFileSync(join(folder, 'x.tar'))), SHORT)
      },
    )

  it('[BY-9] archive lists links, hard links and pipes of a tar and does not follow them', async () => {
    const folder = temporaryFolder(FILES)
    symlinkSync('/etc/passwd', join(folder, 'skills/slides/link'))
    symlinkSync('../..', join(folder, 'skills/slides/up'))
    run('ln', ['skills/slides/empty.txt', 'skills/slides/zz-hard.txt'], folder)
    run('mkfifo', ['skills/slides/pipe'], folder)
    run('tar', ['-czf', 'x.tgz', '--sort=name', 'skills'], folder)
    const source = archive(readFileSync(join(folder, 'x.tgz')))
    await expectFiles(source)
    const left = ((await source.list?.()) ?? []).filter(
      ({ unreadable }) => unreadable !== undefined,
    )
    expect(left.map(({ path, unreadable }) => `${path}: ${unreadable}`).sort()).toEqual([
      'slides/link: it is a link',
      'slides/pipe: it is a pipe',
      'slides/up: it is a link',
      'slides/zz-hard.txt: it is a hard link',
    ])
    for (const { path } of left) expect(await source.read(path)).toBeUndefined()
  })

  for (const format of ['gnu', 'posix'])
    it.skipIf(!gnu)(`[BY-9] archive rejects a sparse file of --format=${format}`, async () => {
      const folder = temporaryFolder({ 'a/SKILL.md': 'x', 'a/b.txt': 'y' })
      writeFileSync(join(folder, 'a/sparse.bin'), 'start')
      truncateSync(join(folder, 'a/sparse.bin'), 10_000_000)
      run('tar', ['-cf', 'x.tar', '--sparse', `--format=${format}`, 'a'], folder)
      await fails(archive(readFileSync(join(folder, 'x.tar'))).list?.(), 'unsupported', /sparse/)
    })

  it('[BY-9] archive skips names that leave a real tar', async () => {
    const folder = temporaryFolder({ 'in/SKILL.md': 'x', 'secret.md': 'secret' })
    run(
      'tar',
      ['-cPf', 'x.tar', 'SKILL.md', '../secret.md', join(folder, 'secret.md')],
      join(folder, 'in'),
    )
    await expectFiles(archive(readFileSync(join(folder, 'in/x.tar'))), { 'SKILL.md': 'x' }, '')
  })

  it('[BY-5] tar extracts an archive of writeArchive', async () => {
    const folder = temporaryFolder()
    const short: Record<string, string> = { ...SHORT, 'SKILL.md': 'first', 'a.txt': 'x' }
    writeFileSync(join(folder, 'x.tgz'), await writeArchive(short, { format: 'tar.gz' }))
    run('gzip', ['-t', 'x.tgz'], folder)
    const listed = String(run('tar', ['-tzf', 'x.tgz', '--quoting-style=literal'], folder))
    const others = Object.keys(short).filter(path => path !== 'SKILL.md')
    expect(listed.trim().split('\n')).toEqual(['SKILL.md', ...others.sort()])
    run('tar', ['-xzf', 'x.tgz'], folder)
    for (const [path, content] of Object.entries(short))
      expect(readFileSync(join(folder, path), 'utf8')).toBe(content)
  })
})

describe.skipIf(!has('zip'))('zip', () => {
  it.each(['-qr', '-qr0', '-qr9', '-qrfd', '-qrfz'])(
    '[CARD-1] archive reads what zip %s wrote',
    async flags => {
      const folder = temporaryFolder(FILES)
      run('zip', [flags, 'x.zip', 'skills'], folder)
      await expectFiles(archive(readFileSync(join(folder, 'x.zip'))))
      await expectFiles(archive(await openAsBlob(join(folder, 'x.zip'))))
    },
  )

  it('[CARD-1] archive reads a zip written to a pipe', async () => {
    const folder = temporaryFolder(FILES)
    await expectFiles(archive(new Uint8Array(run('zip', ['-qr', '-', 'skills'], folder))))
  })

  it('[BY-9] archive lists links of a zip and does not follow them', async () => {
    const folder = temporaryFolder(FILES)
    symlinkSync('/etc/passwd', join(folder, 'skills/slides/link'))
    run('zip', ['-qry', 'x.zip', 'skills'], folder)
    const source = archive(readFileSync(join(folder, 'x.zip')))
    await expectFiles(source)
    expect(await source.list?.()).toContainEqual({
      path: 'slides/link',
      unreadable: 'it is a link',
    })
    expect(await source.read('slides/link')).toBeUndefined()
  })

  it('[BY-9] archive rejects a zip with a password', async () => {
    const folder = temporaryFolder(FILES)
    run('zip', ['-qr', '-P', 'secret', 'x.zip', 'skills'], folder)
    await fails(
      archive(readFileSync(join(folder, 'x.zip'))).list?.(),
      'unsupported',
      /encrypted.*without a password/,
    )
  })

  it.skipIf(!has('unzip'))('[BY-5] unzip extracts an archive of writeArchive', async () => {
    const folder = temporaryFolder()
    const files = { ...FILES, 'SKILL.md': 'first' }
    writeFileSync(join(folder, 'x.zip'), await writeArchive(files, { format: 'zip' }))
    run('unzip', ['-qt', 'x.zip'], folder)
    run('unzip', ['-q', 'x.zip'], folder)
    for (const [path, content] of Object.entries(files))
      expect(readFileSync(join(folder, path), 'utf8')).toBe(content)
  })
})

describe.skipIf(!has('python3'))('python', () => {
  const write = (body: string): Uint8Array => {
    const folder = temporaryFolder({ 'make.py': `import zipfile, tarfile, io, sys\n${body}` })
    run('python3', ['make.py'], folder)
    return readFileSync(join(folder, 'x'))
  }

  it('[CARD-1] archive reads zip64 written by zipfile', async () => {
    const bytes = write(`
with zipfile.ZipFile('x', 'w', zipfile.ZIP_DEFLATED) as z:
    for name in ['a/SKILL.md', 'b/技能.md']:
        with z.open(name, 'w', force_zip64=True) as f:
            f.write(name.encode() * 100)`)
    const files = Object.fromEntries(
      ['a/SKILL.md', 'b/技能.md'].map(name => [name, name.repeat(100)]),
    )
    await expectFiles(archive(bytes), files, '')
  })

  it('[CARD-1] archive reads PAX headers of tarfile with times and owners', async () => {
    const bytes = write(`
with tarfile.open('x', 'w:gz', format=tarfile.PAX_FORMAT) as t:
    info = tarfile.TarInfo('技能/' + 'x' * 200 + '.md'); info.size = 4; info.mtime = 1.5; info.uname = '用户'
    t.addfile(info, io.BytesIO(b'text'))
    t.addfile(tarfile.TarInfo('b.md'))`)
    await expectFiles(archive(bytes), { [`技能/${'x'.repeat(200)}.md`]: 'text', 'b.md': '' }, '')
  })
})

const FORMATS = ['zip', 'tar.gz'] as const

describe('writeArchive', () => {
  it.each(FORMATS)('[BY-5] writeArchive writes the same %s in every time zone', async format => {
    const before = process.env['TZ']
    const seen = new Set<string>()
    try {
      for (const zone of [
        'UTC',
        'Asia/Shanghai',
        'America/Los_Angeles',
        'Pacific/Apia',
        'Asia/Kathmandu',
      ]) {
        process.env['TZ'] = zone
        seen.add(Buffer.from(await writeArchive(SHORT, { format })).toString('base64'))
      }
    } finally {
      if (before === undefined) delete process.env['TZ']
      else process.env['TZ'] = before
    }
    expect(seen.size).toBe(1)
  })
})
