import { describe, expect, it } from 'vitest'
import {
  cached,
  type LocalLibrary,
  memory,
  openLibrary,
  type SkillSource,
  SkillshelfError,
} from '../../src/exports/index.js'
import type { ReadResult, WritableSource } from '../../src/exports/sources.js'
import { skillStore } from '../../src/exports/store.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import { deferred } from '../deferred.js'
import { nextChange } from '../next-change.js'
import { packedFiles } from '../packed-files.js'
import { skill } from '../skill-file.js'

const PDF = { 'pdf/SKILL.md': skill('pdf', 'Fills in forms.'), 'pdf/form.txt': 'a form' }
const DECK = { 'deck/SKILL.md': skill('deck', 'Makes slides.'), 'deck/theme.txt': 'a theme' }
const TEA = { 'tea/SKILL.md': skill('tea', 'Brews tea.') }

type Files = Record<string, string | Uint8Array<ArrayBuffer>>

const packed = (files: Files) => packedFiles(memory(files))

/** A source that can change, fail and be slow. `requests` lists its reads. */
function createSite(start: Files, { listed = false } = {}) {
  let held = memory(start, { name: 'site' })
  const requests: string[] = []
  const request = async (name: string): Promise<void> => {
    requests.push(name)
    await world.hold
    if (world.down) throw new SkillshelfError('source-failed', 'site cannot be reached')
  }
  const source: SkillSource = {
    name: 'site',
    async read(path, at = {}) {
      await request(at.ifVersion === undefined ? path : `${path}?`)
      return held.read(path, at)
    },
    async list(at) {
      await request('list')
      return held.list?.(at) ?? []
    },
  }
  const world = {
    requests,
    down: false,
    hold: undefined as Promise<void> | undefined,
    become(files: Files) {
      held = memory(files, { name: 'site' })
    },
    source: listed ? source : { name: source.name, read: source.read },
  }
  return world
}

/** Skills with a file of 1,000 bytes each. */
function lettered(...names: string[]): Files {
  const files: Files = {}
  for (const name of names) {
    files[`${name}/SKILL.md`] = skill(name, `Letter ${name}.`)
    files[`${name}/large.bin`] = new Uint8Array(1_000).fill(name.charCodeAt(0))
  }
  return files
}

const names = async (library: LocalLibrary): Promise<string[]> =>
  (await library.list()).map(({ name }) => name)

describe('an offline copy', () => {
  it('[BY-6] the first opening makes a copy that opens while the source is down', async () => {
    const site = createSite(await packed({ ...PDF, ...DECK }))
    const store = memory()
    {
      await using first = await openLibrary(cached(site.source, store))
      expect(await names(first)).toEqual(['deck', 'pdf'])
      expect((await first.get('pdf')).instructions).toBe('How to do pdf.')
      expect((await first.read('pdf', 'form.txt')).text).toBe('a form')
    }
    site.down = true
    await using second = await openLibrary(cached(site.source, store))
    expect(await names(second)).toEqual(['deck', 'pdf'])
    expect((await second.search('slides')).matches[0]?.name).toBe('deck')
    expect((await second.get('pdf')).instructions).toBe('How to do pdf.')
    expect((await second.read('pdf', 'form.txt')).text).toBe('a form')
    await expect(second.read('deck', 'theme.txt')).rejects.toMatchObject({ code: 'source-failed' })
    await second.refresh()
    expect(await names(second)).toEqual(['deck', 'pdf'])
    expect(second.snapshot.diagnostics.map(({ code }) => code)).toEqual(['source-unreadable'])
  })

  it('[BY-6] a copy that cannot be made is an empty library with a diagnostic, until a refresh makes it', async () => {
    const site = createSite(await packed(PDF))
    site.down = true
    await using library = await openLibrary(cached(site.source, memory()))
    expect(await names(library)).toEqual([])
    expect(library.snapshot.diagnostics.map(({ code }) => code)).toEqual(['source-unreadable'])
    site.down = false
    expect((await library.refresh()).added).toEqual(['site/pdf'])
  })

  const broken = (methods: readonly (keyof WritableSource)[], error: Error): WritableSource => {
    const store = memory()
    const fail = async () => Promise.reject(error)
    return { ...store, ...Object.fromEntries(methods.map(method => [method, fail])) }
  }
  const DENIED = new SkillshelfError('unsupported', 'This page may not store data')
  for (const [kind, broke] of [
    ['denied', () => broken(['read', 'list', 'write'], DENIED)],
    ['full', () => broken(['write'], new SkillshelfError('storage-full', 'No room'))],
  ] as const)
    for (const [form, make] of [
      ['a packed library', async () => createSite(await packed({ ...PDF, ...DECK }))],
      ['a tree', async () => createSite({ ...PDF, ...DECK }, { listed: true })],
    ] as const)
      it(`[BY-40] [BY-6] with a store that is ${kind}, ${form} answers as without a copy, with a diagnostic`, async () => {
        const site = await make()
        await using library = await openLibrary(cached(site.source, broke()))
        expect(await names(library)).toEqual(['deck', 'pdf'])
        expect((await library.search('slides')).matches[0]?.name).toBe('deck')
        expect((await library.get('pdf')).instructions).toBe('How to do pdf.')
        expect((await library.read('pdf', 'form.txt')).text).toBe('a form')
        expect(library.snapshot.diagnostics.map(({ code }) => code)).toEqual(['copy-not-stored'])
        site.become(await (form === 'a tree' ? { ...PDF, ...TEA } : packed({ ...PDF, ...TEA })))
        expect(await library.refresh()).toMatchObject({
          added: ['site/tea'],
          removed: ['site/deck'],
        })
        expect(await names(library)).toEqual(['pdf', 'tea'])
        // What was read stays while the source is down.
        site.down = true
        await library.refresh()
        expect((await library.get('pdf')).instructions).toBe('How to do pdf.')
        expect(await names(library)).toEqual(['pdf', 'tea'])
      })

  it('[BY-40] [BY-6] a copy whose store becomes full follows the source, and keeps its files', async () => {
    const site = createSite(await packed({ ...PDF, ...DECK }))
    const store = memory()
    {
      await using first = await openLibrary(cached(site.source, store, { whole: true }))
      await first.refresh()
      expect((await first.read('pdf', 'form.txt')).text).toBe('a form')
    }
    site.become(await packed({ ...PDF, ...TEA }))
    const full = {
      ...store,
      write: async () => Promise.reject(new SkillshelfError('storage-full', 'No room')),
    }
    await using library = await openLibrary(cached(site.source, full))
    expect(await names(library)).toEqual(['deck', 'pdf'])
    await nextChange(library)
    expect(await names(library)).toEqual(['pdf', 'tea'])
    expect(library.snapshot.diagnostics.map(({ code }) => code)).toEqual(['copy-not-stored'])
    site.down = true
    expect((await library.read('pdf', 'form.txt')).text).toBe('a form')
  })

  it('[BY-6] the copy opens before the source answers, then follows its changes', async () => {
    const site = createSite(await packed({ ...PDF, ...DECK }))
    const store = memory()
    await (await openLibrary(cached(site.source, store))).close()
    site.become(await packed({ ...PDF, ...TEA }))
    const { promise, resolve: answer } = deferred()
    site.hold = promise
    await using library = await openLibrary(cached(site.source, store))
    expect(await names(library)).toEqual(['deck', 'pdf'])
    const reported = nextChange(library)
    answer()
    expect(await reported).toMatchObject({ added: ['site/tea'], removed: ['site/deck'] })
    expect(await names(library)).toEqual(['pdf', 'tea'])
    expect((await library.search('brews')).matches[0]?.name).toBe('tea')
  })

  it('[BY-6] a check costs one conditional read, or two if one skill changed', async () => {
    const many = Array.from({ length: 40 }, (_, at) => [
      `s${at}/SKILL.md`,
      skill(`s${at}`, `Does ${at}.`),
    ])
    const origin = skillStore(memory({}, { name: 'origin' }))
    await origin.install(Object.fromEntries(many))
    const read = async (): Promise<Files> => {
      const files: Files = {}
      for (const { path } of (await origin.list?.()) ?? [])
        files[path] = ((await origin.read(path)) as ReadResult).bytes
      return files
    }
    const site = createSite(await read())
    await using library = await openLibrary(cached(site.source, memory()))
    expect(site.requests).toHaveLength(2)
    site.requests.length = 0
    await library.refresh()
    expect(site.requests).toEqual([`${CATALOG_FILE}?`])
    await origin.install({ 's7/SKILL.md': skill('s7', 'Juggles.') })
    site.become(await read())
    site.requests.length = 0
    expect((await library.refresh()).changed).toEqual(['site/s7'])
    expect(site.requests).toHaveLength(2)
    expect((await library.search('juggles')).matches[0]?.name).toBe('s7')
  })

  it('[BY-6] [AC-5] the copy stays in use while a refresh fails, with a diagnostic', async () => {
    const site = createSite(await packed(PDF))
    await using library = await openLibrary(cached(site.source, memory()))
    const { revision } = library.snapshot
    site.down = true
    await library.refresh()
    expect(await names(library)).toEqual(['pdf'])
    const diagnostic = { code: 'source-unreadable', message: 'site cannot be reached' }
    expect(library.snapshot.diagnostics).toMatchObject([diagnostic])
    site.down = false
    await library.refresh()
    expect(library.snapshot).toMatchObject({ revision, diagnostics: [] })
  })

  it('[BY-6] [BY-9] an update with a corrupt segment leaves the old copy whole', async () => {
    const site = createSite(await packed(PDF))
    const store = memory()
    await using library = await openLibrary(cached(site.source, store))
    const next = await packed({ ...PDF, ...TEA })
    const segment = Object.keys(next).find(path => path.endsWith('.seg')) as string
    site.become({ ...next, [segment]: 'something else' })
    await library.refresh()
    expect(await names(library)).toEqual(['pdf'])
    expect(library.snapshot.diagnostics[0]?.message).toContain('does not match its digest')
    await using again = await openLibrary(cached(createSite({}).source, store))
    expect(await names(again)).toEqual(['pdf'])
    site.become(next)
    expect((await library.refresh()).added).toEqual(['site/tea'])
  })

  it('[BY-6] the copy keeps all instructions and the most recently read resources within maxBytes', async () => {
    const site = createSite(
      await packed({ ...lettered('a', 'b', 'c', 'd'), 'a/huge.bin': new Uint8Array(9_000) }),
    )
    const store = memory()
    {
      await using library = await openLibrary(cached(site.source, store, { maxBytes: 2_500 }))
      for (const name of ['a', 'b', 'c', 'd']) await library.get(name)
      for (const name of ['a', 'b', 'a', 'c']) await library.read(name, 'large.bin')
      await library.read('a', 'huge.bin')
    }
    site.down = true
    await using library = await openLibrary(cached(site.source, store, { maxBytes: 2_500 }))
    const there = async (name: string, path: string): Promise<boolean> =>
      library.read(name, path).then(
        () => true,
        () => false,
      )
    const kept = await Promise.all(['a', 'b', 'c', 'd'].map(name => there(name, 'large.bin')))
    expect(kept).toEqual([true, false, true, false])
    expect(await there('a', 'huge.bin')).toBe(false)
    for (const name of ['a', 'b', 'c', 'd'])
      expect((await library.get(name)).instructions).toBe(`How to do ${name}.`)
  })

  it('[BY-6] the order of reads survives a restart', async () => {
    const site = createSite(await packed(lettered('a', 'b', 'c')))
    const store = memory()
    const visit = async (...wanted: string[]): Promise<void> => {
      await using library = await openLibrary(cached(site.source, store, { maxBytes: 2_000 }))
      for (const name of wanted) await library.read(name, 'large.bin')
    }
    await visit('a', 'b', 'a')
    await visit('c')
    site.requests.length = 0
    await visit('a', 'c')
    expect(site.requests.filter(path => path.endsWith('.bin'))).toEqual([])
    await visit('b')
    expect(site.requests.filter(path => path.endsWith('.bin'))).toHaveLength(1)
  })

  it('[BY-6] a whole copy has every file at once', async () => {
    const site = createSite(await packed({ ...PDF, ...DECK }))
    const store = memory()
    const progress: number[] = []
    const copy = cached(site.source, store, {
      whole: true,
      onProgress: ({ done }) => progress.push(done),
    })
    await (await openLibrary(copy)).close()
    expect(progress).toEqual([1, 2])
    site.down = true
    await using library = await openLibrary(cached(site.source, store))
    expect((await library.read('deck', 'theme.txt')).text).toBe('a theme')
  })

  it('[BY-6] a whole copy fetches each file that fits once', async () => {
    const site = createSite(
      await packed({ ...lettered('a', 'b', 'c', 'd'), 'b/huge.bin': new Uint8Array(9_000) }),
    )
    const store = memory()
    const resources = () => site.requests.filter(path => path.endsWith('.bin'))
    {
      await using library = await openLibrary(
        cached(site.source, store, { maxBytes: 2_500, whole: true }),
      )
      expect(new Set(resources()).size).toBe(2)
      expect(resources()).toHaveLength(2)
      await library.refresh()
      await library.refresh()
      expect(resources()).toHaveLength(2)
    }
    await using library = await openLibrary(
      cached(site.source, store, { maxBytes: 3_500, whole: true }),
    )
    await library.refresh()
    expect(resources()).toHaveLength(3)
    site.down = true
    for (const name of ['a', 'b', 'c', 'd'])
      expect((await library.get(name)).instructions).toBe(`How to do ${name}.`)
  })

  it('[BY-6] a copy of a tree has every file and reads only changed skills', async () => {
    const site = createSite({ ...PDF, ...DECK }, { listed: true })
    const store = memory()
    await using library = await openLibrary(cached(site.source, store))
    site.requests.length = 0
    await library.refresh()
    expect(site.requests).toEqual([CATALOG_FILE, 'list'])
    site.become({ ...PDF, ...TEA })
    site.requests.length = 0
    expect(await library.refresh()).toMatchObject({
      added: ['site/tea'],
      changed: [],
      removed: ['site/deck'],
    })
    expect(site.requests.filter(path => path.startsWith('pdf'))).toEqual([])
    site.down = true
    await using offline = await openLibrary(cached(site.source, store))
    expect((await offline.read('pdf', 'form.txt')).text).toBe('a form')
    expect((await offline.search('brews')).matches[0]?.name).toBe('tea')
    await expect(offline.read('deck', 'theme.txt')).rejects.toMatchObject({
      code: 'skill-not-found',
    })
  })

  it.each([
    ['a packed library', packed, false],
    ['a tree', async (files: Files) => files, true],
  ] as const)(
    '[BY-41] [BY-6] another tab with an older copy of %s does not hide that the source goes back to it',
    async (_, form, listed) => {
      const site = createSite(await form(PDF), { listed })
      const store = memory()
      await using older = await openLibrary(cached(site.source, store))
      await older.read('pdf', 'form.txt')
      site.become(await form(DECK))
      await using newer = await openLibrary(cached(site.source, store))
      expect((await newer.refresh()).added).toEqual(['site/deck'])
      // It stores which files it has read, beside what it knows of its own catalog.
      await older.close()
      site.become(await form(PDF))
      await using library = await openLibrary(cached(site.source, store))
      await library.refresh()
      expect(await names(library)).toEqual(['pdf'])
    },
  )

  it('[BY-6] the copy follows a source that turns from a packed library into a tree, and back', async () => {
    const broken = { 'broken/SKILL.md': '' }
    const library1 = await packed({ ...PDF, ...DECK, ...broken })
    const site = createSite(library1, { listed: true })
    const store = memory()
    await using library = await openLibrary(cached(site.source, store))
    expect(library.snapshot.diagnostics).toHaveLength(1)
    site.become({ ...PDF, ...TEA })
    expect(await library.refresh()).toMatchObject({ added: ['site/tea'], removed: ['site/deck'] })
    expect(library.snapshot.diagnostics).toEqual([])
    await library.refresh()
    expect(await names(library)).toEqual(['pdf', 'tea'])
    expect((await library.get('pdf')).instructions).toBe('How to do pdf.')
    expect((await library.read('pdf', 'form.txt')).text).toBe('a form')
    site.become(library1)
    await library.refresh()
    expect(await names(library)).toEqual(['deck', 'pdf'])
    site.become({ ...PDF, ...TEA })
    await library.refresh()
    expect(await names(library)).toEqual(['pdf', 'tea'])
  })

  it.each([undefined, '{', '{"folders":{"pdf":1,"deck":null}}'])(
    '[BY-6] a copy of a tree with the record %j is compared again',
    async record => {
      const site = createSite({ ...PDF, ...DECK, ...TEA }, { listed: true })
      const store = memory()
      await (await openLibrary(cached(site.source, store))).close()
      await store.write(
        record === undefined ? { remove: ['copy.json'] } : { put: { 'copy.json': record } },
      )
      site.become({ ...PDF, 'x/SKILL.md': skill('x', 'Is new.') })
      await using library = await openLibrary(cached(site.source, store))
      await library.refresh()
      expect(await names(library)).toEqual(['pdf', 'x'])
      expect((await library.read('pdf', 'form.txt')).text).toBe('a form')
    },
  )

  it('[BY-6] [AC-5] a copy of a tree drops the diagnostics of a removed skill', async () => {
    const site = createSite({ ...PDF, 'broken/SKILL.md': '' }, { listed: true })
    await using library = await openLibrary(cached(site.source, memory()))
    expect(library.snapshot.diagnostics).toMatchObject([
      { code: 'skill-left-out', path: 'broken/SKILL.md' },
    ])
    site.become(PDF)
    await library.refresh()
    expect(library.snapshot.diagnostics).toEqual([])
  })

  it('[BY-6] [AC-5] the copy keeps unreadable folders, even without a record', async () => {
    const site = createSite({ ...PDF, ...DECK, ...TEA }, { listed: true })
    const store = memory()
    await (await openLibrary(cached(site.source, store))).close()
    await store.write({ remove: ['copy.json'] })
    site.become(PDF)
    const { list } = site.source
    const locked: SkillSource = {
      ...site.source,
      list: async at => [
        ...((await list?.(at)) ?? []),
        { path: 'deck', unreadable: 'permission denied' },
      ],
    }
    await using library = await openLibrary(cached(locked, store))
    await library.refresh()
    expect(await names(library)).toEqual(['deck', 'pdf'])
  })

  it('[BY-6] a full store is not an error: files that are read are not stored', async () => {
    const site = createSite(await packed({ ...PDF, ...DECK }))
    const inner = memory()
    let full = false
    const store: WritableSource = {
      ...inner,
      write: async (changes, at) => {
        if (full) throw new SkillshelfError('storage-full', 'no room')
        return inner.write(changes, at)
      },
    }
    await using library = await openLibrary(cached(site.source, store))
    full = true
    expect((await library.read('pdf', 'form.txt')).text).toBe('a form')
    expect(library.snapshot.diagnostics).toEqual([])
    site.become(await packed({ ...PDF, ...TEA }))
    await library.refresh()
    expect(await names(library)).toEqual(['pdf', 'tea'])
    expect(library.snapshot.diagnostics).toMatchObject([
      { code: 'copy-not-stored', message: expect.stringContaining('no room') },
    ])
    full = false
    await using next = await openLibrary(cached(site.source, store))
    await nextChange(next)
    expect(await names(next)).toEqual(['pdf', 'tea'])
    expect(next.snapshot.diagnostics).toEqual([])
  })

  it('[BY-6] fetched files are checked against their digest before they are stored', async () => {
    const files = await packed(PDF)
    const form = Object.keys(files).find(path => path.endsWith('.txt')) as string
    const site = createSite({ ...files, [form]: 'forged' })
    const store = memory()
    await using library = await openLibrary(cached(site.source, store))
    await expect(library.read('pdf', 'form.txt')).rejects.toMatchObject({ code: 'source-failed' })
    site.become(files)
    expect((await library.read('pdf', 'form.txt')).text).toBe('a form')
  })

  it('an invalid maxBytes is rejected', () => {
    const make = () => cached(memory(), memory(), { maxBytes: Number.NaN })
    expect(make).toThrow('"maxBytes" must be a number from 0, not NaN')
  })
})
