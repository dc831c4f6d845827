import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  http,
  type LibraryChange,
  memory,
  openLibrary,
  type SkillLibrary,
} from '../../src/exports/index.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import type { ReadOptions, SkillSource, WritableSource } from '../../src/source/source.js'
import { deferred } from '../deferred.js'
import { fails } from '../fails.js'
import { nextChange } from '../next-change.js'
import { type Files, packedFiles as packed } from '../packed-files.js'
import { librarySuite } from '../suites/library-suite.js'
import { beforeReads } from '../watch-reads.js'

const skill = (
  name: string,
  description = `Does ${name}.`,
  more = '',
  body = `How to operate ${name}.`,
): string => `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n${body}\n`

/** A library over these files, and one over the same files packed. */
const openBoth = async (files: Files, name = 'memory'): Promise<SkillLibrary[]> => [
  await openLibrary(memory(files, { name })),
  await openLibrary(memory(await packed(memory(files, { name })), { name })),
]

/** A source that counts its reads, and fails while `broken` is set. */
function watched(files: Files, name = 'memory') {
  const inner: WritableSource = memory(files, { name })
  const state = {
    reads: [] as string[],
    lists: 0,
    closed: 0,
    broken: undefined as Error | undefined,
  }
  const source: SkillSource = {
    name,
    async read(path, options) {
      state.reads.push(path)
      if (state.broken) throw state.broken
      return inner.read(path, options)
    },
    async list(options) {
      state.lists++
      if (state.broken) throw state.broken
      return inner.list?.(options) ?? []
    },
    async close() {
      state.closed++
    },
  }
  return { source, state, write: inner.write }
}

const ids = (library: SkillLibrary): string[] => library.snapshot.skills.map(one => one.id)
const codes = (library: SkillLibrary): string[] => library.snapshot.diagnostics.map(one => one.code)

describe('a library over every kind of source', () => {
  for (const { name, run } of librarySuite(files => openLibrary(memory(files))))
    it(`[CARD-1] over memory: ${name}`, run)
  for (const { name, run } of librarySuite(async files =>
    openLibrary(memory(await packed(memory(files)))),
  ))
    it(`[BY-5] over a packed memory: ${name}`, run)
  const overHttp = async (files: Files): Promise<SkillLibrary> => {
    const host = await packed(memory(files))
    const fetch = async (url: string): Promise<Response> => {
      const bytes = host[new URL(url).pathname.slice('/skills/'.length)]
      return bytes ? new Response(new Uint8Array(bytes)) : new Response('', { status: 404 })
    }
    return openLibrary(http('https://example.com/skills/', { fetch }))
  }
  for (const { name, run } of librarySuite(overHttp)) it(`[BY-5] over http, packed: ${name}`, run)
})

describe('opening', () => {
  it.each<[string, unknown]>([
    ['a number', 7],
    ['nothing', undefined],
    ['null', null],
    ['an array of numbers', [7]],
    ['an invalid file', { 'a/SKILL.md': 7 }],
    ['a source without a name', { read: async () => undefined }],
    ['a source with an empty name', { name: '', read: async () => undefined }],
    ['an invalid URL', 'https://'],
  ])('[CARD-1] refuses %s', async (_, input) => {
    await fails(openLibrary(input as never), 'invalid-input')
  })

  it('[CARD-1] openLibrary accepts files, a source, and nested arrays of these', async () => {
    const files = { '../skills/a/SKILL.md': async () => skill('a') }
    expect(ids(await openLibrary(files))).toEqual(['memory/skills/a'])
    const library = await openLibrary([
      memory({ 'b/SKILL.md': skill('b') }, { name: 'x' }),
      [files],
    ])
    expect(ids(library)).toEqual(['memory/skills/a', 'x/b'])
    expect(ids(await openLibrary([]))).toEqual([])
  })

  it('[CARD-1] sources with the same name keep their numbered origins', async () => {
    const [one, two] = [memory({ 'a/SKILL.md': skill('a') }), memory({ 'b/SKILL.md': skill('b') })]
    const library = await openLibrary([one, two])
    expect(ids(library)).toEqual(['memory/a', 'memory~2/b'])
    expect(library.snapshot.diagnostics).toMatchObject([
      { code: 'origin-renamed', path: 'memory~2' },
    ])
    await two.write({ put: { 'c/SKILL.md': skill('c') } })
    await library.refresh()
    expect(ids(library)).toEqual(['memory/a', 'memory~2/b', 'memory~2/c'])
    expect(codes(library)).toEqual(['origin-renamed'])
    expect((await library.read('b', 'SKILL.md')).location).toBe('skill://memory~2/b/SKILL.md')
  })

  it('[CARD-1] two skills never have the same id', async () => {
    const library = await openLibrary([
      memory({ 'b/c/SKILL.md': skill('one') }, { name: 'a' }),
      memory({ 'c/SKILL.md': skill('two') }, { name: 'a/b' }),
      memory({ 'SKILL.md': skill('three') }, { name: 'a' }),
    ])
    expect(ids(library)).toEqual(['a/b/c', 'a~2/b/c', 'a~3'])
  })

  it('[CARD-1] onProgress reports each source', async () => {
    const reported: unknown[] = []
    const files = { 'a/SKILL.md': skill('a'), 'b/SKILL.md': skill('b') }
    await openLibrary(files, { onProgress: progress => reported.push(progress) })
    expect(reported).toEqual(
      [1, 2].map(done => ({ phase: 'read', done, total: 2, item: 'memory' })),
    )
  })

  it('[CARD-1] opening aborts even if a source ignores the signal', async () => {
    const stop = new AbortController()
    const deaf: SkillSource = {
      name: 'deaf',
      read: () => new Promise(() => undefined),
      list: async () => [],
    }
    const opening = openLibrary(deaf, { signal: stop.signal })
    stop.abort()
    await fails(opening, 'aborted')
    await fails(openLibrary(memory(), { signal: AbortSignal.abort() }), 'aborted')
  })

  it.each<[what: string, input: unknown, options: object, says: RegExp]>([
    [
      'an embedder without its methods',
      {},
      { embedder: {} },
      /"embedder" must be a skill model, such as bundled\(\), or an embedder, such as transformers\(\)/,
    ],
    [
      'an embedder that is a string',
      {},
      { embedder: 'all-MiniLM' },
      /"embedder" must be a skill model/,
    ],
    [
      'an invalid matcher',
      {},
      { matcher: {} },
      /"matcher" must implement update, match and explain .*threadMatcher/,
    ],
    ['an invalid reranker', {}, { rerank: 5 }, /"rerank" must be a function .*llmRerank/],
    ['a promise', Promise.resolve(memory({})), {}, /from a promise \(await it first\)/],
    ['a file', new URL('file:///skills/'), {}, /Not an address: file:.*directory\(\)/],
  ])('[CARD-1] opening rejects %s at once', async (_, input, options, says) => {
    await fails(openLibrary(input as never, options), 'invalid-input', {
      message: expect.stringMatching(says),
    })
  })
})

describe('failing sources', () => {
  const good = memory({ 'a/SKILL.md': skill('a') }, { name: 'good' })
  const failing = (error: unknown): SkillSource => ({
    name: 'bad',
    read: async () => Promise.reject(error),
    list: async () => Promise.reject(error),
  })
  const none: SkillSource = { name: 'bad', read: async () => undefined }
  it.each<[string, SkillSource, string]>([
    ['throws', failing(new TypeError('lost')), 'source-unreadable'],
    ['throws a value that is not an error', failing('lost'), 'source-unreadable'],
    ['times out by itself', failing(new DOMException('lost', 'AbortError')), 'source-unreadable'],
    ['has no library', none, 'source-missing'],
    [
      'returns no bytes',
      { name: 'bad', read: async () => ({ bytes: 'text' }) as never },
      'source-unreadable',
    ],
    ['lists no entries', { ...none, list: async () => ['a'] as never }, 'source-unreadable'],
    ['returns null', { name: 'bad', read: async () => null as never, list: async () => [] }, ''],
  ])('[AC-5] a source that %s does not affect the others', async (_, bad, code) => {
    const library = await openLibrary([bad, good])
    expect(ids(library)).toEqual(['good/a'])
    expect(library.snapshot.diagnostics.map(one => [one.code, one.severity, one.path])).toEqual(
      code === '' ? [] : [[code, 'error', 'bad']],
    )
    expect((await library.search('operate a')).matches.map(one => one.id)).toEqual(['good/a'])
    const strict = await openLibrary([bad, good], { strict: true }).then(ids, error => error.code)
    expect(strict).toEqual(
      code === '' ? ['good/a'] : code === 'source-missing' ? 'source-not-found' : 'source-failed',
    )
  })

  it('[OS-1] a missing root gives an empty list, in search too', async () => {
    const library = await openLibrary({ name: 'none', read: async () => undefined })
    expect(await library.list()).toEqual([])
    expect((await library.search('anything')).matches).toEqual([])
    expect((await library.match('anything')).abstained).toBe('empty-library')
    expect(await library.refresh()).toMatchObject({ added: [], changed: [], removed: [] })
    expect(codes(library)).toEqual(['source-missing'])
  })

  it('[AC-5] a source that failed is read by the next refresh', async () => {
    const { source, state } = watched({ 'a/SKILL.md': skill('a') })
    state.broken = new Error('down')
    const library = await openLibrary(source)
    expect([ids(library), codes(library)]).toEqual([[], ['source-unreadable']])
    expect((await library.match('anything')).abstained).toBe('source-failed')
    await library.refresh()
    expect([ids(library), codes(library)]).toEqual([[], ['source-unreadable']])
    state.broken = undefined
    expect(await library.refresh()).toMatchObject({ added: ['memory/a'] })
    expect([ids(library), codes(library)]).toEqual([['memory/a'], []])
  })

  it.each([
    ['a tree', async (files: Files) => watched(files)],
    ['packed', async (files: Files) => watched(await packed(memory(files)))],
  ])(
    '[AC-5] a source that fails keeps its skills, reports it, and recovers: %s',
    async (_, make) => {
      const { source, state } = await make({ 'a/SKILL.md': skill('a') })
      const library = await openLibrary([source, good])
      const { revision } = library.snapshot
      state.broken = new Error('down')
      expect(await library.refresh()).toEqual({ revision, added: [], changed: [], removed: [] })
      expect(ids(library)).toEqual(['memory/a'])
      expect(library.snapshot.diagnostics).toMatchObject(
        [{ code: 'skill-shadowed' }, { code: 'source-unreadable', path: 'memory' }].reverse(),
      )
      expect((await library.search('operate a')).matches[0]?.id).toBe('memory/a')
      state.broken = undefined
      await library.refresh()
      expect(codes(library)).toEqual(['skill-shadowed'])
    },
  )

  it('[AC-5] a skill whose new text cannot be read keeps the old one until it can', async () => {
    const { source, state, write } = watched({ 'a/SKILL.md': skill('a'), 'b/SKILL.md': skill('b') })
    let broken = false
    const fragile = beforeReads(source, path => {
      if (broken && path === 'a/SKILL.md') throw new Error('reset')
    })
    const library = await openLibrary(fragile)
    await write({ put: { 'a/SKILL.md': skill('a', 'New.'), 'b/SKILL.md': skill('b', 'New.') } })
    broken = true
    expect(await library.refresh()).toMatchObject({ added: [], changed: ['memory/b'], removed: [] })
    expect(library.snapshot.skills.map(one => one.description)).toEqual(['Does a.', 'New.'])
    expect(library.snapshot.diagnostics).toMatchObject([
      { code: 'skill-unreadable', path: 'a/SKILL.md' },
    ])
    broken = false
    expect(await library.refresh()).toMatchObject({ changed: ['memory/a'] })
    expect([library.snapshot.skills[0]?.description, codes(library)]).toEqual(['New.', []])
    expect(state.lists).toBe(3)
  })

  it('[AC-5] every error of a source becomes a SkillshelfError', async () => {
    const files: Files = { 'a/SKILL.md': skill('a'), 'a/x.md': 'x' }
    const { source, state } = watched(files)
    const library = await openLibrary(source)
    state.broken = new RangeError('out of luck')
    await fails(library.get('a'), 'source-failed', { cause: state.broken })
    await fails(library.read('a', 'x.md'), 'source-failed')
  })
})

describe('skills', () => {
  it('[TD-7] instructions exclude the frontmatter; without a fence they are the whole file', async () => {
    const library = await openLibrary({
      'fenced/SKILL.md': skill('fenced', 'With a fence.', '', '\n\n  # Title\n\nText.  \n\n'),
      'bare/SKILL.md': '\n# Bare\n\nNo fence at all.\n',
      'empty/SKILL.md': skill('empty', 'No body.', '', ''),
    })
    expect((await library.get('fenced')).instructions).toBe('# Title\n\nText.')
    expect((await library.get('bare')).instructions).toBe('# Bare\n\nNo fence at all.')
    const empty = await library.get('empty')
    expect([empty.instructions, empty.diagnostics.map(one => one.code)]).toEqual([
      '',
      ['empty-body'],
    ])
  })

  it('[TD-7] a skill is opened once, and again after it changes', async () => {
    const { source, state, write } = watched({ 'a/SKILL.md': skill('a'), 'b/SKILL.md': skill('b') })
    const library = await openLibrary(source)
    const first = await library.get('a')
    state.reads.length = 0
    expect(await library.get('memory/a')).toBe(first)
    await write({ put: { 'b/SKILL.md': skill('b', 'New.') } })
    await library.refresh()
    expect(await library.get('a')).toBe(first)
    // Each time it is compared with its file.
    expect(state.reads).toEqual(['a/SKILL.md', 'b/SKILL.md', 'a/SKILL.md'])
    for (const put of [{ 'a/SKILL.md': skill('a', 'Newer.') }, { 'a/new.md': 'x' }] as Record<
      string,
      string
    >[]) {
      await write({ put })
      await library.refresh()
      expect(await library.get('a')).not.toBe(first)
    }
    expect(await library.get('a')).toMatchObject({
      description: 'Newer.',
      files: [{ path: 'new.md' }],
    })
  })

  it('[TD-7] a skill that changed after the last refresh is read, and listed as it is read', async () => {
    const { source, write } = watched({ 'a/SKILL.md': skill('a', 'One.') })
    const library = await openLibrary(source)
    await write({ put: { 'a/SKILL.md': skill('a', 'Two.') } })
    const changed = await library.get('a')
    expect(changed.text).toContain('Two.')
    expect(changed.digest).toBe(library.snapshot.skills[0]?.digest)
    await write({ put: { 'a/SKILL.md': skill('a', 'One.') } })
    expect((await library.get('a')).text).toContain('One.')
  })

  it('[TD-7] a skill opened during a refresh is not cached in the new state', async () => {
    const { source, write } = watched({ 'a/SKILL.md': skill('a', 'Old.') })
    let held: Promise<void> | undefined
    const library = await openLibrary({
      ...source,
      read: async (path: string, options?: ReadOptions) => {
        const result = await source.read(path, options)
        const wait = held
        held = undefined
        await wait
        return result
      },
    })
    const { promise, resolve } = deferred()
    held = promise
    const opening = library.get('a')
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    await write({ put: { 'a/SKILL.md': skill('a', 'New.') } })
    await library.refresh()
    resolve()
    expect((await opening).text).toContain('Old.')
    expect((await library.get('a')).text).toContain('New.')
  })

  it('[CARD-4] opening a skill reads no script; a script is a path and content', async () => {
    const { source, state } = watched({
      'a/SKILL.md': skill('a'),
      'a/scripts/run.js': 'globalThis.executed = true',
      'a/page.html': '<script>globalThis.executed = true</script>',
    })
    const library = await openLibrary(source)
    const { files, root } = await library.get('a')
    expect(files.map(({ path, kind, mediaType }) => [path, kind, mediaType])).toEqual([
      ['page.html', 'text', 'text/plain'],
      ['scripts/run.js', 'script', 'text/plain'],
    ])
    expect(root).toBe('skill://memory/a')
    expect(state.reads).toEqual([CATALOG_FILE, 'a/SKILL.md', 'a/SKILL.md'])
    const script = await library.read('a', 'scripts/run.js')
    expect([script.text, script.location]).toEqual([
      'globalThis.executed = true',
      'skill://memory/a/scripts/run.js',
    ])
    expect('executed' in globalThis).toBe(false)
  })

  it('[TD-8] read returns sub-skills, scripts, references and binary assets byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * index) % 256)
    const files: Files = {
      'ppt/SKILL.md': skill('ppt'),
      'ppt/sub/SKILL.md': skill('ppt-sub'),
      'ppt/sub/how.md': 'how',
      'ppt/resources/templates/business.pptx': bytes,
      'ppt/resources/layout.py': '#!/usr/bin/env python3\r\n\tprint("页")\n',
    }
    for (const library of await openBoth(files)) {
      for (const [path, content] of Object.entries(files)) {
        const read = await library.read('ppt', path.slice('ppt/'.length))
        expect(read.bytes).toEqual(
          typeof content === 'string' ? new TextEncoder().encode(content) : content,
        )
        if (typeof content === 'string') expect(read.text).toBe(content)
      }
      expect((await library.get('ppt-sub')).files.map(one => one.path)).toEqual(['how.md'])
      expect((await library.read('ppt', 'resources/templates/business.pptx')).text).toBeUndefined()
    }
  })

  it('[TD-2] a disabled nested skill hides its files from the outer skill too', async () => {
    const files = {
      'a/SKILL.md': skill('a'),
      'a/off/SKILL.md': skill('off', 'Off.', 'enabled: false\n'),
      'a/off/x.md': 'secret',
    }
    for (const library of await openBoth(files)) {
      for (const path of ['off/x.md', 'off/SKILL.md'])
        await fails(library.read('a', path), 'resource-not-found')
    }
  })

  it('[TD-2] a disabled skill is reported, and listed again once it is enabled', async () => {
    const source = memory({ 'a/SKILL.md': skill('a', 'Faxes.', 'enabled: false\n') })
    const library = await openLibrary(source)
    expect([ids(library), codes(library)]).toEqual([[], ['skill-disabled']])
    expect((await library.search('faxes')).abstained).toBe('empty-library')
    await source.write({ put: { 'a/SKILL.md': skill('a', 'Faxes.') } })
    expect(await library.refresh()).toMatchObject({ added: ['memory/a'], changed: [] })
    expect((await library.search('faxes')).matches[0]?.id).toBe('memory/a')
    await source.write({ put: { 'a/SKILL.md': skill('a', 'Faxes.', 'enabled: no\n') } })
    expect(await library.refresh()).toMatchObject({ removed: ['memory/a'] })
    expect((await library.search('faxes')).matches).toEqual([])
  })

  it('[AC-1] [AC-2] environments/{env}/skills/{id}/skill.md is read: the id is the folder, the name is free text', async () => {
    const files = {
      'dev/skills/code-review/skill.md': skill('Code Review Expert', 'Reviews code.', '', 'Look.'),
      'prod/skills/deploy/skill.md': skill('部署 Helper!', 'Deploys.'),
    }
    const library = await openLibrary(memory(files, { name: 'environments' }))
    expect(
      library.snapshot.skills.map(({ id, name, path, description }) => [
        id,
        name,
        path,
        description,
      ]),
    ).toEqual([
      [
        'environments/dev/skills/code-review',
        'Code Review Expert',
        'dev/skills/code-review',
        'Reviews code.',
      ],
      ['environments/prod/skills/deploy', '部署 Helper!', 'prod/skills/deploy', 'Deploys.'],
    ])
    const opened = await library.get('environments/dev/skills/code-review')
    expect([opened.instructions, opened.file]).toEqual(['Look.', 'skill.md'])
    expect((await library.get('code review expert')).id).toBe(opened.id)
  })

  it('[AC-2] a skill at the root of its source can be read', async () => {
    for (const library of await openBoth({ 'SKILL.md': skill('root'), 'x/y.md': 'y' }, 'one')) {
      const opened = await library.get('one')
      expect([opened.id, opened.path, opened.root]).toEqual(['one', '', 'skill://one'])
      expect((await library.read('root', 'x/y.md')).location).toBe('skill://one/x/y.md')
    }
  })

  it('[AC-2] a shadowed skill can be read by its id and does not match', async () => {
    const library = await openLibrary([
      memory({ 'a/SKILL.md': skill('pdf', 'Reads documents.') }, { name: 'mine' }),
      memory({ 'b/SKILL.md': skill('pdf', 'Reads documents.') }, { name: 'theirs' }),
    ])
    expect((await library.get('pdf')).id).toBe('mine/a')
    expect((await library.get('theirs/b')).id).toBe('theirs/b')
    expect((await library.search('reads documents')).matches.map(one => one.id)).toEqual(['mine/a'])
    const explained = await library.explain('reads documents', 'theirs/b')
    expect(explained).toMatchObject({ rank: 0, reason: 'hidden behind a skill of the same name' })
  })
})

describe('refresh', () => {
  it.each([
    ['a tree', async (files: Files) => files],
    ['packed', async (files: Files) => packed(memory(files))],
  ])('[AC-6] refresh returns the added, changed and removed skills: %s', async (_, layout) => {
    const kept = { 'a/SKILL.md': skill('a'), 'd/SKILL.md': skill('d') }
    const before = { ...kept, 'b/SKILL.md': skill('b'), 'c/SKILL.md': skill('c'), 'd/x.md': 'x' }
    const added = { 'e/SKILL.md': skill('e', 'About walruses.') }
    const after = { ...kept, 'b/SKILL.md': skill('b', 'Now otters.'), 'd/x.md': 'y', ...added }
    const source = memory(await layout(before))
    const library = await openLibrary(source)
    const old = library.snapshot
    const reported: LibraryChange[] = []
    const stop = library.on('change', change => reported.push(change))
    const remove = Object.keys(before).filter(path => !(path in after))
    await source.write({ put: (await layout(after)) as never, remove })
    const change = await library.refresh()
    const { revision } = library.snapshot
    expect(change).toEqual({
      revision,
      added: ['memory/e'],
      changed: ['memory/b', 'memory/d'],
      removed: ['memory/c'],
    })
    expect(revision).not.toBe(old.revision)
    expect(reported).toEqual([change])
    expect(old.skills.map(one => one.name)).toEqual(['a', 'b', 'c', 'd'])
    expect(ids(library)).toEqual(['memory/a', 'memory/b', 'memory/d', 'memory/e'])
    expect((await library.search('otters')).matches.map(one => one.name)).toEqual(['b'])
    expect((await library.search('walruses')).matches.map(one => one.name)).toEqual(['e'])
    expect((await library.read('d', 'x.md')).text).toBe('y')
    await fails(library.get('c'), 'skill-not-found')
    stop()
    await source.write({ put: (await layout(before)) as never })
    await library.refresh()
    expect(reported).toHaveLength(1)
  })

  it('[AC-6] [BY-5] a library ranks after many changes like a newly opened one', async () => {
    const subjects = 'otter walrus heron badger lynx marten plover raven stoat vole wren yak'.split(
      ' ',
    )
    const text = (at: number, round: number): string =>
      skill(
        `skill-${at}`,
        `Knows about the ${subjects[at % 12]} and the ${subjects[(at * 5 + round) % 12]}.`,
        `tags: [t${at % 3}]\n`,
        `Round ${round}: ${subjects[(at + round) % 12]} number ${at}.`,
      )
    const source = memory(
      Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`s${at}/SKILL.md`, text(at, 0)])),
    )
    const library = await openLibrary(source)
    // More than eight small segments, then more than a quarter dead, then skills removed and added again.
    for (let round = 1; round <= 12; round++) {
      const changed = Array.from(
        { length: round % 4 === 0 ? 12 : 1 },
        (_, at) => (round * 7 + at) % 24,
      )
      await source.write({
        put: Object.fromEntries(changed.map(at => [`s${at}/SKILL.md`, text(at, round)])),
        remove: round % 5 === 0 ? [`s${round}/SKILL.md`, 's23/SKILL.md'] : [],
      })
      await library.refresh()
      const fresh = await openLibrary(source)
      expect(library.snapshot).toEqual(fresh.snapshot)
      for (const message of [...subjects, 'the otter and the yak', 'skill-7', 'round number t1']) {
        const ranked = async (from: SkillLibrary) =>
          (await from.search(message, { limit: 24 })).matches
        expect(await ranked(library)).toEqual(await ranked(fresh))
      }
    }
  })

  it('[AC-6] calls that arrive during a refresh share the next one', async () => {
    const { source, state, write } = watched({ 'a/SKILL.md': skill('a') })
    const library = await openLibrary(source)
    await write({ put: { 'b/SKILL.md': skill('b') } })
    const reported: LibraryChange[] = []
    library.on('change', change => reported.push(change))
    state.lists = 0
    const changes = await Promise.all([library.refresh(), library.refresh(), library.refresh()])
    expect(changes.map(change => change.added)).toEqual([['memory/b'], ['memory/b'], ['memory/b']])
    expect([state.lists, reported.length]).toEqual([1, 1])
    const { snapshot } = library
    await library.refresh()
    expect(state.lists).toBe(2)
    expect(library.snapshot).toBe(snapshot)
  })

  it('[AC-6] [TD-11] a call during a refresh sees changes made before the call', async () => {
    const { source, state, write } = watched({ 'a/SKILL.md': skill('a') })
    let held: Promise<void> | undefined
    let changed = (): void => undefined
    const library = await openLibrary({
      ...source,
      // The source was listed before the refresh is blocked.
      async list(options) {
        const seen = await source.list?.(options)
        await held
        return seen ?? []
      },
      watch(onChange) {
        changed = onChange
        return () => undefined
      },
    })
    let open = (): void => undefined
    /** Wrapped in an object, because an async function awaits a returned promise. */
    const hold = async (): Promise<[Promise<LibraryChange>]> => {
      ;({ promise: held, resolve: open } = deferred())
      state.lists = 0
      const first = library.refresh()
      while (state.lists === 0) await Promise.resolve()
      return [first]
    }

    const [first] = await hold()
    await write({ put: { 'b/SKILL.md': skill('b') } })
    const stop = new AbortController()
    const left = library.refresh({ signal: stop.signal })
    stop.abort()
    await fails(left, 'aborted')
    const late = [library.refresh(), library.refresh()]
    open()
    expect((await first)?.added).toEqual([])
    for (const one of late) expect((await one).added).toEqual(['memory/b'])
    expect([state.lists, ids(library)]).toEqual([2, ['memory/a', 'memory/b']])

    await hold()
    await write({ put: { 'c/SKILL.md': skill('c') } })
    const followed = nextChange(library)
    changed()
    changed()
    open()
    expect((await followed).added).toEqual(['memory/c'])
    expect(state.lists).toBe(2)
  })

  it('[AC-6] a shared refresh continues when one caller aborts', async () => {
    const { source, write } = watched({ 'a/SKILL.md': skill('a') })
    const library = await openLibrary(source)
    await write({ put: { 'b/SKILL.md': skill('b') } })
    const [first, second] = [new AbortController(), new AbortController()]
    const leaving = library.refresh({ signal: first.signal })
    const staying = library.refresh()
    const late = library.refresh({ signal: second.signal })
    first.abort()
    second.abort()
    await fails(leaving, 'aborted')
    await fails(late, 'aborted')
    expect((await staying).added).toEqual(['memory/b'])
  })

  it('[AC-6] a refresh stops when its last caller aborts, changes nothing, and can run again', async () => {
    const { source, write } = watched({ 'a/SKILL.md': skill('a') })
    let stopped = 0
    let hang = false
    const library = await openLibrary({
      ...source,
      list: async options => {
        if (hang) options?.signal?.addEventListener('abort', () => void stopped++)
        return hang ? new Promise(() => undefined) : (source.list?.(options) ?? [])
      },
    })
    const { snapshot } = library
    await write({ put: { 'b/SKILL.md': skill('b') } })
    hang = true
    const stop = new AbortController()
    const asked = [
      library.refresh({ signal: stop.signal }),
      library.refresh({ signal: stop.signal }),
    ]
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    stop.abort()
    for (const one of asked) await fails(one, 'aborted')
    expect([stopped, library.snapshot]).toEqual([1, snapshot])
    hang = false
    expect((await library.refresh()).added).toEqual(['memory/b'])
  })

  /** A library with a listener that throws, and its source with a new skill. */
  async function throwing() {
    const source = memory({ 'a/SKILL.md': skill('a') })
    const library = await openLibrary(source)
    library.on('change', () => {
      throw new Error('my listener')
    })
    await source.write({ put: { 'b/SKILL.md': skill('b') } })
    onTestFinished(() => void vi.unstubAllGlobals())
    return { library, source }
  }

  it('[AC-6] every listener is called, even after one that throws', async () => {
    const { library, source } = await throwing()
    const reported: string[] = []
    const stop = library.on('change', () => reported.push('second'))
    const uncaught: unknown[] = []
    vi.stubGlobal('reportError', (error: unknown) => uncaught.push(error))
    expect((await library.refresh()).added).toEqual(['memory/b'])
    expect(uncaught).toEqual([new Error('my listener')])
    expect([reported, ids(library)]).toEqual([['second'], ['memory/a', 'memory/b']])
    stop()
    stop()
    await source.write({ put: { 'c/SKILL.md': skill('c') } })
    await library.refresh()
    expect(reported).toEqual(['second'])
  })

  it('[AC-6] reports the error of a listener as uncaught where reportError is missing', async () => {
    const { library } = await throwing()
    vi.stubGlobal('reportError', undefined)
    const queued: (() => void)[] = []
    vi.stubGlobal('queueMicrotask', (task: () => void) => queued.push(task))
    await library.refresh()
    expect(queued.length).toBe(1)
    expect(queued[0]).toThrow('my listener')
  })

  it('[AC-6] a refresh changes nothing after the library was closed', async () => {
    const { source, state, write } = watched({ 'a/SKILL.md': skill('a') })
    const library = await openLibrary(source)
    await write({ put: { 'b/SKILL.md': skill('b') } })
    const refreshing = library.refresh()
    await library.close()
    await fails(refreshing, 'closed')
    expect([ids(library), state.closed]).toEqual([['memory/a'], 1])
    await library.close()
    expect(state.closed).toBe(1)
  })
})
