import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../src/core/bytes.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { findCatalog } from '../../src/library/catalog/find-catalog.js'
import type { FileEntry, SkillSource } from '../../src/source/source.js'
import { INDEX_V1, INDEX_V2 } from '../../src/source/well-known/site-paths.js'
import { bytesOf, zipOf } from '../core/archive-world.js'
import { archiveOf, entryOf, hostOf, indexV2, SITE, siteV1, skill } from '../core/site-world.js'
import { packedFiles } from '../packed-files.js'

const ids = ({ snapshot }: SkillLibrary): string[] => snapshot.skills.map(({ id }) => id)
const codes = ({ snapshot }: SkillLibrary): string[] => snapshot.diagnostics.map(({ code }) => code)

const TREE = { 'a/SKILL.md': skill('a'), 'a/x.md': 'x', 'b/SKILL.md': skill('b') }

describe('a folder', () => {
  it('[BY-5] with a packed library opens it in two reads and ignores other files', async () => {
    const packed = Object.entries(await packedFiles(memory(TREE))).map(([path, bytes]) => [
      `/${path}`,
      bytes,
    ])
    const host = hostOf({ ...siteV1({ 'z/SKILL.md': skill('z') }), ...Object.fromEntries(packed) })
    await using library = await openLibrary(host.at())
    expect(ids(library)).toEqual(['skills.example/a', 'skills.example/b'])
    expect(host.requested).toEqual([
      '/skillshelf.json',
      expect.stringMatching(/^\/[0-9a-f]{16}\.seg$/),
    ])
    expect((await library.read('a', 'x.md')).text).toBe('x')
  })

  it('[CARD-1] that is a skill site is requested in parallel, and the later version is used', async () => {
    const old = siteV1({ 'old/SKILL.md': skill('old') })
    const index = indexV2(entryOf('new', 'skill-md', '/new.md', skill('new')))
    const host = hostOf({ ...old, ...index, '/new.md': skill('new') })
    await using library = await openLibrary(host.at())
    expect(ids(library)).toEqual(['skills.example/new'])
    expect(host.requested).toEqual([
      '/skillshelf.json',
      `/${INDEX_V2}`,
      `/${INDEX_V1}`,
      '/',
      '/new.md',
    ])
    await using older = await openLibrary(hostOf(old).at())
    expect(ids(older)).toEqual(['skills.example/old'])
  })

  it('[CARD-1] is used before the root of its host', async () => {
    const site = Object.entries(siteV1({ 'here/SKILL.md': skill('here') }))
    const here = Object.fromEntries(site.map(([path, content]) => [`/docs${path}`, content]))
    const host = hostOf({ ...siteV1({ 'root/SKILL.md': skill('root') }), ...here })
    await using library = await openLibrary(host.at('docs'))
    expect(ids(library)).toEqual(['docs/here'])
    await using root = await openLibrary(host.at('other/'))
    expect(ids(root)).toEqual(['other/root'])
    const folder = ['skillshelf.json', INDEX_V2, INDEX_V1, ''].map(path => `/other/${path}`)
    const top = [`/${INDEX_V2}`, `/${INDEX_V1}`, '/.well-known/skills/root/SKILL.md']
    expect(host.requested.slice(-7)).toEqual([...folder, ...top])
  })

  it('[CARD-1] that can be listed is a tree without further requests', async () => {
    const files = memory(TREE)
    const source: SkillSource = { ...files, fetch: async () => expect.unreachable() }
    expect(await findCatalog(source)).toEqual({ kind: 'tree', source })
  })

  it.each<[string, SkillSource]>([
    ['that can only be read', { name: 'none', read: async () => undefined }],
    ['on a host that has nothing', hostOf({}).at('none/')],
  ])('[AC-5] %s and has no library is an error with a hint', async (_, source) => {
    const message = expect.stringMatching(
      /^none has no skillshelf\.json.*\(run `npx skillshelf pack`/,
    )
    await expect(findCatalog(source)).rejects.toMatchObject({ code: 'source-not-found', message })
    await using library = await openLibrary(source)
    expect(codes(library)).toEqual(['source-missing'])
  })

  it('[AC-5] without skills is an error that names everything that was tried', async () => {
    const tried = `https://skills.example/none/ is not a skill site (${INDEX_V2} or ${INDEX_V1})`
    await expect(findCatalog(hostOf({}).at('none/'))).rejects.toThrow(tried)
  })

  it('[AC-5] on a host that answers 403 for missing files is a site', async () => {
    const site = siteV1({ 'a/SKILL.md': skill('a') })
    const refuse = () => new Response('', { status: 403 })
    const host = hostOf({
      ...site,
      '/skillshelf.json': refuse,
      [`/${INDEX_V2}`]: refuse,
      '/': refuse,
    })
    await using library = await openLibrary(host.at())
    expect(ids(library)).toEqual(['skills.example/a'])
    host.files = { '/skillshelf.json': refuse }
    await expect(findCatalog(host.at())).rejects.toMatchObject({
      code: 'source-failed',
      details: { status: 403 },
    })
  })

  it.each([500, 503, 429])(
    '[AC-5] on a host that answers %i is an error, not another kind of source',
    async status => {
      const site = siteV1({ 'a/SKILL.md': skill('a') })
      const host = hostOf({ ...site, '/skillshelf.json': () => new Response('', { status }) })
      await expect(findCatalog(host.at())).rejects.toMatchObject({
        code: 'source-failed',
        details: { status },
      })
      expect(host.requested).toEqual(['/skillshelf.json'])
    },
  )

  it('[AC-5] with one failed request and nothing else found is source-failed, not source-not-found', async () => {
    const down = () => new Response('', { status: 500 })
    await expect(findCatalog(hostOf({ [`/x/${INDEX_V2}`]: down }).at('x/'))).rejects.toMatchObject({
      code: 'source-failed',
    })
    // A failure at the root of the host says nothing about a folder.
    const elsewhere = hostOf({ [`/${INDEX_V2}`]: down }).at('x/')
    await expect(findCatalog(elsewhere)).rejects.toMatchObject({ code: 'source-not-found' })
  })

  it('[CARD-1] rejects with "aborted" during detection', async () => {
    const stop = new AbortController()
    const answer = async () => {
      stop.abort(new Error('enough'))
      return new Response('{}')
    }
    const host = hostOf({ [`/${INDEX_V2}`]: answer })
    await expect(findCatalog(host.at(), { signal: stop.signal })).rejects.toMatchObject({
      code: 'aborted',
    })
  })

  it('[CARD-1] aborts the other requests once it is found', async () => {
    let ended = false
    const host = hostOf({
      ...siteV1({ 'a/SKILL.md': skill('a') }),
      '/': (_, { signal }) =>
        new Promise<Response>((_, reject) => {
          signal?.addEventListener('abort', () => {
            ended = true
            reject(signal.reason)
          })
        }),
    })
    await findCatalog(host.at())
    expect(ended).toBe(true)
  })

  it.each<[string, object]>([
    ['no bytes', { bytes: 'text', url: 'x:/' }],
    ['no address', { bytes: bytesOf(skill('a')) }],
  ])('[AC-5] whose source returns %s is one clear error', async (_, found) => {
    const fetch = (async () => found) as unknown as NonNullable<SkillSource['fetch']>
    await using library = await openLibrary({ name: 'odd', read: async () => undefined, fetch })
    const message = expect.stringContaining('could not be read: the result has no "')
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'source-unreadable', message }])
  })

  it('[AC-5] whose source lists an incomplete summary is one clear error', async () => {
    const entry = { path: 'a/SKILL.md', summary: { name: 'a' } } as unknown as FileEntry
    await using library = await openLibrary({
      name: 'odd',
      read: async () => undefined,
      list: async () => [entry],
    })
    expect(codes(library)).toEqual(['source-unreadable'])
  })

  it('[AC-5] that could not be read at first is read by a refresh', async () => {
    const host = hostOf({})
    await using library = await openLibrary(host.at())
    expect(codes(library)).toEqual(['source-missing'])
    Object.assign(host.files, siteV1({ 'a/SKILL.md': skill('a') }))
    expect(await library.refresh()).toMatchObject({ added: ['skills.example/a'] })
    expect(codes(library)).toEqual([])
  })
})

describe('one file', () => {
  const bundle = JSON.stringify(TREE)
  const kinds: [string, () => Promise<Uint8Array | string>, readonly string[]][] = [
    ['a zip', () => archiveOf(TREE), ['a', 'b']],
    ['a tar.gz', () => archiveOf(TREE, 'tar.gz'), ['a', 'b']],
    [
      'an archive with a top folder',
      () => archiveOf({ 'repo-main/a/SKILL.md': skill('a') }),
      ['a'],
    ],
    ['a zip that is one skill', () => archiveOf({ 'SKILL.md': skill('one') }), ['']],
    ['a JSON bundle', async () => bundle, ['a', 'b']],
    [
      'a JSON bundle with files',
      async () => `\uFEFF {"version": 1, "files": ${bundle}}`,
      ['a', 'b'],
    ],
    ['a SKILL.md', async () => `\uFEFF\n${skill('one')}`, ['']],
  ]
  it.each(kinds)('[CARD-1] %s is a library at any address', async (_, make, folders) => {
    const content = await make()
    for (const address of ['/download?id=5', '/set.zip', '/set.json', '/set.md', '/v1/set']) {
      const headers = { 'content-type': 'text/html' }
      const host = hostOf({ [address]: () => new Response(bytesOf(content), { headers }) })
      await using library = await openLibrary(host.at(address))
      const name = address.startsWith('/download') ? 'download' : 'set'
      expect(ids(library), address).toEqual(
        folders.map(folder => (folder === '' ? name : `${name}/${folder}`)),
      )
      expect((await library.get(ids(library)[0] as string)).instructions).toMatch(
        /^How to (?:a|one)\.$/,
      )
      // An address that names a file needs no other request.
      if (/\.\w+$/.test(address)) expect(host.requested).toEqual([address])
    }
  })

  it.each<[string, Uint8Array | string]>([
    ['a page', '<!doctype html>'],
    ['an article', '---\ntitle: News\n---\nText.'],
    ['some JSON', '{"name": "a", "a/SKILL.md": 1}'],
    ['JSON that is a list', '["SKILL.md"]'],
    ['broken JSON', '{"a/SKILL.md": '],
    ['plain text', 'plain'],
    ['an empty file', ''],
    ['an executable', concatBytes([bytesOf('MZ'), new Uint8Array(600)])],
  ])('[CARD-1] %s is not a library, so the site of its host is used', async (_, content) => {
    const host = hostOf({ ...siteV1({ 'root/SKILL.md': skill('root') }), '/docs': content })
    await using library = await openLibrary(host.at('docs'))
    expect(ids(library)).toEqual(['docs/root'])
    expect(codes(library)).toEqual([])
  })

  const zip = zipOf([{ name: 'SKILL.md', content: skill('a') }])
  it.each<[string, string, content: Uint8Array | string | undefined, why: string, code?: string]>([
    ['a page', '/x.zip', 'not a page\n', 'is not a zip, tar.gz or tar archive'],
    [
      'a missing file',
      '/x.zip',
      undefined,
      'Nothing found at https://skills.example/x.zip',
      'source-missing',
    ],
    ['an unsupported archive', '/x.zip', Uint8Array.of(0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c), '7z'],
    ['a truncated zip', '/x.zip', zip.slice(0, 60), ''],
    ['broken JSON', '/x.json', '{"a', 'is not valid JSON'],
    [
      'JSON without a skill',
      '/x.json',
      '{"a": "b"}',
      'is not a zip, tar.gz or tar archive, a JSON bundle',
    ],
  ])(
    '[AC-5] %s is one clear error',
    async (_, address, content, why, code = 'source-unreadable') => {
      await using library = await openLibrary(
        hostOf(content === undefined ? {} : { [address]: content }).at(address),
      )
      expect(library.snapshot.diagnostics).toMatchObject([
        { code, message: expect.stringContaining(why) },
      ])
    },
  )

  it('[BY-9] invalid paths of a bundle are left out and reported', async () => {
    const bad = {
      '../b/SKILL.md': skill('b'),
      '/etc/passwd': 'x',
      '%2e%2e/c': 'x',
      'a/number.md': 7,
    }
    const json = JSON.stringify({ 'a/SKILL.md': skill('a'), ...bad, './a/ok.md': 'ok' })
    const host = hostOf({
      '/x.json': json.replace('{', `{"__proto__": ${JSON.stringify(skill('p'))}, `),
    })
    await using library = await openLibrary(host.at('x.json'))
    expect(ids(library)).toEqual(['x/a'])
    expect((await library.get('a')).files.map(({ path }) => path)).toEqual(['ok.md'])
    expect(library.snapshot.diagnostics.map(({ code, path }) => [code, path])).toEqual(
      [2, 3, 4, 5].map(number => ['skill-unreadable', `bundle.json/${number}`]),
    )
    expect(library.snapshot.diagnostics[0]?.message).toContain(
      '"../b/SKILL.md" is not a valid relative path',
    )
  })

  it('[BY-9] a zip bomb is one clear error', async () => {
    const host = hostOf({
      '/x.zip': zipOf([{ name: 'SKILL.md', content: new Uint8Array(8 * 1024 * 1024) }]),
    })
    await using library = await openLibrary(host.at('x.zip'))
    const message = expect.stringContaining('times its size')
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'source-unreadable', message }])
  })

  it('[CARD-1] the index of a site opens by its own address', async () => {
    const index = indexV2(entryOf('a', 'skill-md', 'a.md', skill('a')))[`/${INDEX_V2}`] as string
    const host = hostOf({ '/mine/index.json': index, '/mine/a.md': skill('a') })
    await using library = await openLibrary(host.at('mine/index.json'))
    expect(ids(library)).toEqual(['mine/a'])
    expect(host.requested).toEqual(['/mine/index.json', '/mine/a.md'])
    await using well = await openLibrary(hostOf(siteV1({ 'b/SKILL.md': skill('b') })).at(INDEX_V1))
    expect(ids(well)).toEqual(['skills.example/b'])
  })

  it.each([
    ['an archive', () => archiveOf(TREE), () => archiveOf({ ...TREE, 'c/SKILL.md': skill('c') })],
    [
      'a bundle',
      async () => bundle,
      async () => JSON.stringify({ ...TREE, 'c/SKILL.md': skill('c') }),
    ],
  ])('[AC-6] %s is requested again by a refresh; the last valid one stays', async (_, one, two) => {
    const host = hostOf({ '/x.json': await one() })
    await using library = await openLibrary(host.at('x.json'))
    expect(await library.refresh()).toMatchObject({ added: [], changed: [], removed: [] })
    expect(host.requested).toEqual(['/x.json', '/x.json'])
    const down = () => new Response('', { status: 502 })
    for (const bad of ['{', 'text', '<html>', bytesOf('PK\x03\x04 and no more'), down]) {
      host.files['/x.json'] = bad
      expect(await library.refresh()).toMatchObject({ added: [], changed: [], removed: [] })
      expect(codes(library)).toEqual(['source-unreadable'])
      expect((await library.read('a', 'x.md')).text).toBe('x')
    }
    delete host.files['/x.json']
    await library.refresh()
    expect(codes(library)).toEqual(['source-missing'])
    host.files['/x.json'] = await two()
    expect(await library.refresh()).toMatchObject({ added: ['x/c'], changed: [], removed: [] })
    expect(codes(library)).toEqual([])
  })
})

describe('the name of an address', () => {
  it.each([
    ['https://h.example/my%20skills.tar.gz?token=1', 'my skills'],
    ['https://h.example/a/pdf.skill', 'pdf'],
    ['https://h.example/skills/pdf/SKILL.md', 'pdf'],
    ['https://h.example/sets/office.json', 'office'],
    ['https://h.example/download?id=5', 'download'],
    ['https://h.example/v1.zip/', 'v1.zip'],
    [`https://h.example/${INDEX_V2}`, 'h.example'],
    [`https://h.example/docs/${INDEX_V1}`, 'docs'],
    ['https://h.example/.well-known/agent-skills/', 'h.example'],
    ['https://h.example/.zip', 'h.example'],
  ])('[CARD-1] %s is %s', (address, name) => {
    expect(hostOf({}).at(address).name).toBe(name)
  })

  it('[CARD-1] root returns the address without query and fragment', () => {
    expect(hostOf({}).at('a/x.zip?token=1#y').root?.('')).toBe(`${SITE}a/x.zip`)
    expect(hostOf({}).at('a/x.zip').root?.('b.md')).toBe(`${SITE}a/b.md`)
  })
})
