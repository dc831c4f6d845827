import { describe, expect, it } from 'vitest'
import { openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { INDEX_SCHEMA, INDEX_V1, INDEX_V2 } from '../../src/source/well-known/site-paths.js'
import { wellKnown } from '../../src/source/well-known/well-known.js'
import { bytesOf, zipOf } from '../core/archive-world.js'
import { archiveOf, entryOf, hostOf, indexV2, SITE, siteV1, skill } from '../core/site-world.js'

const names = ({ snapshot }: SkillLibrary): string[] => snapshot.skills.map(({ name }) => name)
const messages = ({ snapshot }: SkillLibrary): string[] =>
  snapshot.diagnostics.map(({ code, path, message }) => `${code} ${path} ${message}`)

async function listed(source: Pick<ReturnType<typeof wellKnown>, 'list'>) {
  const listing = await source.list()
  const pathsOf = (isReadable: boolean) =>
    listing.flatMap(({ path, unreadable }) => (isReadable === !unreadable ? [path] : []))
  return { readable: pathsOf(true), unreadable: pathsOf(false) }
}

/** Valid entries of SKILL.md files at the root of the site. */
function plain(...all: string[]) {
  return {
    entries: all.map(name => entryOf(name, 'skill-md', `/${name}.md`, skill(name))),
    files: Object.fromEntries(all.map(name => [`/${name}.md`, skill(name)])),
  }
}

describe('invalid index', () => {
  it.each<[string, string, string, string]>([
    ['truncated', '{"skills": [', 'format', 'is not JSON'],
    ['a list', '[]', 'format', 'is not an index of skills'],
    ['null', 'null', 'format', 'is not an index of skills'],
    ['without a list', '{}', 'format', 'has no list of skills'],
    [
      'with an object as list',
      '{"skills": {"0": {"name": "a"}}}',
      'format',
      'has no list of skills',
    ],
    [
      'of a later version',
      '{"$schema": "https://x.example/1.0"}',
      'unsupported',
      'https://x.example/1.0',
    ],
    [
      'with a number as version',
      '{"$schema": 2, "skills": []}',
      'unsupported',
      'unknown $schema 2',
    ],
  ])('[AC-5] skill site reports an index %s', async (_, index, code, why) => {
    const host = hostOf({ [`/${INDEX_V2}`]: index })
    const message = expect.stringContaining(why)
    await expect(wellKnown(host.at()).list()).rejects.toMatchObject({ code, message })
    await using library = await openLibrary(host.at())
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'source-unreadable', message }])
  })

  it('[AC-5] skill site falls back to the v0.1 index and reports the v0.2 index', async () => {
    const host = hostOf({
      ...siteV1({ 'a/SKILL.md': skill('a') }),
      [`/${INDEX_V2}`]: '{"$schema": "later"}',
    })
    await using library = await openLibrary(host.at())
    expect(names(library)).toEqual(['a'])
    const unknown =
      /^skill-unreadable \.well-known\/agent-skills\/index\.json .* unknown \$schema "later"/
    expect(messages(library)).toEqual([expect.stringMatching(unknown)])
  })

  it('[AC-5] skill site keeps the last valid index on refresh', async () => {
    const { entries, files } = plain('a', 'b')
    const host = hostOf({ ...files, ...indexV2(...entries) })
    await using library = await openLibrary(host.at())
    for (const bad of [
      '{',
      '{"$schema": "later", "skills": []}',
      () => new Response('', { status: 503 }),
    ]) {
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

it('[AC-5] skill site reads digests as sites spell them', async () => {
  const { entries, files } = plain('a', 'b', 'c', 'd')
  const hex = (index: number) => String((entries[index] as { digest: string }).digest).slice(7)
  const host = hostOf({
    ...files,
    ...indexV2(
      { ...(entries[0] as object), digest: hex(0) },
      { ...(entries[1] as object), digest: `SHA256:${hex(1).toUpperCase()}` },
      { ...(entries[2] as object), digest: undefined, sha256: hex(2) },
      { ...(entries[3] as object), digest: undefined, sha256: hex(0) },
    ),
  })
  await using library = await openLibrary(host.at())
  expect(names(library)).toEqual(['a', 'b', 'c'])
})

describe('invalid entry', () => {
  const good = entryOf('x', 'skill-md', '/x.md', skill('x'))
  it.each<[string, unknown, string]>([
    ['that is a string', 'x', 'its name is not a valid folder name'],
    ['that is null', null, 'its name is not a valid folder name'],
    ['without a name', { ...good, name: undefined }, 'its name is not a valid folder name'],
    ['of an unknown type', { ...good, type: 'container' }, 'x has the unknown type "container"'],
    ['without a digest', { ...good, digest: undefined }, 'x has an invalid digest: undefined'],
    [
      'with a short digest',
      { ...good, digest: 'sha256:abc' },
      'x has an invalid digest: "sha256:abc"',
    ],
    [
      'with another digest algorithm',
      { ...good, digest: `sha512:${'0'.repeat(64)}` },
      'x has an invalid digest',
    ],
    ['with an empty URL', { ...good, url: '' }, 'x has an invalid url: ""'],
    ['with an invalid URL', { ...good, url: 'https://[' }, 'x has an invalid url'],
    ['listed twice', { ...good, name: 'a' }, 'a is listed twice'],
  ])('[AC-5] skill site skips an entry %s and keeps the other four', async (_, entry, why) => {
    const { entries, files } = plain('a', 'b', 'c', 'd')
    const host = hostOf({
      ...files,
      ...indexV2(...entries.slice(0, 2), entry, ...entries.slice(2)),
    })
    await using library = await openLibrary(host.at())
    expect(names(library)).toEqual(['a', 'b', 'c', 'd'])
    expect(messages(library)).toEqual([
      expect.stringMatching(/^skill-unreadable index\.json\/skills\/2 /),
    ])
    expect(messages(library)[0]).toContain(why)
  })

  it.each([
    '../a',
    'a/b',
    '..',
    '',
    '.',
    '/etc',
    '%2e%2e',
    '%252e%252e%252fa',
    'a\\b',
    'C:',
    'a\0b',
    '．．',
  ])('[BY-9] skill site rejects an entry named %j', async name => {
    const { entries, files } = plain('a')
    for (const site of [
      { ...files, ...indexV2({ ...good, name }, ...entries) },
      { [`/${INDEX_V1}`]: JSON.stringify({ skills: [{ name, files: ['SKILL.md'] }] }) },
    ]) {
      const host = hostOf(site)
      const index = `/${INDEX_V2}` in site ? INDEX_V2 : INDEX_V1
      const { readable, unreadable } = await listed(wellKnown(host.at(), { index }))
      expect(readable).toEqual(index === INDEX_V2 ? ['a/SKILL.md'] : [])
      expect(unreadable).toEqual(['index.json/skills/0'])
      expect(host.requested).toEqual([`/${index}`])
    }
  })

  it('[BY-9] skill site skips v0.1 files that leave their folder', async () => {
    const bad = ['../b/SKILL.md', '/etc/passwd', '%2e%2e/secret', 'a\\b', 7, 'https://x.example/y']
    const skills = [
      { name: 'a', files: ['SKILL.md', ...bad, 'ok.md'] },
      { name: 'b', files: ['x.md'] },
      { name: 'c' },
    ]
    const index = JSON.stringify({ skills })
    const host = hostOf({ [`/${INDEX_V1}`]: index, '/.well-known/skills/a/SKILL.md': skill('a') })
    const { readable, unreadable } = await listed(wellKnown(host.at(), { index: INDEX_V1 }))
    expect(readable).toEqual(['a/SKILL.md', 'a/ok.md'])
    const places = [1, 2, 3, 4, 5, 6].map(at => `0/files/${at}`)
    expect(unreadable).toEqual([...places, '1', '2'].map(place => `index.json/skills/${place}`))
    await using library = await openLibrary(host.at())
    expect(names(library)).toEqual(['a'])
    for (const { url } of host.requests) expect(url.startsWith(SITE)).toBe(true)
  })

  it('[CARD-1] skill site accepts names outside the specification and names that differ in case', async () => {
    const all = ['deep_research', 'Deep_Research', '调研', 'a b', 'A'.repeat(80)]
    const { entries, files } = plain(...all)
    await using library = await openLibrary(hostOf({ ...files, ...indexV2(...entries) }).at())
    expect(names(library).sort()).toEqual([...all].sort())
    expect((await library.get('deep_research')).id).toBe('skills.example/deep_research')
    expect((await library.get('Deep_Research')).id).toBe('skills.example/Deep_Research')
  })
})

describe('invalid artifact', () => {
  it('[BY-9] skill site rejects an artifact with a different digest', async () => {
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
    const mismatch = /^skill-unreadable b\/SKILL\.md .*does not match the index/
    expect(messages(library)).toEqual([expect.stringMatching(mismatch)])
    await expect(library.get('c')).rejects.toMatchObject({ code: 'source-failed' })
    await expect(library.read('c', 'SKILL.md')).rejects.toMatchObject({ code: 'source-failed' })
    host.files['/b.md'] = skill('b')
    host.files['/c.zip'] = zip
    expect(await library.refresh()).toMatchObject({ added: ['skills.example/b'] })
    expect((await library.get('c')).instructions).toBe('How to c.')
  })

  it.each<[string, () => Promise<Uint8Array>, string]>([
    [
      'a bomb',
      async () => zipOf([{ name: 'SKILL.md', content: new Uint8Array(8 * 1024 * 1024) }]),
      'too-large',
    ],
    ['a text', async () => bytesOf('just text'), 'format'],
    [
      'half an archive',
      async () => (await archiveOf({ 'SKILL.md': skill('z') })).slice(0, 80),
      'format',
    ],
    [
      'an archive of names that leave it',
      async () => zipOf([{ name: '../SKILL.md', content: skill('z') }]),
      'format',
    ],
  ])('[BY-9] skill site reports %s when the skill is opened', async (_, make, code) => {
    const { entries, files } = plain('a')
    const bytes = await make()
    const host = hostOf({
      ...files,
      '/z.zip': bytes,
      ...indexV2(...entries, entryOf('z', 'archive', '/z.zip', bytes)),
    })
    await using library = await openLibrary(host.at())
    expect(names(library)).toEqual(['a', 'z'])
    await expect(library.get('z')).rejects.toMatchObject({ code })
    expect((await library.get('a')).instructions).toBe('How to a.')
    const found = await listed(wellKnown(host.at()))
    expect(found).toEqual({ readable: ['a/SKILL.md'], unreadable: ['z/SKILL.md'] })
  })

  it('[BY-9] skill site does not fetch artifacts from private hosts or other schemes', async () => {
    const hosts = ['localhost', '169.254.169.254', '[::1]', '0x7f.1', '10.1.2.3', 'router.local']
    const others = [
      'http://cdn.example/a.md',
      'file:///etc/passwd',
      'data:text/markdown,x',
      'javascript:x',
    ]
    const at = [...hosts.map(name => `https://${name}/a.md`), ...others]
    const entries = at.map((url, number) => ({
      ...entryOf(`n${number}`, 'skill-md', url, skill('a')),
    }))
    const { entries: good, files } = plain('a')
    const host = hostOf({ ...files, ...indexV2(...entries, ...good) })
    await using library = await openLibrary(host.at())
    expect(names(library)).toEqual(['a'])
    expect(messages(library)).toHaveLength(at.length)
    expect(messages(library).every(one => one.includes('may not be read from'))).toBe(true)
    expect(host.requests.every(({ url }) => url.startsWith(SITE))).toBe(true)
  })

  it('[AC-5] skill site skips one failing skill of 300 and retries it on refresh', async () => {
    const all = Array.from({ length: 300 }, (_, number) => `s${number}`)
    const files = siteV1(Object.fromEntries(all.map(name => [`${name}/SKILL.md`, skill(name)])))
    const host = hostOf({ ...files })
    host.files['/.well-known/skills/s7/SKILL.md'] = () => new Response('', { status: 500 })
    await using library = await openLibrary(host.at())
    expect(names(library)).toHaveLength(299)
    expect(messages(library)).toEqual([
      expect.stringMatching(/^skill-unreadable s7\/SKILL\.md .*answered 500/),
    ])
    Object.assign(host.files, files)
    expect(await library.refresh()).toMatchObject({
      added: ['skills.example/s7'],
      changed: [],
      removed: [],
    })
    expect(messages(library)).toEqual([])
  })

  it('[AC-5] skill site reports a missing artifact', async () => {
    const { entries } = plain('a', 'b')
    await using library = await openLibrary(
      hostOf({ '/a.md': skill('a'), ...indexV2(...entries) }).at(),
    )
    expect(names(library)).toEqual(['a'])
    expect(messages(library)).toEqual([
      expect.stringMatching(/^skill-unreadable b\/SKILL\.md .*was not found/),
    ])
  })
})

it('[AC-5] skill site selects the version of an index by its $schema', async () => {
  const host = hostOf({ ...siteV1({ 'a/SKILL.md': skill('a') }) })
  const index = JSON.parse(host.files[`/${INDEX_V1}`] as string) as { skills: object[] }
  host.files[`/${INDEX_V1}`] = JSON.stringify({ $schema: INDEX_SCHEMA, ...index })
  await expect(wellKnown(host.at(), { index: INDEX_V1 }).list()).resolves.toEqual([
    { path: 'index.json/skills/0', unreadable: 'a has the unknown type undefined' },
  ])
})
