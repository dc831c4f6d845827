import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import { archive, writeArchive } from '../../src/exports/sources.js'
import { fails } from '../fails.js'
import { readText as textOf } from '../read-text.js'
import { bytesOf, noise, pathsOf } from './archive-world.js'

const FORMATS = ['zip', 'tar.gz'] as const

/** Text, Chinese, incompressible and compressible bytes, an empty file, and one larger than the deflate window. */
function files(): Record<string, Uint8Array | string> {
  const lines = Array.from(
    { length: 4_000 },
    (_, index) => `line ${index}: ${(index * 7_919) % 1_000}\n`,
  ).join('')
  return {
    'SKILL.md':
      '---\nname: slides\ndescription: Makes slides. 制作幻灯片。\n---\nOne idea a slide.\n',
    'references/长.md': '调研报告'.repeat(2_000),
    'assets/noise.bin': noise(40_000, 7),
    'assets/zeros.bin': new Uint8Array(100_000),
    'scripts/lines.txt': lines,
    'empty.txt': '',
    'a.txt': 'a',
  }
}

describe('writeArchive', () => {
  // A changed digest here changes the digest of every published archive.
  it.each([
    ['zip', 'sha256:8e8f6dc6e31f0c39940ca9145a234361d5465257593fc5d8b31d6532253baf05'],
    ['tar.gz', 'sha256:89d9d96cd4d07a2a5c736cb135d72f54f82fd7f01010a26a22d7d590c09750be'],
  ] as const)('[BY-5] writeArchive writes the same %s in every runtime', async (format, digest) => {
    expect(digestOf(await writeArchive(files(), { format }))).toBe(digest)
  })

  it.each(FORMATS)(
    '[BY-5] writeArchive writes the same %s for files in any order',
    async format => {
      const first = await writeArchive(files(), { format })
      const entries = Object.entries(files()).map(([path, content]) => [path, bytesOf(content)])
      const shuffled = Object.fromEntries(entries.reverse())
      expect(await writeArchive(shuffled, { format })).toEqual(first)
    },
  )

  it.each(FORMATS)(
    '[BY-5] archive reads a written %s byte for byte, SKILL.md first',
    async format => {
      const source = archive(await writeArchive(files(), { format }))
      const paths =
        'SKILL.md a.txt assets/noise.bin assets/zeros.bin empty.txt references/长.md scripts/lines.txt'
      expect(await pathsOf(source)).toEqual(paths.split(' '))
      for (const [path, content] of Object.entries(files()))
        expect(await source.read(path)).toMatchObject({ bytes: bytesOf(content) })
    },
  )

  it.each(FORMATS)('[BY-5] writeArchive writes a %s without files', async format => {
    expect(await pathsOf(archive(await writeArchive({}, { format })))).toEqual([])
  })

  it.each(FORMATS)('[BY-9] writeArchive rejects paths that leave the %s', async format => {
    for (const path of ['../a.md', '/a.md', 'a\\b.md', 'C:/a.md', 'a/../../b.md', ''])
      await fails(writeArchive({ [path]: 'x' }, { format }), 'invalid-path')
    await fails(writeArchive({ 'a//b.md': 'x', './a/b.md': 'y' }, { format }), 'invalid-input')
  })

  const name = (length: number) => 'n'.repeat(length)
  it.each([
    ['100 bytes', name(100)],
    ['155 bytes of folders', `${name(155)}/${name(100)}`],
    ['folders with one possible split', `${name(100)}/${name(54)}/${name(60)}/${name(39)}`],
    ['33 ideographs', '汉'.repeat(33)],
    ['51 ideographs of folders', `${'汉'.repeat(51)}/${'汉'.repeat(33)}`],
  ])('[BY-5] writeArchive writes a tar with names of %s', async (_, path) => {
    const bytes = await writeArchive({ [path]: 'x', 'b.txt': 'y' }, { format: 'tar.gz' })
    expect(await textOf(archive(bytes), path)).toBe('x')
    // No PAX headers: two headers, two files and the end marker.
    const { gunzipSync } = await import('fflate')
    expect(gunzipSync(bytes).length).toBe(4 * 512 + 1_024)
  })

  it.each([
    ['101 bytes', name(101)],
    ['156 bytes of folders', `${name(156)}/${name(90)}`],
    ['a file name of 101', `a/${name(101)}`],
    ['34 ideographs', '汉'.repeat(34)],
    ['folders without a possible split', `${name(60)}/${name(101)}/${name(60)}`],
  ])('[BY-5] writeArchive rejects names of %s for a tar but not for a zip', async (_, path) => {
    await fails(writeArchive({ [path]: 'x' }, { format: 'tar.gz' }), 'unsupported', /write a zip/)
    expect(
      await textOf(
        archive(await writeArchive({ [path]: 'x', 'b.txt': 'y' }, { format: 'zip' })),
        path,
      ),
    ).toBe('x')
  })

  it('[BY-5] writeArchive rejects __proto__ for a zip but not for a tar', async () => {
    const odd = Object.fromEntries([['__proto__', 'x']])
    await fails(writeArchive(odd, { format: 'zip' }), 'unsupported')
    expect(await textOf(archive(await writeArchive(odd, { format: 'tar.gz' })), '__proto__')).toBe(
      'x',
    )
  })

  it('[BY-5] writeArchive lists the known formats', async () => {
    const message = expect.stringMatching(/'zip' or 'tar\.gz'/)
    await fails(writeArchive({}, { format: 'rar' as never }), 'invalid-input', { message })
  })
})
