import { afterEach, describe, expect, it, vi } from 'vitest'
import { cached, memory, openLibrary, type SkillSource } from '../../src/exports/index.js'
import { archive, writeArchive } from '../../src/exports/sources.js'
import { skillStore } from '../../src/exports/store.js'
import { packedFiles } from '../packed-files.js'
import { skill } from '../skill-file.js'
import { beforeReads } from '../watch-reads.js'

type Files = Record<string, Uint8Array<ArrayBuffer> | string>

const packed = (files: Files) => packedFiles(memory(files, { name: 'mine' }))

async function stored(files: Files) {
  const store = skillStore(memory({}, { name: 'mine' }))
  await store.install(files)
  return store
}

/** A source of which one file cannot be read while it is named in `down`. */
function failing(held: SkillSource) {
  const source = beforeReads(held, path => {
    if (path === world.down) throw new Error('the line broke')
  })
  const world = { down: undefined as string | undefined, source }
  return world
}

/** The same files in each layout of a library. */
const layouts: [name: string, open: (files: Files) => ReturnType<typeof openLibrary>][] = [
  ['a tree', async files => openLibrary(memory(files, { name: 'mine' }))],
  ['a packed library', async files => openLibrary(memory(await packed(files), { name: 'mine' }))],
  ['a store', async files => openLibrary(await stored(files))],
  [
    'an archive exported by a store',
    async files => openLibrary(archive(await (await stored(files)).export(), { name: 'mine' })),
  ],
  [
    'an offline copy',
    async files => openLibrary(cached(memory(files, { name: 'mine' }), memory(), { whole: true })),
  ],
]

describe('names that differ only in case or Unicode form', () => {
  const composed = 'caf\u00e9'
  const decomposed = 'cafe\u0301'
  const folders = ['Tea', 'tea', composed, decomposed, 'ｔｅａ']
  const files = ['Notes.md', 'notes.md', `${composed}.md`, `${decomposed}.md`]
  const tree = Object.fromEntries(
    folders.flatMap(folder => [
      [`${folder}/SKILL.md`, skill(folder, `The skill of ${[...folder].join(' ')}.`)],
      ...files.map(file => [`${folder}/${file}`, `${file} of ${folder}`]),
    ]),
  )

  it.each(layouts)('[BY-9] [AC-2] are separate skills and files in %s', async (_, open) => {
    await using library = await open(tree)
    expect((await library.list()).map(({ id }) => id).sort()).toEqual(
      folders.map(folder => `mine/${folder}`).sort(),
    )
    for (const folder of folders) {
      const found = await library.get(`mine/${folder}`)
      expect([found.name, found.path, found.instructions]).toEqual([
        folder,
        folder,
        `How to do ${folder}.`,
      ])
      expect(found.files.map(({ path }) => path).sort()).toEqual([...files].sort())
      expect((await library.get(folder)).id).toBe(`mine/${folder}`)
      for (const file of files)
        expect((await library.read(folder, file)).text).toBe(`${file} of ${folder}`)
    }
    await expect(library.get('TEA')).rejects.toMatchObject({ code: 'ambiguous-name' })
  })

  it('[BY-6] are changed and removed independently', async () => {
    const source = memory({}, { name: 'mine' })
    const store = skillStore(source)
    await store.install(tree)
    await store.edit('Tea', { put: { 'notes.md': 'new' }, remove: ['Notes.md'] })
    await store.remove(['mine/tea', `mine/${decomposed}`])
    await using library = await openLibrary(source)
    expect((await library.list()).map(({ name }) => name).sort()).toEqual(
      ['Tea', composed, 'ｔｅａ'].sort(),
    )
    const paths = (await library.get('Tea')).files.map(({ path }) => path)
    expect(paths.sort()).toEqual(files.slice(1).sort())
    expect((await library.read('Tea', 'notes.md')).text).toBe('new')
    expect((await library.read(composed, 'Notes.md')).text).toBe(`Notes.md of ${composed}`)
  })
})

describe('a file name that is safe in the source but not relative to its skill', () => {
  const skills = { 'alpha/SKILL.md': skill('alpha'), 'beta/SKILL.md': skill('beta') }
  const tree = { ...skills, 'alpha/note:todo.md': 'refused', 'alpha/good.md': 'kept' }

  it.each(layouts)(
    '[BY-9] [AC-5] is refused without hiding other files in %s',
    async (layout, open) => {
      await using library = await open(tree)
      const reported = layout.startsWith('an archive')
        ? []
        : [{ code: 'path-refused', path: 'alpha/note:todo.md' }]
      expect(library.snapshot.diagnostics).toMatchObject(reported)
      expect((await library.list()).map(({ name }) => name)).toEqual(['alpha', 'beta'])
      expect((await library.get('alpha')).files.map(({ path }) => path)).toEqual(['good.md'])
      expect((await library.read('alpha', 'good.md')).text).toBe('kept')
      await expect(library.read('alpha', 'note:todo.md')).rejects.toMatchObject({
        code: 'invalid-path',
      })
    },
  )

  it('[BY-9] [AC-5] is refused in an archive with a single top-level folder', async () => {
    const held = skillStore(memory({}))
    const files = { 'repo/note:todo.md': 'refused' } as Record<string, string>
    for (const [path, text] of Object.entries(tree)) files[`repo/${path}`] = text
    const bytes = await writeArchive(files, { format: 'zip' })
    expect((await held.install(bytes)).added).toEqual(['memory/alpha', 'memory/beta'])
    await using library = await openLibrary(archive(bytes))
    expect((await library.list()).map(({ path }) => path)).toEqual(['alpha', 'beta'])
    expect(library.snapshot.diagnostics).toMatchObject([
      { code: 'path-refused', path: 'alpha/note:todo.md' },
      { code: 'path-refused', path: 'note:todo.md' },
    ])
  })

  it('[BY-6] [AC-5] is refused by install, and the other skills are installed', async () => {
    const file = (path: string, text: string) => ({
      name: path,
      webkitRelativePath: `alpha/${path}`,
      arrayBuffer: async () => new TextEncoder().encode(text).buffer,
    })
    const files = [
      file('SKILL.md', skill('alpha')),
      file('note:todo.md', 'refused'),
      file('good.md', 'kept'),
    ]
    const diagnostics = [{ code: 'path-refused', path: 'alpha/note:todo.md' }]
    expect(await skillStore(memory({})).install(files)).toMatchObject({
      added: ['memory/alpha'],
      diagnostics,
    })
  })

  it('[BY-6] [AC-5] keeps its skill in an offline copy, even if the source refuses to read it', async () => {
    const inner = memory(tree, { name: 'mine' })
    const source: SkillSource = {
      ...inner,
      list: async () => [...((await inner.list?.()) ?? []), { path: 'alpha//x.md', version: '1' }],
    }
    await using library = await openLibrary(cached(source, memory()))
    expect((await library.list()).map(({ name }) => name)).toEqual(['alpha', 'beta'])
    expect(library.snapshot.diagnostics.map(({ code, path }) => [code, path])).toEqual([
      ['path-refused', 'alpha//x.md'],
      ['path-refused', 'alpha/note:todo.md'],
    ])
  })
})

describe('10,000 files in one skill', () => {
  const count = 10_000
  const nameOf = (number: number): string => `references/${String(number).padStart(5, '0')}.md`
  const treeOf = (amount: number): Files => {
    const made: Files = { 'many/SKILL.md': skill('many'), 'few/SKILL.md': skill('few') }
    for (let at = 1; at <= amount; at++) made[`many/${nameOf(at)}`] = `file ${at}`
    return made
  }
  const tree = treeOf(count)

  // archive.test.ts covers archives of this size.
  it.each(layouts.filter(([name]) => !name.includes('archive')))(
    '[BY-9] are read from %s',
    async (_, open) => {
      await using library = await open(tree)
      const { files } = await library.get('many')
      expect(files.length).toBe(count)
      for (const number of [1, count / 2, count])
        expect((await library.read('many', nameOf(number))).text).toBe(`file ${number}`)
      expect((await library.match('do few', { threshold: 0 })).matches[0]?.name).toBe('few')
    },
  )

  it('[BY-6] changing one file writes one file', async () => {
    const source = memory({}, { name: 'mine' })
    const written: string[][] = []
    const write: typeof source.write = async (changes, options) => {
      written.push(Object.keys(changes.put ?? {}))
      await source.write(changes, options)
    }
    const store = skillStore({ ...source, write })
    await store.install(treeOf(1_000))
    await store.edit('many', { put: { [nameOf(7)]: 'changed' } })
    await using library = await openLibrary(source)
    expect((await library.read('many', nameOf(7))).text).toBe('changed')
    expect((await library.read('many', nameOf(8))).text).toBe('file 8')
    expect((await library.get('many')).files.length).toBe(1_000)
    // The file, its details, the catalog, and two segments, because half of the only one was dead.
    expect(written[1]).toHaveLength(5)
    // Besides the files: two SKILL.md, two details, the segments and the catalog. The old version is removed.
    expect((await source.list?.())?.length).toBe(1_000 + 7)
  })
})

it('[BY-6] a library opened on an empty store follows every installation', async () => {
  const mine = skillStore(memory({}, { name: 'mine' }))
  await using library = await openLibrary(mine, { strict: true })
  expect(library.snapshot.skills).toEqual([])
  for (const name of ['tea', 'pdf']) {
    await mine.install({ [`${name}/SKILL.md`]: skill(name) })
    expect((await library.refresh()).added).toEqual([`mine/${name}`])
  }
  expect((await library.match('do tea', { threshold: 0 })).matches[0]?.name).toBe('tea')
  expect((await library.get('tea')).instructions).toBe('How to do tea.')
})

describe('one failed read of 300 in an offline copy of a tree', () => {
  const tree = (word: string): Files =>
    Object.fromEntries(
      Array.from({ length: 300 }, (_, number) => [
        [`s${number}/SKILL.md`, skill(`s${number}`, `${word} ${number}.`)],
        [`s${number}/x.md`, `${word} ${number}`],
      ]).flat() as [string, string][],
    )

  it.each(['s7/SKILL.md', 's7/x.md'])(
    '[BY-6] [AC-5] %s: keeps the other files and reads it again on the next refresh',
    async path => {
      const held = memory(tree('One'), { name: 'site' })
      const site = failing(held)
      site.down = path
      await using library = await openLibrary(cached(site.source, memory()))
      expect((await library.list()).length).toBe(299)
      expect(library.snapshot.diagnostics).toMatchObject([{ code: 'skill-unreadable', path }])
      site.down = undefined
      expect((await library.refresh()).added).toEqual(['site/s7'])
      expect(library.snapshot.diagnostics).toEqual([])
      // An earlier copy stays until the new one can be read.
      await held.write({ put: tree('Two') })
      site.down = path
      expect((await library.refresh()).changed.length).toBe(299)
      expect((await library.read('s7', 'x.md')).text).toBe('One 7')
      site.down = undefined
      expect((await library.refresh()).changed).toEqual(['site/s7'])
      expect((await library.read('s7', 'x.md')).text).toBe('Two 7')
      expect((await library.get('s7')).description).toBe('Two 7.')
    },
  )
})

it('[BY-6] [AC-5] a whole copy with one failed read of 600 keeps all skills and fetches the file on refresh', async () => {
  const names = Array.from({ length: 300 }, (_, number) => `s${number}`)
  const made = await packed(
    Object.fromEntries(names.map(name => [`${name}/SKILL.md`, skill(name)])),
  )
  const site = failing({ name: 'site', read: memory(made).read })
  site.down = Object.keys(made).find(path => path.endsWith('.md'))
  const store = memory()
  {
    await using library = await openLibrary(cached(site.source, store, { whole: true }))
    expect((await library.list()).length).toBe(300)
    expect(library.snapshot.diagnostics).toEqual([])
    expect(await store.read(site.down as string)).toBeUndefined()
    site.down = undefined
    await library.refresh()
  }
  expect((await store.list?.())?.map(({ path }) => path).sort()).toEqual(
    [...Object.keys(made), 'copy.json'].sort(),
  )
})

describe('a clock that runs backwards', () => {
  afterEach(() => vi.useRealTimers())

  /** From here on each look at the clock says an hour less than the one before. */
  function backwards(): void {
    let now = Date.parse('2026-01-01T00:00:00Z')
    vi.useFakeTimers({ toFake: ['Date'], now })
    vi.spyOn(Date, 'now').mockImplementation(() => {
      now -= 3_600_000
      vi.setSystemTime(now)
      return now
    })
  }

  it('[BY-6] does not change the results of install, edit, copy and eviction', async () => {
    const run = async (): Promise<unknown> => {
      const files = { 'a/1.bin': '1'.repeat(900), 'a/2.bin': '2'.repeat(900) }
      const site = memory(await packed({ 'a/SKILL.md': skill('a'), ...files }))
      const place = memory()
      const named: SkillSource = { ...site, name: 'site' }
      const results: unknown[] = []
      {
        await using copy = await openLibrary(cached(named, place, { maxBytes: 1_000 }))
        await copy.get('a')
        await copy.read('a', '1.bin')
        await copy.read('a', '2.bin')
        await site.write({
          put: await packed({ 'a/SKILL.md': skill('a', 'Changed.'), 'a/1.bin': '1'.repeat(900) }),
        })
        // The watcher may or may not have refreshed already.
        await copy.refresh()
        results.push((await copy.get('a')).description)
      }
      const mine = skillStore(memory({}, { name: 'mine' }))
      for (const word of ['one', 'two', 'three'])
        results.push(await mine.install({ 'b/SKILL.md': skill('b', word) }))
      results.push(await mine.edit('b', { put: { 'x.md': 'x' } }))
      await using library = await openLibrary(mine)
      results.push(library.snapshot.revision, (await library.get('b')).description)
      const listed = [...((await place.list?.()) ?? []), ...((await mine.list?.()) ?? [])]
      // Files that are read at the same time are written in any order, and copy.json names them in it.
      const lines = listed.map(
        ({ path, size, version }) => `${path} ${size} ${path === 'copy.json' ? '' : version}`,
      )
      results.push(lines.sort())
      results.push(await mine.export())
      return results
    }
    const expected = await run()
    backwards()
    expect(await run()).toEqual(expected)
  })
})
