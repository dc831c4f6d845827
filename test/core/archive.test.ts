import { gzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../src/core/bytes.js'
import { openLibrary, type Progress } from '../../src/exports/index.js'
import { archive, type ReadResult, writeArchive } from '../../src/exports/sources.js'
import { sourceSuite } from '../../src/exports/testing.js'
import type { Files } from '../packed-files.js'
import { openInPieces, packedOnce } from '../pieces-world.js'
import { readText as textOf } from '../read-text.js'
import { librarySuite } from '../suites/library-suite.js'
import {
  type Bytes,
  bytesOf,
  noise,
  pathsOf,
  pax,
  streamOf,
  tarOf,
  zipOf,
} from './archive-world.js'

const named = (files: Files) => Object.entries(files).map(([name, content]) => ({ name, content }))

const kinds: readonly [string, (files: Files) => Promise<Bytes>][] = [
  ['zip', files => writeArchive(files, { format: 'zip' })],
  ['zip, stored', async files => zipOf(named(files).map(part => ({ ...part, method: 0 })))],
  [
    'zip, data descriptor',
    async files => zipOf(named(files).map(part => ({ ...part, flags: 0x808 }))),
  ],
  ['zip64', async files => zipOf(named(files).map(part => ({ ...part, zip64: true })))],
  ['tar.gz', files => writeArchive(files, { format: 'tar.gz' })],
  ['tar', async files => tarOf(named(files))],
]

const SKILL =
  '---\nname: slides\ndescription: Makes slides out of an outline.\n---\nUse one idea a slide.\n'
const REVIEW =
  '---\nname: review\ndescription: Reviews a pull request for security.\n---\nRead every line.\n'
const TWO: Files = {
  'slides/SKILL.md': SKILL,
  'slides/scripts/run.py': 'print(1)',
  'review/SKILL.md': REVIEW,
}

describe('archive', () => {
  for (const [kind, write] of kinds) {
    // `sourceSuite` always passes the same files.
    let written: Promise<Bytes> | undefined
    for (const { name, run } of sourceSuite(async files => {
      written ??= write(files)
      return { source: archive(await written) }
    }))
      it(`[CARD-1] archive, ${kind}: ${name}`, run)
  }

  const packed = packedOnce()
  for (const { name, run } of librarySuite(async files =>
    openInPieces(archive(await writeArchive(await packed(files), { format: 'zip' }))),
  ))
    it(`[BY-33] library of an archive in pieces: ${name}`, run)

  it.each(kinds)('[CARD-1] a library opens from a %s', async (_, write) => {
    const library = await openLibrary([archive(await write(TWO), { name: 'dropped' })])
    expect(library.snapshot.skills.map(({ id }) => id).sort()).toEqual([
      'dropped/review',
      'dropped/slides',
    ])
    expect((await library.search('make slides from my outline'))?.matches[0]?.name).toBe('slides')
    expect(library.snapshot.diagnostics).toEqual([])
    await library.close()
  })

  const inputs: readonly [string, (bytes: Bytes) => Parameters<typeof archive>[0]][] = [
    ['a Uint8Array', bytes => bytes],
    [
      'a view into a buffer',
      bytes => concatBytes([new Uint8Array(7), bytes, new Uint8Array(9)]).subarray(7, -9),
    ],
    ['an ArrayBuffer', bytes => bytes.buffer],
    ['a Blob', bytes => new Blob([bytes])],
    ['a File', bytes => new File([bytes], 'a.zip')],
    ['a stream', bytes => streamOf(bytes).stream],
    ['a stream of single bytes', bytes => streamOf(bytes, 1).stream],
    ['a Response', bytes => new Response(bytes)],
    ['a function', bytes => () => bytes],
    ['a function that fetches', bytes => async () => new Response(bytes)],
  ]
  for (const [kind, write] of kinds.filter(([kind]) => ['zip', 'tar.gz', 'tar'].includes(kind)))
    it.each(inputs)(`[CARD-1] archive reads a ${kind} from %s`, async (_, input) => {
      const source = archive(input(await write(TWO)))
      expect(await textOf(source, 'slides/SKILL.md')).toBe(SKILL)
      expect(await textOf(source, 'review/SKILL.md')).toBe(REVIEW)
    })

  it('[CARD-1] archive takes its name from the file', () => {
    const name = (file: string) => archive(new File(['x'], file)).name
    const names = ['my-skills.zip', 'a.b.tar.gz', 'c.TGZ', 'd.skill', 'plain', '.zip'].map(name)
    expect(names).toEqual(['my-skills', 'a.b', 'c', 'd', 'plain', 'archive'])
    expect(archive(new Blob([])).name).toBe('archive')
    expect(archive(new File([], 'a.zip'), { name: 'mine' }).name).toBe('mine')
  })

  it('[CARD-1] archive opens on first use, once, and retries after a failure', async () => {
    const bytes = await writeArchive(TWO, { format: 'zip' })
    let opened = 0
    const source = archive(async () => {
      opened++
      if (opened === 1) throw new Error('no network')
      return bytes
    })
    expect(opened).toBe(0)
    await expect(source.list?.()).rejects.toMatchObject({ code: 'source-failed' })
    const [listed, read] = await Promise.all([pathsOf(source), textOf(source, 'slides/SKILL.md')])
    expect([listed.length, read, opened]).toEqual([3, SKILL, 2])
    await pathsOf(source)
    expect(opened).toBe(2)
  })

  it('[CARD-1] archive keeps the failure of a stream', async () => {
    const { stream } = streamOf((await writeArchive(TWO, { format: 'zip' })).slice(0, 100))
    const source = archive(stream)
    const first = await source.read('a').catch((error: unknown) => error)
    expect(first).toMatchObject({ code: 'format' })
    expect(await source.list?.().catch((error: unknown) => error)).toBe(first)
  })

  it('[CARD-1] archive versions depend on the bytes', async () => {
    const versions = async (content: string) => {
      const source = archive(zipOf([{ name: 'a.md', content }]))
      const [entry] = (await source.list?.()) ?? []
      expect(entry?.version).toBe(((await source.read('a.md')) as ReadResult).version)
      return entry?.version
    }
    expect(await versions('one')).toBe(await versions('one'))
    expect(await versions('one')).not.toBe(await versions('two'))
  })

  const tops: readonly [string, readonly string[], readonly string[]][] = [
    ['one skill at the root', ['SKILL.md', 'a/b.txt'], ['SKILL.md', 'a/b.txt']],
    [
      'one skill in its folder',
      ['slides/SKILL.md', 'slides/a.txt'],
      ['slides/SKILL.md', 'slides/a.txt'],
    ],
    [
      'one skill in its folder, in lower case',
      ['s/skill.md', 's/a.txt'],
      ['s/skill.md', 's/a.txt'],
    ],
    ['two skills side by side', ['a/SKILL.md', 'b/SKILL.md'], ['a/SKILL.md', 'b/SKILL.md']],
    ['a repository', ['repo-main/README.md', 'repo-main/a/SKILL.md'], ['README.md', 'a/SKILL.md']],
    [
      'macOS metadata',
      ['__MACOSX/._r', 'r/.DS_Store', 'r/a/SKILL.md', 'r/a/._SKILL.md'],
      ['a/SKILL.md'],
    ],
    [
      'what tools write',
      ['r/a/SKILL.md', 'r/a/.venv/x.py', 'r/a/venv/y.py', 'r/a/node_modules/z.js', 'r/.git/config'],
      ['a/SKILL.md'],
    ],
    ['a skill called venv', ['venv/SKILL.md', 'venv/a.txt'], ['venv/SKILL.md', 'venv/a.txt']],
    ['two nested folders', ['x/y/a/SKILL.md', 'x/y/b/SKILL.md'], ['y/a/SKILL.md', 'y/b/SKILL.md']],
    ['a folder and a file beside it', ['r/a/SKILL.md', 'LICENSE'], ['r/a/SKILL.md', 'LICENSE']],
    ['folders with a common prefix', ['r/a.txt', 'r2/a.txt'], ['r/a.txt', 'r2/a.txt']],
    ['./ before every name', ['./a/SKILL.md', './b/SKILL.md'], ['a/SKILL.md', 'b/SKILL.md']],
    [
      'a packed library in a folder',
      ['dist/skillshelf.json', 'dist/files/x'],
      ['skillshelf.json', 'files/x'],
    ],
    ['nothing', [], []],
  ]
  it.each(tops)(
    '[CARD-1] archive removes a single top-level folder: %s',
    async (_, paths, shown) => {
      const parts = paths.map(name => ({ name, content: name }))
      for (const bytes of [zipOf(parts), tarOf(parts)]) {
        const source = archive(bytes)
        expect(await pathsOf(source)).toEqual(shown)
        for (const path of shown) expect(paths.some(name => name.endsWith(path))).toBe(true)
      }
    },
  )

  it('[CARD-1] archive reports progress in bytes', async () => {
    const bytes = await writeArchive({ 'a.bin': noise(200_000) }, { format: 'tar.gz' })
    const seen: Progress[] = []
    await archive(new Blob([bytes]), { onProgress: step => seen.push(step) }).list?.()
    expect(seen.at(-1)).toEqual({
      phase: 'download',
      item: 'archive',
      done: bytes.length,
      total: bytes.length,
    })
    expect(seen.map(({ done }) => done)).toEqual(seen.map(({ done }) => done).sort((a, b) => a - b))
    const streamed: Progress[] = []
    await archive(streamOf(bytes).stream, { onProgress: step => streamed.push(step) }).list?.()
    expect(streamed.at(-1)).toEqual({
      phase: 'download',
      item: 'archive',
      done: bytes.length,
      total: undefined,
    })
    expect(streamed.length).toBe(Math.ceil(bytes.length / 1000))
  })

  it('[CARD-1] archive aborts one read without affecting others', async () => {
    const bytes = await writeArchive(TWO, { format: 'tar.gz' })
    const stop = new AbortController()
    let go = (): void => undefined
    const source = archive(() => new Promise<Bytes>(resolve => (go = () => resolve(bytes))))
    const aborted = source.read('slides/SKILL.md', { signal: stop.signal })
    const kept = textOf(source, 'slides/SKILL.md')
    stop.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    go()
    expect(await kept).toBe(SKILL)
  })

  it('[CARD-1] archive aborts the opening and cancels the stream by its own signal', async () => {
    const stop = new AbortController()
    const { stream, cancelled } = endless(() => stop.abort(new Error('left')), 5)
    const source = archive(stream, { signal: stop.signal })
    await expect(source.list?.()).rejects.toMatchObject({ code: 'aborted' })
    expect(cancelled()).toBe(true)
    const aborted = archive(new Uint8Array(9), { signal: AbortSignal.abort() })
    await expect(aborted.read('a')).rejects.toMatchObject({ code: 'aborted' })
  })

  it.each(['zip', 'tar.gz'] as const)(
    '[CARD-1] archive can be aborted while it inflates a %s',
    async format => {
      const bytes = await writeArchive({ 'a.bin': new Uint8Array(8 * 1024 * 1024) }, { format })
      // Loads the modules that are imported on first use.
      await archive(bytes, { limits: { ratio: Infinity } }).list?.()
      const stop = new AbortController()
      setTimeout(() => stop.abort(), 0)
      const source = archive(bytes, { limits: { ratio: Infinity }, signal: stop.signal })
      await expect(source.list?.()).rejects.toMatchObject({ code: 'aborted' })
    },
  )

  it('[CARD-1] archive cancels a hanging body when it is closed', async () => {
    let cancelled = false
    const cancel = () => {
      cancelled = true
    }
    const source = archive(new ReadableStream<Uint8Array>({ cancel }))
    const waiting = source.list?.()
    await Promise.resolve()
    await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'closed' }), source.close?.()])
    expect(cancelled).toBe(true)
    await expect(source.read('a')).rejects.toMatchObject({ code: 'closed' })
  })

  it.each([
    [404, 'source-not-found'],
    [410, 'source-not-found'],
    [403, 'source-failed'],
    [500, 'source-failed'],
  ])('[CARD-1] archive reports status %i as %s', async (status, code) => {
    const source = archive(() => new Response('no', { status }))
    await expect(source.list?.()).rejects.toMatchObject({ code, details: { status } })
  })

  it('[CARD-1] archive reports a broken connection as source-failed', async () => {
    for (const start of [[0x50, 0x4b, 3, 4], [0x1f, 0x8b, 8], [...new Uint8Array(600)]]) {
      let pulls = 0
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (pulls++ === 0) controller.enqueue(Uint8Array.from(start))
          else controller.error(new TypeError('connection reset'))
        },
      })
      await expect(archive(body).list?.()).rejects.toMatchObject({ code: 'source-failed' })
    }
  })

  it('[CARD-1] archive reports invalid input', async () => {
    for (const input of [undefined, null, 7, 'a.zip', {}])
      await expect(archive(input as never).list?.()).rejects.toMatchObject({
        code: 'invalid-input',
      })
    const words = new ReadableStream<string>({ pull: controller => controller.enqueue('words') })
    await expect(archive(words as never).list?.()).rejects.toMatchObject({ code: 'invalid-input' })
    const { stream } = streamOf(bytesOf('x'))
    stream.getReader()
    const locked = { code: 'source-failed', message: expect.stringMatching(/give a function/) }
    await expect(archive(stream).list?.()).rejects.toMatchObject(locked)
    for (const limits of [{ files: -1 }, { ratio: Number.NaN }]) {
      const open = () => archive(new Uint8Array(), { limits })
      expect(open).toThrow(expect.objectContaining({ code: 'invalid-input' }))
    }
  })

  describe('names', () => {
    it('[CARD-1] archive decodes zip names in UTF-8 and CP437', async () => {
      const zip = zipOf([
        { name: '调研/é.md', content: '1' },
        { name: '报告/é.md', content: '2', flags: 0 },
        // "Übung.txt" in CP437.
        {
          name: Uint8Array.of(0x9a, 0x62, 0x75, 0x6e, 0x67, 0x2e, 0x74, 0x78, 0x74),
          content: '3',
          flags: 0,
        },
      ])
      const source = archive(zip)
      expect(await pathsOf(source)).toEqual(['调研/é.md', '报告/é.md', 'Übung.txt'])
      expect(await textOf(source, 'Übung.txt')).toBe('3')
    })

    it('[CARD-1] archive decodes zip names in GBK, and takes UTF-8 without a flag for no GBK', async () => {
      // "说明.md" in GBK.
      const gbk = Uint8Array.of(0xcb, 0xb5, 0xc3, 0xf7, 0x2e, 0x6d, 0x64)
      const zip = zipOf([
        { name: gbk, content: '1', flags: 0 },
        { name: '好好.md', content: '2', flags: 0 },
        // "résumé" in CP437.
        { name: Uint8Array.of(0x72, 0x82, 0x73, 0x75, 0x6d, 0x82), content: '3', flags: 0 },
      ])
      expect(await pathsOf(archive(zip))).toEqual(['说明.md', '好好.md', 'résumé'])
    })

    it('[BY-9] [CARD-1] archive reads the backslashes of Windows PowerShell as slashes, and none out of the archive', async () => {
      const zip = zipOf([
        { name: 'tea\\', content: '' },
        { name: 'tea\\SKILL.md', content: 'x' },
        { name: 'pot/references\\a.md', content: 'y' },
        { name: '..\\..\\out.md', content: 'z' },
        { name: 'C:\\out.md', content: 'z' },
      ])
      expect(await pathsOf(archive(zip))).toEqual(['tea/SKILL.md', 'pot/references/a.md'])
    })

    const long = `${'folder-'.repeat(20)}/${'name-'.repeat(30)}.md`
    const gnu = [
      { name: '././@LongLink', type: 'L', content: `${long}\0`, magic: 'ustar  \0' },
      { name: long.slice(0, 99), content: 'x', magic: 'ustar  \0' },
    ]
    it.each([
      [
        'a prefix (ustar)',
        [{ name: 'b.md', prefix: 'deep/folder', content: 'x' }],
        'deep/folder/b.md',
      ],
      ['a long name (GNU)', gnu, long],
      ['a path (PAX)', [pax({ path: long }), { name: 'short', content: 'x' }], long],
      [
        'a path in Chinese (PAX)',
        [pax({ path: '技能/调研.md' }), { name: 'short', content: 'x' }],
        '技能/调研.md',
      ],
      ['raw UTF-8', [{ name: '技能/调研.md', content: 'x' }], '技能/调研.md'],
      [
        'a global comment (PAX)',
        [pax({ comment: 'deadbeef' }, 'g'), { name: 'a.md', content: 'x' }],
        'a.md',
      ],
      ['the type flag of the original tar', [{ name: 'a.md', content: 'x', type: '\0' }], 'a.md'],
    ] as const)('[CARD-1] archive reads a tar with %s', async (_, parts, path) => {
      const source = archive(tarOf([...parts, { name: 'other/last.md', content: 'y' }]))
      expect(await pathsOf(source)).toEqual([path, 'other/last.md'])
      expect(await textOf(source, path)).toBe('x')
    })

    it('[BY-9] archive keeps the later of two entries with the same name', async () => {
      const parts = [
        { name: 'a.md', content: 'first' },
        { name: 'b.md', content: 'b' },
        { name: './a.md', content: 'last' },
      ]
      for (const bytes of [zipOf(parts), tarOf(parts), gzipSync(tarOf(parts))]) {
        const source = archive(bytes)
        expect(await pathsOf(source)).toEqual(['b.md', 'a.md'])
        expect(await textOf(source, 'a.md')).toBe('last')
      }
      const link = {
        name: 'a.md',
        link: '/etc/passwd',
        type: '2',
        mode: 0o120777,
        content: '/etc/passwd',
      }
      const file = { name: 'a.md', content: 'file' }
      for (const write of [zipOf, tarLinks]) {
        expect(await pathsOf(archive(write([link, file])))).toEqual(['a.md'])
        expect(await pathsOf(archive(write([file, link])))).toEqual(['a.md: it is a link'])
        expect(await archive(write([file, link])).read('a.md')).toBeUndefined()
      }
    })

    it('[BY-9] archive distinguishes names by case and Unicode form', async () => {
      const parts = ['Read.md', 'read.md', '\u00e9.md', 'e\u0301.md'].map(name => ({
        name,
        content: name,
      }))
      for (const bytes of [zipOf(parts), tarOf(parts)]) {
        const source = archive(bytes)
        expect(await pathsOf(source)).toEqual(parts.map(({ name }) => name))
        for (const { name } of parts) expect(await textOf(source, name)).toBe(name)
      }
    })

    it('[BY-9] archive reads files named like object properties', async () => {
      const parts = ['__proto__', 'constructor', '12', '3/toString'].map(name => ({
        name,
        content: name,
      }))
      for (const bytes of [zipOf(parts), tarOf(parts)]) {
        for (const { name } of parts) expect(await textOf(archive(bytes), name)).toBe(name)
      }
    })
  })
})

/** A tar in which links have no content. */
function tarLinks(parts: Parameters<typeof tarOf>[0]): Bytes {
  return tarOf(
    parts.map(({ content, ...part }) =>
      part.type === '2' ? part : { name: part.name, content: content ?? '' },
    ),
  )
}

function endless(
  after: () => void,
  chunks: number,
): { stream: ReadableStream<Uint8Array>; cancelled: () => boolean } {
  let pulled = 0
  let cancelled = false
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (pulled++ === chunks) after()
      controller.enqueue(pulled === 1 ? Uint8Array.of(0x50, 0x4b, 3, 4) : new Uint8Array(1000))
    },
    cancel() {
      cancelled = true
    },
  })
  return { stream, cancelled: () => cancelled }
}
