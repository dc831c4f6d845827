import { describe, expect, it } from 'vitest'
import { digestOf, shortDigest } from '../../src/core/digest.js'
import type { SkillLibrary } from '../../src/library/api/skill-library.js'
import { openLibrary } from '../../src/library/open-library.js'
import { pack } from '../../src/library/store/pack/pack.js'
import type { PackOptions } from '../../src/library/store/pack/pack-options.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import { memory } from '../../src/source/memory.js'
import type { SkillSource } from '../../src/source/source.js'
import { packedFiles } from '../packed-files.js'
import { watchReads } from '../watch-reads.js'

type Files = Record<string, Uint8Array<ArrayBuffer> | string>

const skill = (fields: string, body = 'How to do it.'): string => `---\n${fields}\n---\n\n${body}\n`

/** Unusual skills: awkward names, broken YAML, no frontmatter, nested, disabled, several languages. */
const FILES: Files = {
  'slides/SKILL.md': skill(
    'name: slides\ndisplay_name: Slide Maker\ndescription: Makes slides.\nwhen_to_use: When somebody mentions a keynote.\ntags: [Office, 演示]\nversion: 1.2.0\nallowed-tools: Bash(git:*), Read\ntimeout: 30s\nunknown: {a: [1, 2]}',
  ),
  'slides/scripts/layout.py': 'print(1)\n',
  'slides/resources/a b#c?.md': '# 一页\n',
  'slides/resources/logo.PNG': Uint8Array.from({ length: 3_000 }, (_, index) => index % 251),
  'slides/LICENSE': 'MIT\n',
  'slides/copy.py': 'print(1)\n',
  'work/report/skill.md':
    '\uFEFF---\r\nname: report\r\ndescription: Writes: reports.\r\n---\r\n\r\nCRLF.\r\n',
  'bare/SKILL.md': '# A heading\n\nA first paragraph stands in for the description.\n',
  'two/SKILL.md': skill('name: two\ndescription: Has two files.'),
  'two/skill.md': skill('name: other\ndescription: The other one.'),
  'outer/SKILL.md': skill('name: outer\ndescription: 外面的技能。'),
  'outer/inner/SKILL.md': skill('name: inner\ndescription: The inner one.'),
  'outer/inner/x.txt': 'x',
  'off/SKILL.md': skill('name: off\ndescription: Is off.\nenabled: false'),
  'hidden/SKILL.md': skill(
    'name: hidden\ndescription: Not for models.\ndisable-model-invocation: true',
  ),
  'same-a/SKILL.md': skill('name: same\ndescription: One of two.'),
  'same-b/SKILL.md': skill('name: same\ndescription: Two of two.\nuser-invocable: false'),
  'empty/SKILL.md': '',
  'latin1/SKILL.md': new Uint8Array([
    ...new TextEncoder().encode(skill('name: latin\ndescription: Bytes.')),
    0xe9,
    0,
  ]),
  'notes.txt': 'in no skill',
}
const MESSAGES =
  'make slides for a keynote|演示|write a report|first paragraph|外面|inner two|bytes|off|'.split(
    '|',
  )

const A = { 'a/SKILL.md': skill('name: a\ndescription: Otters.') }

const packed = (source: SkillSource, options?: PackOptions) => packedFiles(source, options)

/** A source that counts its reads and cannot be listed. */
function counted(files: Files, name = 'memory') {
  const inner = memory(files, { name })
  return { ...watchReads<SkillSource>({ name, read: inner.read }), write: inner.write }
}

/** Without its digest, a catalog can be edited. */
const catalogOf = (files: Files) => {
  const { digest: _, ...catalog } = JSON.parse(
    new TextDecoder().decode(files[CATALOG_FILE] as Uint8Array),
  )
  return catalog
}
const withCatalog = (
  files: Files,
  change: (catalog: ReturnType<typeof catalogOf>) => unknown,
): Files => {
  const catalog = catalogOf(files)
  const result = change(catalog)
  return {
    ...files,
    [CATALOG_FILE]: typeof result === 'string' ? result : JSON.stringify(result ?? catalog),
  }
}

it('[BY-5] pack refuses a packed library', async () => {
  const once = await packed(memory(A))
  await expect(packed(memory(once))).rejects.toMatchObject({ code: 'unsupported' })
})

describe('pack', () => {
  it('[BY-5] the bytes do not depend on the order of the listing', async () => {
    const one = await packed(memory(FILES))
    const two = await packed(memory(Object.fromEntries(Object.entries(FILES).reverse())))
    expect(Object.keys(two)).toEqual(Object.keys(one))
    expect(two).toEqual(one)
  })

  it('[BY-5] files are named by digest and written once, skillshelf.json last', async () => {
    const written: string[] = []
    const files: Files = {}
    for await (const { path, bytes } of pack(memory(FILES))) {
      written.push(path)
      files[path] = bytes
      if (path !== CATALOG_FILE)
        expect(path.replace(/^files\//, '').slice(0, 16)).toBe(shortDigest(digestOf(bytes)))
    }
    expect(written.at(-1)).toBe(CATALOG_FILE)
    expect(new Set(written).size).toBe(written.length)
    const catalog = catalogOf(files)
    const segments = catalog.segments.map((one: { file: string }) => one.file)
    expect(Object.keys(files)).toEqual(expect.arrayContaining(segments))
    const seen = new Set<string>()
    for (const { digest, details } of catalog.skills) {
      const file = `files/${shortDigest(details)}.json`
      for (const path of [`files/${shortDigest(digest)}.md`, file]) seen.add(path)
      for (const one of JSON.parse(new TextDecoder().decode(files[file] as Uint8Array)).files)
        seen.add(
          written.find(path => path.includes(shortDigest(one.digest))) ?? `${one.path} is missing`,
        )
    }
    expect([...seen].filter(path => !files[path])).toEqual([])
    expect(segments.length + 1 + seen.size).toBe(written.length)
  })

  it('[BY-5] the summary has counts and diagnostics', async () => {
    const reported: string[] = []
    const onProgress: PackOptions['onProgress'] = step =>
      reported.push(`${step.phase} ${step.done}/${step.total}`)
    const packing = pack(memory(FILES), { onProgress })
    let step = await packing.next()
    while (!step.done) step = await packing.next()
    const { found, skills, files, diagnostics } = step.value
    expect({ found, skills, files }).toEqual({ found: 12, skills: 11, files: 18 })
    const codes = ['two-skill-files', 'skill-left-out', 'not-utf8']
    expect(diagnostics.map(one => one.code)).toEqual(expect.arrayContaining(codes))
    expect(reported.slice(0, 1)).toEqual(['read 1/12'])
    expect(reported.at(-1)).toBe('write 11/11')
  })

  it('[BY-5] pack refuses a source it cannot list or read, and stops when aborted', async () => {
    await expect(packed({ name: 'x', read: async () => undefined })).rejects.toMatchObject({
      code: 'unsupported',
    })
    const source = memory({ ...A, 'a/x.md': 'x' })
    const half: SkillSource = {
      ...source,
      read: async path => (path === 'a/x.md' ? undefined : source.read(path)),
    }
    await expect(packed(half)).rejects.toMatchObject({
      code: 'source-failed',
      details: { subject: 'a/x.md' },
    })
    await expect(packed(source, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'aborted',
    })
  })

  it('[BY-5] an empty source gives a library that opens', async () => {
    const library = await openLibrary(memory(await packed(memory({ 'readme.md': 'x' }))))
    expect([library.snapshot.skills, library.snapshot.diagnostics]).toEqual([[], []])
    expect((await library.search('anything')).abstained).toBe('empty-library')
  })
})

describe('a packed library', () => {
  it('[BY-5] a packed library answers like its tree', async () => {
    const tree = await openLibrary(memory(FILES))
    const packedLibrary = await openLibrary(memory(await packed(memory(FILES))))
    expect(packedLibrary.snapshot.skills).toEqual(tree.snapshot.skills)
    expect(packedLibrary.snapshot.diagnostics).toEqual(tree.snapshot.diagnostics)
    expect(tree.snapshot.skills).toHaveLength(10)
    for (const { id } of tree.snapshot.skills) {
      const [there, here] = [await packedLibrary.get(id), await tree.get(id)]
      expect({ ...there, files: there.files.map(({ digest: _, ...file }) => file) }).toEqual(here)
      for (const { path } of [...here.files, { path: here.file }])
        expect((await packedLibrary.read(id, path)).bytes).toEqual(
          (await tree.read(id, path)).bytes,
        )
    }
    for (const message of MESSAGES) {
      const { revision: _, ...there } = await packedLibrary.search(message, { limit: 50 })
      const { revision: __, ...here } = await tree.search(message, { limit: 50 })
      expect(there).toEqual(here)
      expect((await packedLibrary.match(message)).matches).toEqual(
        (await tree.match(message)).matches,
      )
    }
  })

  it('[BY-5] opening takes two reads, get two, read one or two, refresh one', async () => {
    const { source, reads } = counted(await packed(memory(FILES)))
    const library = await openLibrary(source)
    const cost = async (call: () => Promise<unknown>): Promise<number> => {
      reads.length = 0
      await call()
      return reads.length
    }
    expect(reads).toEqual([CATALOG_FILE, expect.stringMatching(/^[0-9a-f]{16}\.seg$/)])
    expect(await cost(() => library.match('make slides'))).toBe(0)
    expect(await cost(() => library.read('slides', 'scripts/layout.py'))).toBe(2)
    expect(await cost(() => library.get('slides'))).toBe(2)
    expect(await cost(() => library.get('slides'))).toBe(0)
    expect(await cost(() => library.read('slides', 'scripts/layout.py'))).toBe(1)
    expect(await cost(() => library.refresh())).toBe(1)
    expect(reads).toEqual([CATALOG_FILE])
  })

  it('[BY-5] a refresh reads new segments only', async () => {
    const { source, reads, write } = counted(await packed(memory(FILES)))
    const library = await openLibrary(source)
    const after = await packed(
      memory({ ...FILES, 'new/SKILL.md': skill('name: new\ndescription: Narwhals.') }),
    )
    await write({ put: after })
    reads.length = 0
    expect(await library.refresh()).toMatchObject({
      added: ['memory/new'],
      changed: [],
      removed: [],
    })
    expect(reads).toHaveLength(2)
    expect((await library.search('narwhals')).matches[0]?.name).toBe('new')
  })

  it('[BY-5] a file with a changed byte is refused', async () => {
    const files = await packed(memory({ ...A, 'a/x.bin': new Uint8Array(99) }))
    const open = (content: Files) => openLibrary(memory(content), { strict: true })
    const use = async (library: SkillLibrary) => [
      await library.get('a'),
      await library.read('a', 'x.bin'),
    ]
    expect(await use(await open(files))).toHaveLength(2)
    for (const [path, bytes] of Object.entries(files) as [string, Uint8Array][]) {
      if (path === CATALOG_FILE) continue
      for (const at of [0, bytes.length >> 1, bytes.length - 1]) {
        const wrong = Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 1 : byte))
        const opened = open({ ...files, [path]: wrong }).then(use)
        const error = { code: 'source-failed', details: { subject: path } }
        await expect(opened, `${path} at ${at}`).rejects.toMatchObject(error)
      }
      await expect(open({ ...files, [path]: '' }).then(use)).rejects.toMatchObject({
        code: 'source-failed',
      })
    }
    const { [Object.keys(files).find(path => path.endsWith('.bin')) as string]: _, ...less } = files
    await expect(open(less).then(use)).rejects.toMatchObject({ code: 'source-failed' })
  })

  it('[BY-5] a segment of another version is rebuilt and matches as before', async () => {
    const files = await packed(memory(FILES))
    const [{ file }] = catalogOf(files).segments
    const old = new Uint8Array(files[file] as Uint8Array)
    old[4] = 99
    const other = `${shortDigest(digestOf(old))}.seg`
    const rewritten = withCatalog({ ...files, [other]: old }, catalog => {
      catalog.segments[0].file = other
    })
    const [before, after] = [await openLibrary(memory(files)), await openLibrary(memory(rewritten))]
    const rebuilt = after.snapshot.diagnostics.filter(one => one.code === 'segment-rebuilt')
    expect(rebuilt).toMatchObject([{ severity: 'warning', path: other }])
    for (const message of MESSAGES) {
      const [expected, found] = [
        await before.search(message, { limit: 50 }),
        await after.search(message, { limit: 50 }),
      ]
      expect(found.matches).toEqual(expected.matches)
    }
  })
})

describe('an invalid catalog', () => {
  type Change = (catalog: ReturnType<typeof catalogOf>) => unknown
  /** Changes the first segment, and leaves out the first skills. */
  const segment =
    (change: object, left = 0): Change =>
    c => ({ ...c, skills: c.skills.slice(left), segments: [{ ...c.segments[0], ...change }] })
  it.each([
    ['invalid JSON', () => '{"format":'],
    ['a web page', () => '<!doctype html>'],
    ['an empty file', () => ''],
    ['null', () => 'null'],
    ['a list', () => '[]'],
    ['the catalog of another program', () => '{"skills":["a"],"version":3}'],
    ['the catalog of a later version', c => ({ ...c, format: 'skillshelf/2' })],
    ['one without segments', c => ({ ...c, segments: undefined })],
    ['one whose segments are a number', c => ({ ...c, segments: 7 })],
    ['one with a segment outside', segment({ file: '../../x.seg' })],
    ['one with an absolute segment', segment({ file: '/etc/passwd' })],
    ['one with a segment elsewhere', segment({ file: 'https://evil/0123456789abcdef.seg' })],
    ['one with a huge count', segment({ skills: 4e9 })],
    ['one with a negative count', segment({ skills: -1 })],
    ['one with too few skills', segment({}, 1)],
    ['one with dead skills that do not exist', segment({ dead: [99] }, 1)],
    ['one with a skill that is dead twice', segment({ dead: [0, 0] }, 2)],
    ['one whose dead skills are not an array', segment({ dead: { length: 1e9 } })],
  ] as [string, Change][])('[BY-9] [BY-5] %s is a format error', async (_, change) => {
    const files = withCatalog(await packed(memory(FILES)), change)
    await expect(openLibrary(memory(files), { strict: true })).rejects.toMatchObject({
      code: 'format',
    })
    const library = await openLibrary([memory(files), memory(A, { name: 'good' })])
    expect(library.snapshot.skills.map(one => one.id)).toEqual(['good/a'])
    const message = expect.stringMatching(/^skillshelf\.json of memory .*pack the skills again/)
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'source-unreadable', message }])
  })

  it.each([
    ['is not an object', () => 7],
    ['is null', () => null],
    ['has a path outside', s => ({ ...s, path: '../../x' })],
    ['has an absolute path', s => ({ ...s, path: '/x' })],
    ['has no name', s => ({ ...s, name: undefined })],
    ['has a name that is not a string', s => ({ ...s, name: ['x'] })],
    ['has a description that is not a string', s => ({ ...s, description: {} })],
    ['has a digest outside', s => ({ ...s, digest: 'sha256:../../../../etc/passwd' })],
    ['has details outside', s => ({ ...s, details: '../../x' })],
    ['is listed twice', (_, c) => c.skills[1]],
  ] as [string, (skill: object, catalog: { skills: object[] }) => unknown][])(
    '[BY-9] a skill that %s is left out and the others are found',
    async (_, change) => {
      const files = withCatalog(await packed(memory(FILES)), catalog => {
        const at = catalog.skills.findIndex((one: { name: string }) => one.name === 'slides')
        catalog.skills[at] = change(catalog.skills[at], catalog)
      })
      const library = await openLibrary(memory(files))
      expect(library.snapshot.skills.map(one => one.name)).not.toContain('slides')
      expect(library.snapshot.skills).toHaveLength(9)
      const { diagnostics } = library.snapshot
      const leftOut = diagnostics.filter(
        one => one.code === 'skill-left-out' && one.path?.startsWith(CATALOG_FILE),
      )
      expect(leftOut).toHaveLength(1)
      expect(
        (await library.search('make slides for a keynote')).matches.map(one => one.name),
      ).not.toContain('slides')
      expect((await library.search('write reports')).matches[0]?.name).toBe('report')
      expect((await library.get('inner')).files).toHaveLength(1)
    },
  )

  it.each([
    [
      'invalid diagnostics',
      'diagnostics',
      [null, 7, { code: 1 }, { code: 'bom', severity: 'huge', message: '' }],
    ],
    ['diagnostics that are not an array', 'diagnostics', 'many'],
    ['an invalid name', 'name', { toString: 1 }],
  ])('[BY-9] %s are ignored', async (_, key, value) => {
    const files = withCatalog(await packed(memory(A)), catalog => {
      catalog[key] = value
    })
    const library = await openLibrary(memory(files), { strict: true })
    expect([library.snapshot.skills.length, library.snapshot.diagnostics]).toEqual([1, []])
  })

  it.each([
    ['invalid JSON', () => '{'],
    ['null', () => 'null'],
    ['no files', d => ({ ...d, files: undefined })],
    [
      'a file outside',
      d => ({ ...d, files: [{ ...d.files[0], path: '../../.ssh/authorized_keys' }] }),
    ],
    [
      'a file with a digest outside',
      d => ({ ...d, files: [{ ...d.files[0], digest: 'sha256:../../../../secret' }] }),
    ],
    ['a file without a digest', d => ({ ...d, files: [{ path: 'x.md', size: 1 }] })],
    ['a SKILL.md elsewhere', d => ({ ...d, file: '../other/SKILL.md' })],
    ['no metadata', d => ({ ...d, metadata: [] })],
    ['an invalid frontmatter', d => ({ ...d, frontmatter: 7 })],
  ] as [string, (details: { files: object[] }) => unknown][])(
    '[BY-9] details with %s are a format error',
    async (_, change) => {
      const files = await packed(memory({ ...A, 'a/x.md': 'x' }))
      const [entry] = catalogOf(files).skills
      const bytes = files[`files/${shortDigest(entry.details)}.json`] as Uint8Array
      const details = change(JSON.parse(new TextDecoder().decode(bytes)))
      const json = typeof details === 'string' ? details : JSON.stringify(details)
      const digest = digestOf(json)
      const hostile = withCatalog(
        { ...files, [`files/${shortDigest(digest)}.json`]: json },
        catalog => {
          catalog.skills[0].details = digest
        },
      )
      const library = await openLibrary(memory(hostile))
      await expect(library.get('a')).rejects.toMatchObject({ code: 'format' })
      await expect(library.read('a', 'x.md')).rejects.toMatchObject({ code: 'format' })
    },
  )
})
