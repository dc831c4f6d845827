import { describe, expect, it } from 'vitest'
import { openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { INDEX_V1, INDEX_V2 } from '../../src/source/well-known/index-paths.js'
import { INDEX_SCHEMA } from '../../src/source/well-known/skill-index.js'
import { wellKnown } from '../../src/source/well-known/well-known.js'
import { bytesOf, zipOf } from './archive-world.js'
import { archiveOf, entryOf, hostOf, indexV2, SITE, siteV1, skill } from './site-world.js'

const names = ({ snapshot }: SkillLibrary): string[] => snapshot.skills.map(({ name }) => name)
const said = ({ snapshot }: SkillLibrary): string[] =>
  snapshot.diagnostics.map(({ code, path, message }) => `${code} ${path} ${message}`)

/** Entries for skills that are there, under the site's root. */
function plain(...all: string[]) {
  return {
    entries: all.map(name => entryOf(name, 'skill-md', `/${name}.md`, skill(name))),
    files: Object.fromEntries(all.map(name => [`/${name}.md`, skill(name)])),
  }
}

describe('an index that is bad', () => {
  it.each<[string, string, string, string]>([
    ['is broken off', '{"skills": [', 'format', 'is not JSON'],
    ['is a list', '[]', 'format', 'is no index of skills'],
    ['is null', 'null', 'format', 'is no index of skills'],
    ['lists nothing', '{}', 'format', 'lists no skills'],
    ['lists no list', '{"skills": {"0": {"name": "a"}}}', 'format', 'lists no skills'],
    [
      'is of a later version',
      '{"$schema": "https://x.example/1.0", "skills": []}',
      'unsupported',
      'https://x.example/1.0',
    ],
    ['has no version that is one', '{"$schema": 2, "skills": []}', 'unsupported', 'unknown $schema 2'],
  ])('[AC-5] that %s is not processed, and says so', async (_, index, code, why) => {
    const host = hostOf({ [`/${INDEX_V2}`]: index })
    await expect(wellKnown(host.at()).list()).rejects.toMatchObject({ code, message: expect.stringContaining(why) })
    await using library = await openLibrary(host.at())
    expect(library.snapshot.diagnostics).toMatchObject([
      { code: 'source-unreadable', message: expect.stringContaining(why) },
    ])
  })

  it('[AC-5] leaves the older one to be read, and is told of', async () => {
    const host = hostOf({ ...siteV1({ 'a/SKILL.md': skill('a') }), [`/${INDEX_V2}`]: '{"$schema": "later"}' })
    await using library = await openLibrary(host.at())
    expect(names(library)).toEqual(['a'])
    expect(said(library)).toEqual([
      expect.stringMatching(/^skill-unreadable \.well-known\/agent-skills\/index\.json .* unknown \$schema "later"/),
    ])
  })

  it('[AC-5] keeps the last good one at a refresh', async () => {
    const { entries, files } = plain('a', 'b')
    const host = hostOf({ ...files, ...indexV2(...entries) })
    await using library = await openLibrary(host.at())
    for (const bad of ['{', '{"$schema": "later", "skills": []}', () => new Response('', { status: 503 })]) {
      host.files[`/${INDEX_V2}`] = bad
      expect(await library.refresh()).toMatchObject({ added: [], changed: [], removed: [] })
      expect(names(library)).toEqual(['a', 'b'])
      expect(library.snapshot.diagnostics).toMatchObject([{ code: 'source-unreadable' }])
      expect((await library.get('a')).instructions).toBe('How to a.')
    }
    delete host.files[`/${INDEX_V2}`]
    await library.refresh()
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'source-missing' }])
    Object.assign(host.files, indexV2(entries[0]))
    expect(await library.refresh()).toMatchObject({ removed: ['skills.example/b'] })
    expect(library.snapshot.diagnostics).toEqual([])
  })
})

describe('a bad entry', () => {
  const good = entryOf('x', 'skill-md', '/x.md', skill('x'))
  it.each<[string, unknown, string]>([
    ['is no object', 'x', 'its name cannot be that of a folder'],
    ['is null', null, 'its name cannot be that of a folder'],
    ['has no name', { ...good, name: undefined }, 'its name cannot be that of a folder'],
    ['is of an unknown type', { ...good, type: 'container' }, 'x has the unknown type "container"'],
    ['has no digest', { ...good, digest: undefined }, 'x has no digest: nothing'],
    ['has half a digest', { ...good, digest: 'sha256:abc' }, 'x has no digest: "sha256:abc"'],
    ['has another digest', { ...good, digest: `sha512:${'0'.repeat(64)}` }, 'x has no digest'],
    ['has no address', { ...good, url: '' }, 'x has no address: ""'],
    ['has an address that is none', { ...good, url: 'https://[' }, 'x has no address'],
    ['is there twice', { ...good, name: 'a' }, 'a is in the index twice'],
  ])('[AC-5] that %s leaves the other four', async (_, entry, why) => {
    const { entries, files } = plain('a', 'b', 'c', 'd')
    const host = hostOf({ ...files, ...indexV2(...entries.slice(0, 2), entry, ...entries.slice(2)) })
    await using library = await openLibrary(host.at())
    expect(names(library)).toEqual(['a', 'b', 'c', 'd'])
    expect(said(library)).toEqual([expect.stringMatching(/^skill-unreadable index\.json\/skills\/2 /)])
    expect(said(library)[0]).toContain(why)
  })

  it.each(['../a', 'a/b', '..', '', '.', '/etc', '%2e%2e', '%252e%252e%252fa', 'a\\b', 'C:', 'a\0b', '．．'])(
    '[BY-9] whose name is %j never becomes a folder',
    async name => {
      const { entries, files } = plain('a')
      for (const site of [
        { ...files, ...indexV2({ ...good, name }, ...entries) },
        { [`/${INDEX_V1}`]: JSON.stringify({ skills: [{ name, files: ['SKILL.md'] }] }) },
      ]) {
        const host = hostOf(site)
        const index = `/${INDEX_V2}` in site ? INDEX_V2 : INDEX_V1
        const listing = await wellKnown(host.at(), { index }).list()
        expect(listing.filter(({ unreadable }) => !unreadable).map(({ path }) => path)).toEqual(
          index === INDEX_V2 ? ['a/SKILL.md'] : [],
        )
        expect(listing.find(({ unreadable }) => unreadable)?.path).toBe('index.json/skills/0')
        expect(host.asked).toEqual([`/${index}`])
      }
    },
  )

  it('[BY-9] of v0.1 has no file that leads out of its folder; its others stay', async () => {
    const files = [
      'SKILL.md',
      '../b/SKILL.md',
      '/etc/passwd',
      '%2e%2e/secret',
      'a\\b',
      7,
      'ok.md',
      'https://x.example/y',
    ]
    const host = hostOf({
      [`/${INDEX_V1}`]: JSON.stringify({
        skills: [{ name: 'a', files }, { name: 'b', files: ['x.md'] }, { name: 'c' }],
      }),
      '/.well-known/skills/a/SKILL.md': skill('a'),
    })
    const source = wellKnown(host.at(), { index: INDEX_V1 })
    const listing = await source.list()
    expect(listing.filter(({ unreadable }) => !unreadable).map(({ path }) => path)).toEqual(['a/SKILL.md', 'a/ok.md'])
    expect(listing.filter(({ unreadable }) => unreadable).map(({ path }) => path)).toEqual([
      ...[1, 2, 3, 4, 5, 7].map(at => `index.json/skills/0/files/${at}`),
      'index.json/skills/1',
      'index.json/skills/2',
    ])
    await using library = await openLibrary(host.at())
    expect(names(library)).toEqual(['a'])
    for (const { url } of host.requests) expect(url.startsWith(SITE)).toBe(true)
  })

  it('[CARD-1] is none for a name of another shape, or that differs in case alone', async () => {
    const all = ['deep_research', 'Deep_Research', '调研', 'a b', 'A'.repeat(80)]
    const { entries, files } = plain(...all)
    await using library = await openLibrary(hostOf({ ...files, ...indexV2(...entries) }).at())
    expect(names(library).sort()).toEqual([...all].sort())
    expect((await library.get('deep_research')).id).toBe('skills.example/deep_research')
    expect((await library.get('Deep_Research')).id).toBe('skills.example/Deep_Research')
  })
})

describe('a bad artifact', () => {
  it('[BY-9] with another digest is not used; the others are', async () => {
    const { entries, files } = plain('a', 'b')
    const zip = await archiveOf({ 'SKILL.md': skill('c') })
    const host = hostOf({
      ...files,
      '/b.md': skill('b', 'Tampered with.'),
      '/c.zip': await archiveOf({ 'SKILL.md': skill('c', 'Tampered with.') }),
      ...indexV2(...entries, entryOf('c', 'archive', '/c.zip', zip)),
    })
    await using library = await openLibrary(host.at())
    expect(names(library)).toEqual(['a', 'c'])
    expect(said(library)).toEqual([
      expect.stringMatching(/^skill-unreadable b\/SKILL\.md .*is not what the index says/),
    ])
    await expect(library.get('c')).rejects.toMatchObject({ code: 'source-failed' })
    await expect(library.read('c', 'SKILL.md')).rejects.toMatchObject({ code: 'source-failed' })
    host.files['/b.md'] = skill('b')
    host.files['/c.zip'] = zip
    expect(await library.refresh()).toMatchObject({ added: ['skills.example/b'] })
    expect((await library.get('c')).instructions).toBe('How to c.')
  })

  it.each<[string, () => Promise<Uint8Array>, string]>([
    ['a bomb', async () => zipOf([{ name: 'SKILL.md', content: new Uint8Array(8 * 1024 * 1024) }]), 'too-large'],
    ['no archive', async () => bytesOf('just text'), 'format'],
    ['half an archive', async () => (await archiveOf({ 'SKILL.md': skill('z') })).slice(0, 80), 'format'],
    ['only names that lead out', async () => zipOf([{ name: '../SKILL.md', content: skill('z') }]), 'format'],
  ])('[BY-9] that is %s fails alone, when it is opened', async (_, make, code) => {
    const { entries, files } = plain('a')
    const bytes = await make()
    const host = hostOf({ ...files, '/z.zip': bytes, ...indexV2(...entries, entryOf('z', 'archive', '/z.zip', bytes)) })
    await using library = await openLibrary(host.at())
    expect(names(library)).toEqual(['a', 'z'])
    await expect(library.get('z')).rejects.toMatchObject({ code })
    expect((await library.get('a')).instructions).toBe('How to a.')
    const listing = await wellKnown(host.at()).list()
    expect(listing.map(({ path, unreadable }) => [path, unreadable !== undefined])).toEqual([
      ['a/SKILL.md', false],
      ['z/SKILL.md', true],
    ])
  })

  it('[BY-9] is not fetched from a place that may not be read', async () => {
    const at = [
      'http://cdn.example/a.md',
      'https://localhost/a.md',
      'https://169.254.169.254/a.md',
      'https://[::1]/a.md',
      'https://0x7f.1/a.md',
      'https://10.1.2.3/a.md',
      'https://router.local/a.md',
      'file:///etc/passwd',
      'data:text/markdown,x',
      'javascript:x',
    ]
    const entries = at.map((url, number) => ({ ...entryOf(`n${number}`, 'skill-md', url, skill('a')) }))
    const { entries: good, files } = plain('a')
    const host = hostOf({ ...files, ...indexV2(...entries, ...good) })
    await using library = await openLibrary(host.at())
    expect(names(library)).toEqual(['a'])
    expect(said(library)).toHaveLength(at.length)
    expect(said(library).every(one => one.includes('may not be read from'))).toBe(true)
    expect(host.requests.every(({ url }) => url.startsWith(SITE))).toBe(true)
  })

  it('[AC-5] of 300 leaves 299; it is tried again at the next refresh', async () => {
    const all = Array.from({ length: 300 }, (_, number) => `s${number}`)
    const files = siteV1(Object.fromEntries(all.map(name => [`${name}/SKILL.md`, skill(name)])))
    const host = hostOf({ ...files })
    host.files['/.well-known/skills/s7/SKILL.md'] = () => new Response('', { status: 500 })
    await using library = await openLibrary(host.at())
    expect(names(library)).toHaveLength(299)
    expect(said(library)).toEqual([expect.stringMatching(/^skill-unreadable s7\/SKILL\.md .*answered 500/)])
    Object.assign(host.files, files)
    expect(await library.refresh()).toMatchObject({ added: ['skills.example/s7'], changed: [], removed: [] })
    expect(said(library)).toEqual([])
  })

  it('[AC-5] that is listed and missing is one diagnostic', async () => {
    const { entries } = plain('a', 'b')
    await using library = await openLibrary(hostOf({ '/a.md': skill('a'), ...indexV2(...entries) }).at())
    expect(names(library)).toEqual(['a'])
    expect(said(library)).toEqual([expect.stringMatching(/^skill-unreadable b\/SKILL\.md .*There is nothing at/)])
  })
})

it('[AC-5] the $schema decides how an index is read, wherever it stands', async () => {
  const host = hostOf({ ...siteV1({ 'a/SKILL.md': skill('a') }) })
  const index = JSON.parse(host.files[`/${INDEX_V1}`] as string) as { skills: object[] }
  host.files[`/${INDEX_V1}`] = JSON.stringify({ $schema: INDEX_SCHEMA, ...index })
  await expect(wellKnown(host.at(), { index: INDEX_V1 }).list()).resolves.toEqual([
    { path: 'index.json/skills/0', unreadable: 'a has the unknown type nothing' },
  ])
})
