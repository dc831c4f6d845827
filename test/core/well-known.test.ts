import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import { openLibrary } from '../../src/exports/index.js'
import { pack } from '../../src/exports/store.js'
import { sourceSuite } from '../../src/exports/testing.js'
import type { ReadResult } from '../../src/source/source.js'
import { INDEX_V1, INDEX_V2 } from '../../src/source/well-known/site-paths.js'
import { wellKnown } from '../../src/source/well-known/well-known.js'
import type { Files } from '../packed-files.js'
import { archiveOf, entryOf, hostOf, indexV2, siteV1, skill } from './site-world.js'

const text = (result: ReadResult | 'unchanged' | undefined): string =>
  typeof result === 'object' ? new TextDecoder().decode(result.bytes) : String(result)

const FORM = {
  'SKILL.md': skill('forms', 'Fills forms.'),
  'scripts/fill.py': 'print()',
  'a b/调研.md': 'é',
}

/** A site with one skill of each type. */
async function site(
  format: 'zip' | 'tar.gz' = 'zip',
  files: Readonly<Record<string, string>> = FORM,
) {
  const packed = await archiveOf(files, format)
  const plain = skill('notes', 'Takes notes.')
  const notes = entryOf('notes', 'skill-md', 'notes/SKILL.md', plain)
  const index = indexV2(notes, entryOf('forms', 'archive', '/packed/forms.bin', packed))
  const artifacts = {
    '/.well-known/agent-skills/notes/SKILL.md': plain,
    '/packed/forms.bin': packed,
  }
  const host = hostOf({ ...index, ...artifacts })
  return { host, source: wellKnown(host.at()), packed }
}

describe('v0.1', () => {
  const make = async (files: Files) => ({
    source: wellKnown(hostOf(siteV1(files)).at(), { index: INDEX_V1 }),
  })
  // Every file of an index belongs to a skill with a SKILL.md.
  for (const { name, run } of sourceSuite(make, {
    cannotHold: path => !path.startsWith('slides/'),
  }))
    it(`[CARD-1] well-known v0.1: ${name}`, run)

  const makeArchive = async (files: Files) => {
    const own = Object.entries(files).map(
      ([path, content]) => [path.slice('slides/'.length), content] as const,
    )
    const packed = await archiveOf(Object.fromEntries(own))
    const host = hostOf({
      ...indexV2(entryOf('slides', 'archive', '/slides.zip', packed)),
      '/slides.zip': packed,
    })
    return { source: wellKnown(host.at()) }
  }
  for (const { name, run } of sourceSuite(makeArchive, {
    cannotHold: path => !path.startsWith('slides/'),
  }))
    it(`[CARD-1] well-known v0.2: ${name}`, run)

  it('[CARD-1] skill site reads names with characters reserved in URLs', async () => {
    const files = {
      '100%/SKILL.md': 'a',
      '100%/a b#c?d=e.md': 'b',
      '调研/SKILL.md': 'c',
      '调研/🛫.md': 'd',
    }
    const { source } = await make(files)
    expect((await source.list?.())?.map(({ path }) => path)).toEqual(Object.keys(files))
    for (const [path, content] of Object.entries(files))
      expect(text(await source.read(path))).toBe(content)
  })

  it('[CARD-1] skill site v0.1 revalidates every SKILL.md', async () => {
    const host = hostOf(
      siteV1({ 'a/SKILL.md': skill('a'), 'b/SKILL.md': skill('b'), 'b/x.md': 'x' }),
    )
    await using library = await openLibrary(host.at())
    expect(library.snapshot.skills.map(({ id }) => id)).toEqual([
      'skills.example/a',
      'skills.example/b',
    ])
    host.requests.length = 0
    expect(await library.refresh()).toMatchObject({ added: [], changed: [], removed: [] })
    const paths = host.requests.map(({ url }) => url.replace(/.*well-known/, ''))
    expect(paths).toEqual(['/skills/index.json', '/skills/a/SKILL.md', '/skills/b/SKILL.md'])
    // Pages revalidate through the browser cache.
    for (const { init } of host.requests)
      expect(init.headers['if-none-match'] ?? init.cache).toMatch(/^"|no-cache/)
    host.files['/.well-known/skills/b/SKILL.md'] = skill('b', 'Other.')
    expect(await library.refresh()).toMatchObject({
      added: [],
      changed: ['skills.example/b'],
      removed: [],
    })
  })
})

describe('v0.2', () => {
  it.each(['zip', 'tar.gz'] as const)(
    '[CARD-1] skill site lists and reads a SKILL.md and a %s',
    async format => {
      const { source, packed } = await site(format)
      const version = digestOf(packed)
      expect(await source.list()).toEqual([
        { path: 'notes/SKILL.md', version: digestOf(skill('notes', 'Takes notes.')) },
        ...['SKILL.md', 'a b/调研.md', 'scripts/fill.py'].map(path => ({
          path: `forms/${path}`,
          size: new TextEncoder().encode(FORM[path as keyof typeof FORM]).length,
          version,
        })),
      ])
      for (const [path, content] of Object.entries(FORM)) {
        expect(text(await source.read(`forms/${path}`))).toBe(content)
        expect(await source.read(`forms/${path}`, { ifVersion: version })).toBe('unchanged')
      }
      for (const path of ['forms', 'forms/x.md', 'x/SKILL.md', 'notes/forms/SKILL.md'])
        expect(await source.read(path)).toBeUndefined()
    },
  )

  it('[CARD-1] skill site lists a summary of an archive without downloading it', async () => {
    const { host, source, packed } = await site()
    const version = digestOf(packed)
    const summary = { name: 'forms', description: 'Does forms, says the index.' }
    expect((await source.list({ summaries: true }))[1]).toEqual({
      path: 'forms/SKILL.md',
      version,
      summary,
    })
    expect(host.requested).toEqual([`/${INDEX_V2}`])
    const inside = await source.list({ summaries: true, folder: 'forms' })
    expect(inside.map(({ path }) => path)).toEqual([
      'forms/SKILL.md',
      'forms/a b/调研.md',
      'forms/scripts/fill.py',
    ])
    expect(inside.every(one => one.version === version && !one.summary)).toBe(true)
    expect(host.requested).toEqual([`/${INDEX_V2}`, '/packed/forms.bin'])
  })

  it('[CARD-1] skill site downloads an artifact once, and again after its digest changed', async () => {
    const { host, source, packed } = await site()
    await source.list({ summaries: true })
    await Promise.all(
      ['SKILL.md', 'scripts/fill.py', 'x'].map(path => source.read(`forms/${path}`)),
    )
    await source.list()
    expect(host.requested.filter(one => one === '/packed/forms.bin')).toHaveLength(1)
    Object.assign(host.files, indexV2(entryOf('forms', 'archive', '/packed/forms.bin', packed)))
    expect(await source.list()).toHaveLength(3)
    expect(host.requested.filter(one => one === '/packed/forms.bin')).toHaveLength(1)
    const next = await archiveOf({ 'SKILL.md': skill('forms', 'Newer.') })
    Object.assign(host.files, indexV2(entryOf('forms', 'archive', '/packed/forms.bin', next)))
    host.files['/packed/forms.bin'] = next
    expect((await source.list()).map(({ path }) => path)).toEqual(['forms/SKILL.md'])
    expect(text(await source.read('forms/SKILL.md'))).toContain('Newer.')
    expect(host.requested.filter(one => one === '/packed/forms.bin')).toHaveLength(2)
  })

  it('[CARD-1] skill site keeps a shared download running when one reader aborts', async () => {
    const { host, source, packed } = await site()
    await source.list({ summaries: true })
    const stop = new AbortController()
    host.files['/packed/forms.bin'] = () => {
      stop.abort()
      return new Response(packed)
    }
    const reads = [{ signal: stop.signal }, {}].map(options =>
      source.read('forms/SKILL.md', options),
    )
    const [left, stayed] = await Promise.allSettled(reads)
    expect(left).toMatchObject({ status: 'rejected', reason: { code: 'aborted' } })
    expect(stayed).toMatchObject({ status: 'fulfilled', value: { version: digestOf(packed) } })
  })

  it('[CARD-1] skill site resolves URLs relative to the index after redirects', async () => {
    const plain = skill('a')
    const location = 'https://cdn.example/v/i.json'
    const index = indexV2(
      entryOf('a', 'skill-md', 'a.md', plain),
      entryOf('b', 'skill-md', '/b.md', plain),
      entryOf('c', 'skill-md', 'https://third.example/c.md', plain),
    )
    const host = hostOf({
      [`/${INDEX_V2}`]: () => new Response(null, { status: 301, headers: { location } }),
      [location]: index[`/${INDEX_V2}`] as string,
      'https://cdn.example/v/a.md': plain,
      'https://cdn.example/b.md': plain,
      'https://third.example/c.md': plain,
    })
    const source = wellKnown(host.at())
    for (const name of ['a', 'b', 'c'])
      expect(text(await source.read(`${name}/SKILL.md`))).toBe(plain)
  })

  it.each([
    ['a top folder', { 'forms-1.0/SKILL.md': skill('forms'), 'forms-1.0/x.md': 'x' }],
    [
      'files beside the top folder',
      { 'forms/SKILL.md': skill('forms'), 'forms/x.md': 'x', 'README.md': 'r' },
    ],
    ['another spelling', { 'skill.md': skill('forms'), 'x.md': 'x' }],
  ])('[CARD-1] skill site finds the skill in an archive with %s', async (_, files) => {
    const { source } = await site('tar.gz', files)
    const inside = await source.list({ folder: 'forms' })
    expect(inside.map(({ path }) => path).sort()).toEqual(['forms/SKILL.md', 'forms/x.md'])
    expect(text(await source.read('forms/SKILL.md'))).toBe(skill('forms'))
    expect(text(await source.read('forms/x.md'))).toBe('x')
  })

  it.each([
    ['no SKILL.md', { 'README.md': 'r' }, 'no SKILL.md'],
    [
      'two skills',
      { 'a/SKILL.md': skill('a'), 'b/SKILL.md': skill('b') },
      'more than one SKILL.md',
    ],
  ])('[AC-5] skill site reports an archive with %s', async (_, files, why) => {
    const { source } = await site('zip', files)
    expect((await source.list())[1]).toEqual({
      path: 'forms/SKILL.md',
      unreadable: expect.stringContaining(why),
    })
    await expect(source.read('forms/SKILL.md')).rejects.toMatchObject({ code: 'format' })
  })
})

describe('library of a skill site', () => {
  it('[CARD-1] library of a skill site downloads an archive when its skill is opened', async () => {
    const { host, packed } = await site()
    await using library = await openLibrary(host.at())
    expect(library.snapshot.diagnostics).toEqual([])
    expect(host.requested).not.toContain('/packed/forms.bin')
    const [forms, notes] = library.snapshot.skills
    expect(forms).toMatchObject({
      id: 'skills.example/forms',
      description: 'Does forms, says the index.',
      digest: digestOf(packed),
      tokens: { instructions: 5_000 },
      unread: true,
    })
    expect(notes).toMatchObject({
      description: 'Takes notes.',
      digest: digestOf(skill('notes', 'Takes notes.')),
    })
    expect(notes).not.toHaveProperty('unread')
    expect((await library.search('says the index')).matches[0]?.name).toBe('forms')

    const opened = await library.get('forms')
    expect(opened).toMatchObject({
      digest: digestOf(FORM['SKILL.md']),
      instructions: 'How to forms.',
      metadata: { description: 'Fills forms.' },
      files: [{ path: 'a b/调研.md' }, { path: 'scripts/fill.py' }],
    })
    expect(opened).not.toHaveProperty('unread')
    expect(opened.tokens.instructions).toBeLessThan(10)
    expect(await library.get('forms')).toBe(opened)
    expect((await library.read('forms', 'scripts/fill.py')).text).toBe('print()')
    expect((await library.read('forms', 'SKILL.md')).digest).toBe(digestOf(FORM['SKILL.md']))
    expect(host.requested.filter(one => one === '/packed/forms.bin')).toHaveLength(1)
  })

  it('[CARD-1] library of a skill site reads a file of an unopened archive', async () => {
    const { host } = await site()
    await using library = await openLibrary(host.at())
    expect((await library.read('forms', 'scripts/fill.py')).text).toBe('print()')
    const manifest = await library.read('forms', 'SKILL.md')
    expect([manifest.text, manifest.digest]).toEqual([FORM['SKILL.md'], undefined])
    await expect(library.read('forms', 'x.md')).rejects.toMatchObject({
      code: 'resource-not-found',
    })
  })

  it('[TD-2] library of a skill site hides an archive with a disabled skill', async () => {
    const { host } = await site('zip', {
      'SKILL.md': '---\nname: forms\ndescription: d\nenabled: false\n---\nHow.\n',
    })
    await using library = await openLibrary(host.at())
    await expect(library.get('forms')).rejects.toMatchObject({ code: 'skill-not-found' })
  })

  it('[AC-6] library of a skill site detects changes by the index alone', async () => {
    const { host, packed } = await site()
    await using library = await openLibrary(host.at())
    const { revision } = library.snapshot
    const first = await library.get('forms')
    host.requested.length = 0
    expect(await library.refresh()).toEqual({ revision, added: [], changed: [], removed: [] })
    expect(host.requested).toEqual([`/${INDEX_V2}`])

    const next = await archiveOf({ ...FORM, 'SKILL.md': skill('forms', 'Newer.') })
    const entry = entryOf('forms', 'archive', '/packed/forms.bin', next)
    Object.assign(
      host.files,
      indexV2(entry, entryOf('more', 'archive', '/packed/more.bin', packed)),
    )
    host.files['/packed/forms.bin'] = next
    const [added, changed, removed] = ['more', 'forms', 'notes'].map(name => [
      `skills.example/${name}`,
    ])
    expect(await library.refresh()).toMatchObject({ added, changed, removed })
    expect(await library.get('forms')).not.toBe(first)
    expect((await library.get('forms')).metadata.description).toBe('Newer.')

    Object.assign(host.files, indexV2({ ...entry, description: 'Told otherwise.' }))
    expect(await library.refresh()).toMatchObject({ changed: ['skills.example/forms'] })
    expect(library.snapshot.skills.map(({ description }) => description)).toEqual([
      'Told otherwise.',
    ])
  })

  it('[BY-9] library of a skill site rejects an archive that does not match the index', async () => {
    const { host } = await site()
    await using library = await openLibrary(host.at())
    host.files['/packed/forms.bin'] = await archiveOf({ 'SKILL.md': skill('forms', 'Exchanged.') })
    const message = expect.stringContaining('does not match the index')
    await expect(library.get('forms')).rejects.toMatchObject({ code: 'source-failed', message })
  })

  it('[BY-5] pack includes every file of a skill site', async () => {
    const { source } = await site()
    const output = pack(source)
    let step = await output.next()
    while (!step.done) step = await output.next()
    expect(step.value).toMatchObject({ found: 2, skills: 2, files: 4 })
  })
})
