import { describe, expect, it } from 'vitest'
import {
  cached,
  type LibraryChange,
  type LocalLibrary,
  memory,
  openLibrary,
  pack,
  type SkillSource,
  SkillshelfError,
  skillStore,
  type WritableSource,
} from '../../src/exports/index.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nHow to ${name}.\n`
const PDF = { 'pdf/SKILL.md': skill('pdf', 'Fills in forms.'), 'pdf/form.txt': 'a form' }
const DECK = { 'deck/SKILL.md': skill('deck', 'Makes slides.'), 'deck/theme.txt': 'a theme' }
const TEA = { 'tea/SKILL.md': skill('tea', 'Brews tea.') }

type Files = Record<string, string | Uint8Array<ArrayBuffer>>

async function packed(files: Files): Promise<Files> {
  const outputs: Files = {}
  for await (const { path, bytes } of pack(memory(files))) outputs[path] = bytes
  return outputs
}

/** A place that can change, be down, and be slow; it notes what was asked of it. */
function place(start: Files, { listed = false } = {}) {
  let held = memory(start, { name: 'site' })
  const asked: string[] = []
  const world = {
    asked,
    down: false,
    hold: undefined as Promise<void> | undefined,
    async become(files: Files) {
      held = memory(files, { name: 'site' })
    },
    source: {
      name: 'site',
      async read(path, at = {}) {
        asked.push(at.ifVersion === undefined ? path : `${path}?`)
        await world.hold
        if (world.down) throw new SkillshelfError('source-failed', 'site cannot be reached')
        return held.read(path, at)
      },
      ...(listed
        ? {
            async list(at) {
              asked.push('list')
              if (world.down) throw new SkillshelfError('source-failed', 'site cannot be reached')
              return held.list?.(at) ?? []
            },
          }
        : {}),
    } satisfies SkillSource as SkillSource,
  }
  return world
}

const names = async (library: LocalLibrary): Promise<string[]> => (await library.list()).map(({ name }) => name)
const change = (library: LocalLibrary): Promise<LibraryChange> =>
  new Promise(resolve => {
    const off = library.on('change', told => {
      off()
      resolve(told)
    })
  })

describe('an offline copy', () => {
  it('[BY-6] is made at the first opening, and opens when the source is down', async () => {
    const site = place(await packed({ ...PDF, ...DECK }))
    const store = memory()
    {
      await using first = await openLibrary(cached(site.source, store))
      expect(await names(first)).toEqual(['deck', 'pdf'])
      expect((await first.get('pdf')).instructions).toBe('How to pdf.')
      expect((await first.read('pdf', 'form.txt')).text).toBe('a form')
    }
    site.down = true
    await using second = await openLibrary(cached(site.source, store))
    expect(await names(second)).toEqual(['deck', 'pdf'])
    expect((await second.search('slides')).matches[0]?.name).toBe('deck')
    expect((await second.get('pdf')).instructions).toBe('How to pdf.')
    expect((await second.read('pdf', 'form.txt')).text).toBe('a form')
    await expect(second.read('deck', 'theme.txt')).rejects.toMatchObject({ code: 'source-failed' })
    await second.refresh()
    expect(await names(second)).toEqual(['deck', 'pdf'])
    expect(second.snapshot.diagnostics.map(({ code }) => code)).toEqual(['source-unreadable'])
  })

  it('[BY-6] that cannot be made is an empty library that says why, and a refresh makes it', async () => {
    const site = place(await packed(PDF))
    site.down = true
    await using library = await openLibrary(cached(site.source, memory()))
    expect(await names(library)).toEqual([])
    expect(library.snapshot.diagnostics.map(({ code }) => code)).toEqual(['source-unreadable'])
    site.down = false
    expect((await library.refresh()).added).toEqual(['site/pdf'])
  })

  it('[BY-6] answers before the source does, and follows it when it changed', async () => {
    const site = place(await packed({ ...PDF, ...DECK }))
    const store = memory()
    await (await openLibrary(cached(site.source, store))).close()
    await site.become(await packed({ ...PDF, ...TEA }))
    let answer = (): void => undefined
    site.hold = new Promise(resolve => {
      answer = resolve
    })
    await using library = await openLibrary(cached(site.source, store))
    expect(await names(library)).toEqual(['deck', 'pdf'])
    const told = change(library)
    answer()
    expect(await told).toMatchObject({ added: ['site/tea'], removed: ['site/deck'] })
    expect(await names(library)).toEqual(['pdf', 'tea'])
    expect((await library.search('brews')).matches[0]?.name).toBe('tea')
  })

  it('[BY-6] costs one conditional read where nothing changed, and two where one skill did', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`s${at}/SKILL.md`, skill(`s${at}`, `Does ${at}.`)]),
    )
    const origin = skillStore(memory({}, { name: 'origin' }))
    await origin.install(many)
    const read = async (): Promise<Files> =>
      Object.fromEntries(
        await Promise.all(
          ((await origin.list?.()) ?? []).map(async ({ path }) => {
            const found = await origin.read(path)
            return [path, found && found !== 'unchanged' ? found.bytes : '']
          }),
        ),
      )
    const site = place(await read())
    await using library = await openLibrary(cached(site.source, memory()))
    expect(site.asked).toHaveLength(2)
    site.asked.length = 0
    await library.refresh()
    expect(site.asked).toEqual([`${CATALOG_FILE}?`])
    await origin.install({ 's7/SKILL.md': skill('s7', 'Juggles.') })
    await site.become(await read())
    site.asked.length = 0
    expect((await library.refresh()).changed).toEqual(['site/s7'])
    expect(site.asked).toHaveLength(2)
    expect((await library.search('juggles')).matches[0]?.name).toBe('s7')
  })

  it('[BY-6] [AC-5] stays as it was while a refresh fails, and says so', async () => {
    const site = place(await packed(PDF))
    await using library = await openLibrary(cached(site.source, memory()))
    const { revision } = library.snapshot
    site.down = true
    await library.refresh()
    expect(await names(library)).toEqual(['pdf'])
    expect(library.snapshot.diagnostics).toMatchObject([
      { code: 'source-unreadable', message: 'site cannot be reached' },
    ])
    site.down = false
    await library.refresh()
    expect(library.snapshot).toMatchObject({ revision, diagnostics: [] })
  })

  it('[BY-6] [BY-9] takes no half of a change: a wrong segment leaves the old library whole', async () => {
    const site = place(await packed(PDF))
    const store = memory()
    await using library = await openLibrary(cached(site.source, store))
    const next = await packed({ ...PDF, ...TEA })
    const segment = Object.keys(next).find(path => path.endsWith('.seg')) as string
    await site.become({ ...next, [segment]: 'something else' })
    await library.refresh()
    expect(await names(library)).toEqual(['pdf'])
    expect(library.snapshot.diagnostics[0]?.message).toContain('does not match its digest')
    await using again = await openLibrary(cached(place({}).source, store))
    expect(await names(again)).toEqual(['pdf'])
    await site.become(next)
    expect((await library.refresh()).added).toEqual(['site/tea'])
  })

  it('[BY-6] keeps resources within bounds, those that were read last, and all instructions', async () => {
    const files: Files = {}
    for (const name of ['a', 'b', 'c', 'd']) {
      files[`${name}/SKILL.md`] = skill(name, `Letter ${name}.`)
      files[`${name}/large.bin`] = new Uint8Array(1_000).fill(name.charCodeAt(0))
    }
    files['a/huge.bin'] = new Uint8Array(9_000)
    const site = place(await packed(files))
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
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(name => there(name, 'large.bin')))).toEqual([
      true,
      false,
      true,
      false,
    ])
    expect(await there('a', 'huge.bin')).toBe(false)
    for (const name of ['a', 'b', 'c', 'd']) expect((await library.get(name)).instructions).toBe(`How to ${name}.`)
  })

  it('[BY-6] knows over visits what was read last', async () => {
    const files: Files = {}
    for (const name of ['a', 'b', 'c']) {
      files[`${name}/SKILL.md`] = skill(name, `Letter ${name}.`)
      files[`${name}/large.bin`] = new Uint8Array(1_000).fill(name.charCodeAt(0))
    }
    const site = place(await packed(files))
    const store = memory()
    const visit = async (...wanted: string[]): Promise<void> => {
      await using library = await openLibrary(cached(site.source, store, { maxBytes: 2_000 }))
      for (const name of wanted) await library.read(name, 'large.bin')
    }
    await visit('a', 'b', 'a')
    await visit('c')
    site.asked.length = 0
    await visit('a', 'c')
    expect(site.asked.filter(path => path.endsWith('.bin'))).toEqual([])
    await visit('b')
    expect(site.asked.filter(path => path.endsWith('.bin'))).toHaveLength(1)
  })

  it('[BY-6] a whole copy has every file at once', async () => {
    const site = place(await packed({ ...PDF, ...DECK }))
    const store = memory()
    const progress: number[] = []
    const copy = cached(site.source, store, { whole: true, onProgress: ({ done }) => progress.push(done) })
    await (await openLibrary(copy)).close()
    expect(progress).toEqual([1, 2])
    site.down = true
    await using library = await openLibrary(cached(site.source, store))
    expect((await library.read('deck', 'theme.txt')).text).toBe('a theme')
  })

  it('[BY-6] a whole copy takes what there is room for, once', async () => {
    const files: Files = { 'b/huge.bin': new Uint8Array(9_000) }
    for (const name of ['a', 'b', 'c', 'd']) {
      files[`${name}/SKILL.md`] = skill(name, `Letter ${name}.`)
      files[`${name}/large.bin`] = new Uint8Array(1_000).fill(name.charCodeAt(0))
    }
    const site = place(await packed(files))
    const store = memory()
    const resources = () => site.asked.filter(path => path.endsWith('.bin'))
    {
      await using library = await openLibrary(cached(site.source, store, { maxBytes: 2_500, whole: true }))
      expect(new Set(resources()).size).toBe(2)
      expect(resources()).toHaveLength(2)
      await library.refresh()
      await library.refresh()
      expect(resources()).toHaveLength(2)
    }
    await using library = await openLibrary(cached(site.source, store, { maxBytes: 3_500, whole: true }))
    await library.refresh()
    expect(resources()).toHaveLength(3)
    site.down = true
    for (const name of ['a', 'b', 'c', 'd']) expect((await library.get(name)).instructions).toBe(`How to ${name}.`)
  })

  it('[BY-6] of a tree has every file, and reads only what changed', async () => {
    const site = place({ ...PDF, ...DECK }, { listed: true })
    const store = memory()
    await using library = await openLibrary(cached(site.source, store))
    site.asked.length = 0
    await library.refresh()
    expect(site.asked).toEqual([CATALOG_FILE, 'list'])
    await site.become({ ...PDF, ...TEA })
    site.asked.length = 0
    expect(await library.refresh()).toMatchObject({ added: ['site/tea'], changed: [], removed: ['site/deck'] })
    expect(site.asked.filter(path => path.startsWith('pdf'))).toEqual([])
    site.down = true
    await using offline = await openLibrary(cached(site.source, store))
    expect((await offline.read('pdf', 'form.txt')).text).toBe('a form')
    expect((await offline.search('brews')).matches[0]?.name).toBe('tea')
    await expect(offline.read('deck', 'theme.txt')).rejects.toMatchObject({ code: 'skill-not-found' })
  })

  it('[BY-6] follows a place that turns from a packed library into a tree, and back', async () => {
    const broken = { 'broken/SKILL.md': '' }
    const library1 = await packed({ ...PDF, ...DECK, ...broken })
    const site = place(library1, { listed: true })
    const store = memory()
    await using library = await openLibrary(cached(site.source, store))
    expect(library.snapshot.diagnostics).toHaveLength(1)
    await site.become({ ...PDF, ...TEA })
    expect(await library.refresh()).toMatchObject({ added: ['site/tea'], removed: ['site/deck'] })
    expect(library.snapshot.diagnostics).toEqual([])
    await library.refresh()
    expect(await names(library)).toEqual(['pdf', 'tea'])
    expect((await library.get('pdf')).instructions).toBe('How to pdf.')
    expect((await library.read('pdf', 'form.txt')).text).toBe('a form')
    await site.become(library1)
    await library.refresh()
    expect(await names(library)).toEqual(['deck', 'pdf'])
    await site.become({ ...PDF, ...TEA })
    await library.refresh()
    expect(await names(library)).toEqual(['pdf', 'tea'])
  })

  it.each([undefined, '{', '{"folders":{"pdf":1,"deck":null}}'])(
    '[BY-6] of a tree is compared anew where its notes are %j',
    async notes => {
      const site = place({ ...PDF, ...DECK, ...TEA }, { listed: true })
      const store = memory()
      await (await openLibrary(cached(site.source, store))).close()
      await store.write(notes === undefined ? { remove: ['copy.json'] } : { put: { 'copy.json': notes } })
      await site.become({ ...PDF, 'x/SKILL.md': skill('x', 'Is new.') })
      await using library = await openLibrary(cached(site.source, store))
      await library.refresh()
      expect(await names(library)).toEqual(['pdf', 'x'])
      expect((await library.read('pdf', 'form.txt')).text).toBe('a form')
    },
  )

  it('[BY-6] [AC-5] of a tree says no more what was wrong with a skill that is gone', async () => {
    const site = place({ ...PDF, 'broken/SKILL.md': '' }, { listed: true })
    await using library = await openLibrary(cached(site.source, memory()))
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'skill-left-out', path: 'broken/SKILL.md' }])
    await site.become(PDF)
    await library.refresh()
    expect(library.snapshot.diagnostics).toEqual([])
  })

  it('[BY-6] [AC-5] keeps what cannot be looked at, also without notes', async () => {
    const site = place({ ...PDF, ...DECK, ...TEA }, { listed: true })
    const store = memory()
    await (await openLibrary(cached(site.source, store))).close()
    await store.write({ remove: ['copy.json'] })
    await site.become(PDF)
    const { list } = site.source
    const locked: SkillSource = {
      ...site.source,
      list: async at => [...((await list?.(at)) ?? []), { path: 'deck', unreadable: 'permission denied' }],
    }
    await using library = await openLibrary(cached(locked, store))
    await library.refresh()
    expect(await names(library)).toEqual(['deck', 'pdf'])
  })

  it('[BY-6] a place without room is no failure: what is read is not kept', async () => {
    const site = place(await packed({ ...PDF, ...DECK }))
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
    await site.become(await packed({ ...PDF, ...TEA }))
    await library.refresh()
    expect(await names(library)).toEqual(['deck', 'pdf'])
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'source-unreadable', message: 'no room' }])
    full = false
    await library.refresh()
    expect(await names(library)).toEqual(['pdf', 'tea'])
  })

  it('[BY-6] checks what it fetches, and keeps nothing that is not what was packed', async () => {
    const files = await packed(PDF)
    const form = Object.keys(files).find(path => path.endsWith('.txt')) as string
    const site = place({ ...files, [form]: 'forged' })
    const store = memory()
    await using library = await openLibrary(cached(site.source, store))
    await expect(library.read('pdf', 'form.txt')).rejects.toMatchObject({ code: 'source-failed' })
    await site.become(files)
    expect((await library.read('pdf', 'form.txt')).text).toBe('a form')
  })

  it('refuses a bound that is none', () => {
    expect(() => cached(memory(), memory(), { maxBytes: Number.NaN })).toThrow(
      '"maxBytes" must be a number from 0, not NaN',
    )
  })
})
