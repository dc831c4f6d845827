import { deflateSync, Gzip, gzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../src/core/bytes.js'
import { isSkillshelfError } from '../../src/exports/index.js'
import {
  type ArchiveLimits,
  type ArchiveOptions,
  archive,
  writeArchive,
} from '../../src/exports/sources.js'
import {
  type Bytes,
  bytesOf,
  pathsOf,
  pax,
  streamOf,
  type TarPart,
  tarHeader,
  tarOf,
  withChecksum,
  type ZipPart,
  zipOf,
} from '../core/archive-world.js'
import { readText as textOf } from '../read-text.js'

const MiB = 1024 * 1024
const SKILL = '---\nname: slides\ndescription: Makes slides.\n---\nOne idea a slide.\n'
const skill = { name: 'slides/SKILL.md', content: SKILL }

/** Expects one error of this code, with a hint. */
async function fails(
  input: Parameters<typeof archive>[0],
  code: string,
  message = /./,
  options: ArchiveOptions = {},
) {
  const error = {
    code,
    details: { hint: expect.any(String) },
    message: expect.stringMatching(message),
  }
  await expect(archive(input, options).list?.()).rejects.toMatchObject(error)
}

describe('names that leave the archive', () => {
  const names = [
    ...'../secret.md slides/../../secret.md /etc/passwd C:/secret.md %2e%2e/secret.md https://example.com/x ..'.split(
      ' ',
    ),
    ...'C:\\secret.md slides\\..\\..\\secret.md ..\\secret.md'.split(' '),
  ]
  it.each(names)('[BY-9] archive skips %s and keeps the other files', async name => {
    const parts = [skill, { name, content: 'x' }]
    const long = tarOf([skill, pax({ path: name }), { name: 'a' }])
    for (const bytes of [zipOf(parts), tarOf(parts), gzipSync(tarOf(parts)), long]) {
      const source = archive(bytes)
      expect(await pathsOf(source)).toEqual(['slides/SKILL.md'])
      expect(await textOf(source, 'slides/SKILL.md')).toBe(SKILL)
    }
  })

  it('[BY-9] archive skips a name with NUL', async () => {
    const evil = 'slides/a.md\0.png'
    const zip = zipOf([skill, { name: evil, content: 'x' }])
    for (const bytes of [zip, tarOf([skill, pax({ path: evil }), { name: 'x' }])])
      expect(await pathsOf(archive(bytes))).toEqual(['slides/SKILL.md'])
  })

  it('[BY-9] archive reports that every name leaves it', async () => {
    const parts = names.map(name => ({ name, content: 'x' }))
    for (const bytes of [zipOf(parts), tarOf(parts)])
      await fails(bytes, 'format', /10 names leave it.*such as "\.\.\/secret\.md".*forward slashes/)
  })
})

describe('entries that are not files', () => {
  const kinds = [
    ['2', 0o120777, 'it is a link'],
    ['1', undefined, 'it is a hard link'],
    ['3', 0o020644, /it is a device/],
    ['4', 0o060644, /it is a device/],
    ['6', 0o010644, /it is a (device or a )?pipe/],
    ['D', undefined, 'it is not a file but of tar type "D"'],
    ['M', undefined, 'it is not a file but of tar type "M"'],
    ['V', undefined, 'it is not a file but of tar type "V"'],
  ] as const
  for (const [type, mode, why] of kinds)
    it(`[BY-9] archive lists tar type ${type}${mode ? ` and zip mode ${mode.toString(8)}` : ''} as unreadable and does not follow it`, async () => {
      const archives: Bytes[] = [
        tarOf([skill, { name: 'slides/x', type, link: '../../etc/passwd' }]),
      ]
      if (mode)
        archives.push(zipOf([skill, { name: 'slides/x', mode, content: '../../etc/passwd' }]))
      for (const bytes of archives) {
        const source = archive(bytes)
        const listed = (await source.list?.()) ?? []
        expect(listed.map(({ path }) => path)).toEqual(['slides/SKILL.md', 'slides/x'])
        expect(listed[1]?.unreadable).toEqual(
          typeof why === 'string' ? why : expect.stringMatching(why),
        )
        expect(await source.read('slides/x')).toBeUndefined()
      }
    })

  it('[BY-9] archive does not list a link whose name leaves it', async () => {
    const parts = [
      { name: 'a/SKILL.md', content: SKILL },
      { name: '../x', type: '2', mode: 0o120777, link: '/etc/passwd' },
    ]
    for (const bytes of [zipOf(parts), tarOf(parts)])
      expect(await pathsOf(archive(bytes))).toEqual(['a/SKILL.md'])
  })
})

describe('broken archives', () => {
  it.each([
    ['ZipCrypto encryption', { flags: 0x801 }],
    ['encryption and a data descriptor', { flags: 0x809 }],
    ['strong encryption', { flags: 0x841 }],
    ['AES', { flags: 0x801, method: 99 }],
  ] satisfies [string, Partial<ZipPart>][])(
    '[BY-9] archive rejects a zip with %s',
    async (_, part) => {
      await fails(
        zipOf([skill, { name: 'a.md', content: 'secret', ...part }]),
        'unsupported',
        /without a password/,
      )
    },
  )

  it.each([1, 6, 9, 12, 14, 93, 95, 98])(
    '[BY-9] archive rejects a zip with compression method %i',
    async method => {
      const bytes = zipOf([{ name: 'a.md', content: 'x', method }])
      await fails(bytes, 'format', new RegExp(`a\\.md.* method ${method} .*deflate`))
    },
  )

  it('[BY-9] archive rejects a part of a split zip', async () => {
    const begin = zipOf([{ name: 'a.md', content: 'x' }]).subarray(0, 40)
    await fails(
      concatBytes([Uint8Array.of(0x50, 0x4b, 7, 8), begin]),
      'unsupported',
      /as a single part/,
    )
  })

  it.each([
    ['a wrong checksum', { crc: 1 }],
    ['a size too small', { size: 3 }],
    ['a size too large', { size: 30 }],
    ['invalid compressed bytes', { raw: Uint8Array.of(7, 7, 7, 7) }],
    ['truncated compressed bytes', { raw: deflateSync(bytesOf('the content')).subarray(0, 5) }],
    ['no compressed bytes', { raw: new Uint8Array() }],
    ['a different method in the local header', { local: { method: 0 } }],
    ['a different size in the local header', { local: { size: 5 } }],
    ['an offset after the end', { offset: 5_000 }],
    ['an offset inside another entry', { offset: 7 }],
  ] satisfies [string, Partial<ZipPart>][])(
    '[BY-9] archive rejects a zip with %s',
    async (_, part) => {
      for (const method of [0, 8]) {
        if (method === 8 || !('raw' in part || 'local' in part))
          await fails(zipOf([{ name: 'a.md', content: 'the content', method, ...part }]), 'format')
      }
    },
  )

  it('[BY-9] archive rejects a zip with overlapping files', async () => {
    const content = 'x'.repeat(1_000)
    const parts = [
      { name: 'a.md', content },
      ...['b', 'c', 'd'].map(name => ({ name, content, offset: 0 })),
    ]
    await fails(zipOf(parts), 'format', /[Oo]verlap/)
  })

  /** More than a block of a tar. */
  const FULL = 'x'.repeat(600)
  it.each([
    ['a wrong checksum', [changed(tarHeader({ name: 'a.md' }), 0), new Uint8Array(1024)]],
    [
      'a size that is not a number',
      [changed(tarHeader({ name: 'a.md' }), 126), new Uint8Array(1024)],
    ],
    ['no end', [tarHeader({ name: 'a.md' })]],
    ['half an end', [tarHeader({ name: 'a.md' }), new Uint8Array(512)]],
    ['half a header', [tarHeader({ name: 'a.md' }).subarray(0, 300)]],
    ['half a file', [tarHeader({ name: 'a.md', size: 2_000 }), new Uint8Array(1024)]],
    ['bytes after the end', [tarOf([{ name: 'a.md', content: 'x' }]), bytesOf('more')]],
    [
      'two sizes for one file',
      [tarOf([pax({ size: '1024' }), { name: 'a.md', content: FULL }, { name: 'b' }])],
    ],
    ['one size for all files', [tarOf([pax({ size: '1' }, 'g'), { name: 'a.md', content: FULL }])]],
    [
      'a size for a link',
      [tarOf([pax({ size: '512' }), { name: 'a', type: '2' }, { name: 'b', content: 'x' }])],
    ],
    [
      '9 MB of metadata for a file',
      [tarHeader({ name: 'x', type: 'x', size: 9e6 }), new Uint8Array(9_100_000)],
    ],
  ] satisfies [string, Uint8Array[]][])(
    '[BY-9] archive rejects a tar with %s',
    async (_, parts) => {
      await fails(concatBytes(parts), 'format')
      await fails(gzipSync(concatBytes(parts)), 'format', /./, { limits: { ratio: 2_000 } })
    },
  )

  it.each([
    ['GNU', [{ name: 'a.bin', type: 'S', content: 'x' }]],
    [
      'PAX 1.0',
      [
        pax({ 'GNU.sparse.major': '1', 'GNU.sparse.minor': '0' }),
        { name: 'GNUSparseFile.0/a.bin' },
      ],
    ],
    ['PAX 0.1', [pax({ 'GNU.sparse.map': '0,1' }), { name: 'a.bin', content: 'x' }]],
  ] satisfies [string, TarPart[]][])(
    '[BY-9] archive rejects a tar with a sparse file, %s',
    async (_, parts) => {
      await fails(tarOf(parts), 'unsupported', /a\.bin.* sparse file .*--sparse/)
    },
  )

  const tar = tarOf([{ name: 'a.md', content: SKILL }])
  const gz = gzipSync(tar, { mtime: 0 })
  it.each([
    ['a wrong checksum', changed(gz, gz.length - 8)],
    ['a wrong length', changed(gz, gz.length - 1)],
    ['bytes after the end', concatBytes([gz, bytesOf('junk, and more of it')])],
    ['one byte after the end', concatBytes([gz, Uint8Array.of(0)])],
    ['a wrong checksum in the first member', concatBytes([changed(gz, gz.length - 8), gz])],
    ['another method', changed(gz, 2)],
    ['a text', gzipSync(bytesOf('hello'))],
    ['nothing', gzipSync(new Uint8Array())],
    ['the header only', gz.subarray(0, 10)],
  ])('[BY-9] archive rejects gzip with %s', async (_, bytes) => {
    await fails(bytes, 'format')
    await fails(streamOf(bytes, 7).stream, 'format')
  })

  it('[BY-9] archive reads several gzip members as one stream', async () => {
    const half = Math.floor(tar.length / 2)
    const parts = [
      gzipSync(tar.subarray(0, 100), { filename: 'a name.tar', mtime: 0 }),
      gzipSync(tar.subarray(100, half)),
      gzipSync(new Uint8Array()),
      gzipSync(tar.subarray(half)),
    ]
    const whole = concatBytes(parts)
    for (const input of [whole, streamOf(whole, 1).stream, streamOf(whole, 11).stream])
      expect(await textOf(archive(input), 'a.md')).toBe(SKILL)
  })

  it.each([
    ['no bytes', '', 'format', /0 bytes/],
    ['a page', '<!doctype html><p>not found', 'format', /neither a zip nor a tar/],
    [
      'a long page',
      `<!doctype html>${'<p>text'.repeat(1_000)}`,
      'format',
      /neither a zip nor a tar/,
    ],
    ['two letters', 'PK', 'format', /neither a zip nor a tar/],
    ['bzip2', 'BZh91AY&SY', 'unsupported', /a bzip2 file.*zip or a tar\.gz/],
    ['xz', Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0), 'unsupported', /a xz file/],
    ['zstd', Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0), 'unsupported', /a zstd file/],
    ['7z', Uint8Array.of(0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c), 'unsupported', /a 7z file/],
    ['rar', 'Rar!\x1a\x07\x01\x00', 'unsupported', /a rar file/],
  ] as const)('[BY-9] archive rejects %s', async (_, content, code, message) => {
    await fails(bytesOf(content), code, message)
    if (code !== 'unsupported') return
    const { stream, cancelled } = streamOf(
      concatBytes([bytesOf(content), new Uint8Array(5_000)]),
      600,
    )
    await fails(stream, code, message)
    expect(cancelled()).toBe(true)
  })

  const written = ['zip', 'tar.gz'] as const
  it.each(written)('[BY-9] archive rejects a %s truncated at any byte', async format => {
    const files = { 'SKILL.md': SKILL, 'a/b.txt': 'text '.repeat(20), 'c.bin': new Uint8Array(9) }
    const whole = await writeArchive(files, { format })
    for (let length = 0; length < whole.length; length++) {
      const error = await archive(whole.subarray(0, length))
        .read('SKILL.md')
        .catch((reason: unknown) => reason)
      expect(isSkillshelfError(error, 'format'), `${length} bytes`).toBe(true)
    }
  })

  it.each(written)(
    '[BY-9] archive reads a %s with one changed byte correctly or rejects it',
    async format => {
      const files = { 'SKILL.md': SKILL, 'a/b.txt': 'text '.repeat(20), 'c.bin': 'stored' }
      const whole = await writeArchive(files, { format })
      let errors = 0
      for (let at = 0; at < whole.length; at++) {
        const source = archive(changed(whole, at))
        for (const [path, content] of Object.entries(files)) {
          const read = await textOf(source, path).catch((error: unknown) => error)
          // A changed name in a zip is another file.
          if (read === undefined && format === 'zip') continue
          if (typeof read === 'string') expect(read, `byte ${at}`).toBe(content)
          else {
            expect(
              isSkillshelfError(read, 'format', 'unsupported', 'too-large'),
              `byte ${at}: ${read}`,
            ).toBe(true)
            errors++
          }
        }
      }
      expect(errors).toBeGreaterThan(whole.length)
    },
  )
})

describe('limits', () => {
  const files = {
    'a.txt': 'a'.repeat(1_000),
    'b.txt': 'b'.repeat(2_000),
    'c/d.txt': 'c'.repeat(3_000),
  }
  const parts = Object.entries(files).map(([name, content]) => ({ name, content }))
  const archives = { zip: zipOf(parts), 'tar.gz': gzipSync(tarOf(parts)), tar: tarOf(parts) }
  const cases: [ArchiveLimits, RegExp][] = [
    [{ files: 2 }, /3 entries.*limits\.files/],
    [{ bytes: 2_999 }, /bytes.*limits\.bytes/],
    [{ file: 2_999 }, /c\/d\.txt.*3000 bytes.*limits\.file/],
  ]
  for (const [kind, bytes] of Object.entries(archives)) {
    for (const [limits, message] of cases)
      it(`[BY-9] archive rejects a ${kind} beyond ${JSON.stringify(limits)}`, async () => {
        await fails(bytes, 'too-large', message, { limits })
        const source = archive(bytes, { limits: { files: 3, bytes: 12_000, file: 3_000 } })
        expect(await textOf(source, 'c/d.txt')).toBe(files['c/d.txt'])
      })
  }

  it('[BY-9] archive limits folders and links', async () => {
    const folders = Array.from({ length: 4 }, (_, index) => ({
      name: `f${index}/`,
      type: '5',
      mode: 0o040755,
    }))
    const links = folders.map(({ name }) => ({
      name: name.slice(0, -1),
      type: '2',
      mode: 0o120777,
    }))
    for (const some of [folders, links]) {
      for (const bytes of [zipOf(some), tarOf(some)]) {
        await fails(bytes, 'too-large', /4 entries/, { limits: { files: 3 } })
        await archive(bytes, { limits: { files: 4 } }).list?.()
      }
    }
  })

  it('[BY-9] archive does not count macOS metadata as files', async () => {
    const some = [
      'a/1.md',
      'a/2.md',
      'a/3.md',
      '__MACOSX/a/._1.md',
      '__MACOSX/a/._2.md',
      '__MACOSX/a/._3.md',
    ]
    const parts = some.map(name => ({ name, content: 'x' }))
    for (const bytes of [zipOf(parts), tarOf(parts)]) {
      expect(await pathsOf(archive(bytes, { limits: { files: 3 } }))).toEqual([
        '1.md',
        '2.md',
        '3.md',
      ])
      await fails(bytes, 'too-large', /3 entries/, { limits: { files: 2 } })
    }
  })

  it('[BY-9] archive reads 10,000 files and rejects 10,001', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({
      name: `s/${index}.txt`,
      content: '',
    }))
    for (const write of [
      (some: TarPart[]) => zipOf(some.map(part => ({ ...part, method: 0 }))),
      tarOf,
    ]) {
      expect((await archive(write(many)).list?.())?.length).toBe(10_000)
      await fails(
        write([...many, { name: 's/SKILL.md', content: SKILL }]),
        'too-large',
        /10001 entries/,
      )
    }
  })

  it('[BY-9] archive rejects a compression ratio above 200 after the first MiB', async () => {
    const zeros = (length: number) => [{ name: 'zeros.bin', content: new Uint8Array(length) }]
    for (const write of [zipOf, (some: TarPart[]) => gzipSync(tarOf(some))]) {
      const small = archive(write(zeros(MiB - 4_096)))
      expect((await small.list?.())?.[0]?.size).toBe(MiB - 4_096)
      await fails(write(zeros(2 * MiB)), 'too-large', /times its size.*limits\.ratio/)
      const trusted = archive(write(zeros(2 * MiB)), { limits: { ratio: 2_000 } })
      expect((await trusted.list?.())?.[0]?.size).toBe(2 * MiB)
    }
  })

  it('[BY-9] archive rejects a zip that declares 10 GB before inflating it', async () => {
    const size = 10 * 1024 * MiB
    const one = zipOf([{ name: 'a', content: 'x', zip64: true, size }])
    await fails(one, 'too-large', /a in the archive has at least 10737418240 bytes/)
    const many = Array.from({ length: 9 }, (_, index) => ({
      name: `${index}`,
      content: 'x',
      size: 60 * MiB,
    }))
    await fails(zipOf(many), 'too-large', /declares/)
  })

  it('[BY-9] archive rejects a zip that declares 100 bytes and holds 60 MB', async () => {
    const raw = concatBytes([
      ...gzipZeros().parts.map((part, index) => (index === 0 ? part.subarray(10) : part)),
    ])
    const once = concatBytes([raw, ...Array.from({ length: 58 }, () => gzipZeros().more)])
    const bytes = zipOf([{ name: 'a', raw: once, size: 100 }])
    await fails(bytes, 'too-large', /times its size/)
    await fails(bytes, 'format', /longer than declared/, { limits: { ratio: Infinity } })
  })

  /** A stream of zeros in chunks of `piece`; each counts as `worth` bytes. */
  function zeros(
    bytes: number,
    start = new Uint8Array(),
    piece = new Uint8Array(65_536),
    worth = piece.length,
  ) {
    let made = 0
    let begun = start.length === 0
    let cancelled = false
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(begun ? piece : start)
        if (begun) made += worth
        begun = true
        if (made >= bytes) controller.close()
      },
      cancel() {
        cancelled = true
      },
    })
    return { stream, made: () => made, cancelled: () => cancelled }
  }

  const TEN = 10 * 1024 * MiB
  const zipped = (start: Uint8Array) => {
    const { parts, more } = gzipZeros(start)
    return zeros(TEN, concatBytes(parts), more, MiB)
  }
  const free = { file: Infinity, bytes: 8 * MiB }
  it.each([
    ['gzip, with nothing else', zipped(new Uint8Array(512)), {}, /times its size/, 40],
    [
      'gzip, as one file',
      zipped(bigHeader(TEN)),
      {},
      /zeros\.bin .* has at least 10737418240 b|times its size/,
      40,
    ],
    [
      'gzip, with no limit to a file',
      zipped(bigHeader(TEN)),
      { file: Infinity },
      /times its size/,
      40,
    ],
    [
      'gzip, with no limit to the ratio',
      zipped(bigHeader(TEN)),
      { ...free, ratio: Infinity },
      /inflates to/,
      40,
    ],
    [
      'a tar, as one file',
      zeros(TEN, bigHeader(TEN)),
      {},
      /zeros\.bin in the archive has at least 10737418240 b/,
      16,
    ],
    [
      'a tar, with no limit to a file',
      zeros(TEN, bigHeader(TEN)),
      free,
      /has at least \d+ bytes/,
      16,
    ],
    [
      'a tar, after the end',
      zeros(TEN, new Uint8Array()),
      { bytes: 8 * MiB },
      /has at least \d+ bytes/,
      16,
    ],
  ])(
    '[BY-9] archive rejects 10 GB of zeros in %s',
    async (_, { stream, made, cancelled }, limits, message, most) => {
      await fails(stream, 'too-large', message, { limits })
      expect(made()).toBeLessThan(most * MiB)
      expect(cancelled()).toBe(true)
    },
  )

  it('[BY-9] archive cancels an endless body', async () => {
    const { stream, made } = zeros(Infinity, Uint8Array.of(0x50, 0x4b, 3, 4))
    await fails(stream, 'too-large', /more than 1048576/, { limits: { bytes: MiB } })
    expect(made()).toBeLessThan(2 * MiB)
  })
})

/** The same bytes with one bit changed. */
function changed(bytes: Uint8Array, at: number): Bytes {
  const copy = new Uint8Array(bytes)
  copy[at] = (copy[at] as number) ^ 0x10
  return copy
}

/** gzip of `start` and 1 MiB of zeros. Each repetition of `more` adds another MiB. */
function gzipZeros(start: Uint8Array = new Uint8Array(512)): { parts: Uint8Array[]; more: Bytes } {
  let parts: Uint8Array[] = []
  const gzip = new Gzip({ mtime: 0 }, part => parts.push(part))
  const add = (bytes: Uint8Array): Uint8Array[] => {
    parts = []
    gzip.push(bytes)
    gzip.flush(true)
    return parts
  }
  const begin = [...add(start), ...add(new Uint8Array(MiB))]
  return { parts: begin, more: concatBytes(add(new Uint8Array(MiB))) }
}

/** A tar header with a base-256 size, for files beyond the octal limit. */
function bigHeader(size: number): Bytes {
  const header = tarHeader({ name: 'zeros.bin' })
  const view = new DataView(header.buffer)
  view.setUint32(124, 0x80000000)
  view.setBigUint64(128, BigInt(size))
  return withChecksum(header)
}
