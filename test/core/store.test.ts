import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../bench/random.js'
import { memory, openLibrary, type SkillSource } from '../../src/exports/index.js'
import {
  archive,
  type FileEntry,
  type WritableSource,
  writeArchive,
} from '../../src/exports/sources.js'
import { type InstallInput, skillStore } from '../../src/exports/store.js'
import { readCatalog } from '../../src/library/catalog/packed-catalog.js'
import { packedFile } from '../../src/library/catalog/packed-files.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import { fails } from '../fails.js'
import { packedFiles } from '../packed-files.js'
import { skill } from '../skill-file.js'
import { beforeReads, watchReads } from '../watch-reads.js'

const PDF =
  '---\nname: pdf\ndescription: Fills in forms and merges pages of PDF files.\n---\nMerge with care.\n'
const DECK = '---\nname: deck\ndescription: Makes slides for a talk.\n---\nOne idea a slide.\n'
const TEA = '---\nname: tea\ndescription: Brews green and black tea.\n---\nEighty degrees.\n'
const THREE = { 'pdf/SKILL.md': PDF, 'deck/SKILL.md': DECK, 'tea/SKILL.md': TEA }

const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

async function catalogOf(source: SkillSource) {
  const found = await source.read(CATALOG_FILE)
  if (!found || found === 'unchanged') throw new Error('no catalog')
  return readCatalog(found.bytes, CATALOG_FILE)
}

/** Every file that the catalog or the details of its skills refer to. */
async function named(source: SkillSource): Promise<string[]> {
  const { skills, segments } = await catalogOf(source)
  const paths = new Set([CATALOG_FILE, ...segments.map(({ file }) => file)])
  for (const { digest, details } of skills) {
    const json = `files/${details.slice(7, 23)}.json`
    paths.add(`files/${digest.slice(7, 23)}.md`).add(json)
    const found = await source.read(json)
    if (!found || found === 'unchanged') throw new Error(`${json} is not there`)
    for (const { path, digest: own } of JSON.parse(text(found.bytes)).files)
      paths.add(packedFile(own, path))
  }
  return [...paths].sort()
}

const listed = async (source: SkillSource): Promise<string[]> =>
  ((await source.list?.()) ?? []).map(({ path }) => path).sort()

function emptyStore() {
  const source = memory({}, { name: 'mine' })
  return { source, store: skillStore(source) }
}

describe('a store', () => {
  it('[BY-6] install reports the problems of each installed skill', async () => {
    const store = skillStore(memory({}, { name: 'mine' }))
    const { added, diagnostics } = await store.install({
      'greet/SKILL.md': '---\nname: Greet Me\ndescription: Greets people.\n---\nSay hello.',
      'empty/SKILL.md': '---\nname: empty\ndescription: Has no instructions.\n---\n',
      'nameless/SKILL.md': '---\nversion: 1.0.0\n---\n',
    })
    expect(added).toEqual(['mine/empty', 'mine/greet'])
    const expected = [
      'empty/SKILL.md empty-body',
      'greet/SKILL.md name-invalid',
      'greet/SKILL.md name-not-folder',
    ]
    const found = diagnostics.map(({ code, path }) => `${path} ${code}`)
    expect(found).toEqual(expect.arrayContaining(['nameless/SKILL.md skill-left-out', ...expected]))
    const edited = await store.edit('empty', {
      put: { 'SKILL.md': '---\ndescription: Has no name.\n---\nDo it.' },
    })
    expect(edited.diagnostics).toMatchObject([{ code: 'name-inferred', path: 'empty/SKILL.md' }])
  })

  it.each<[string, (text: string) => InstallInput]>([
    ['text', text => text],
    ['bytes', text => new TextEncoder().encode(text)],
    ['a File', text => new File([text], 'SKILL.md')],
    ['a File of another name', text => new File([text], 'greet.md')],
    ['a chosen file of another name', text => [new File([text], 'greet.md')]],
    ['a Blob', text => new Blob([`\uFEFF${text}`])],
    ['a Response', text => new Response(text.replaceAll('\n', '\r\n'))],
  ])('[BY-6] install takes one SKILL.md as %s', async (_, input) => {
    const store = skillStore(memory({}, { name: 'mine' }))
    const { added } = await store.install(
      input('---\nname: greet\ndescription: Greets people.\n---\nSay hello.'),
    )
    expect(added).toEqual(['mine/greet'])
    await using library = await openLibrary(store)
    expect((await library.get('greet')).instructions).toBe('Say hello.')
  })

  it('[BY-6] install refuses an address as text, and a page as an archive', async () => {
    const store = skillStore(memory())
    await fails(store.install('https://example.com/greet.zip'), 'invalid-input', 'pass http(url)')
    const page = new Response('<!doctype html>\n<title>Log in</title>')
    await fails(store.install(page), 'format')
  })

  it('[BY-6] install adds files; the store opens in two reads and finds them', async () => {
    const store = skillStore(memory({}, { name: 'mine' }))
    const files = { 'pdf/SKILL.md': PDF, 'pdf/scripts/merge.py': 'print(1)', 'deck/SKILL.md': DECK }
    expect(await store.install(files)).toEqual({
      added: ['mine/deck', 'mine/pdf'],
      changed: [],
      removed: [],
      stored: [
        { folder: 'deck', name: 'deck', digest: expect.any(String), details: expect.any(String) },
        { folder: 'pdf', name: 'pdf', digest: expect.any(String), details: expect.any(String) },
      ],
      diagnostics: [],
    })
    const { source, reads } = watchReads(store)
    await using library = await openLibrary(source)
    expect(reads).toHaveLength(2)
    const { matches } = await library.match('merge two PDF files')
    expect(matches.map(({ id }) => id)).toEqual(['mine/pdf'])
    expect((await library.read('pdf', 'scripts/merge.py')).text).toBe('print(1)')
  })

  it('[BY-6] install accepts an archive, chosen files, a tree and a packed library', async () => {
    const store = skillStore(memory({}, { name: 'mine' }))
    const zip = await writeArchive(
      { 'SKILL.md': PDF, 'assets/form.bin': Uint8Array.of(0, 255, 7) },
      { format: 'zip' },
    )
    await store.install(zip)
    await store.install(
      new Blob([await writeArchive({ 'talks/deck/SKILL.md': DECK }, { format: 'tar.gz' })]),
    )
    const file = (path: string, content: string) => ({
      name: path.slice(path.lastIndexOf('/') + 1),
      webkitRelativePath: path,
      arrayBuffer: async () => new TextEncoder().encode(content).buffer,
    })
    await store.install([file('brewing/SKILL.md', TEA), file('brewing/leaves.txt', 'green')])
    const tree = memory({ 'one/SKILL.md': skill('one', 'Counts to one.') }, { name: 'tree' })
    await store.install(tree)
    const two = { 'two/SKILL.md': skill('two', 'Counts to two.'), 'two/x.txt': 'x' }
    const packed = await packedFiles(memory(two))
    await store.install(memory(packed, { name: 'packed' }))

    await using library = await openLibrary(store)
    expect((await library.list()).map(({ path }) => path)).toEqual([
      'deck',
      'one',
      'pdf',
      'tea',
      'two',
    ])
    expect((await library.read('pdf', 'assets/form.bin')).bytes).toEqual(Uint8Array.of(0, 255, 7))
    expect((await library.read('tea', 'leaves.txt')).text).toBe('green')
    expect((await library.read('two', 'x.txt')).text).toBe('x')
    expect(library.snapshot.diagnostics).toEqual([])
    for (const { id } of await library.list())
      expect((await library.search(id.slice(5))).matches[0]?.id).toBe(id)
  })

  it('[BY-6] edit adds one small segment and keeps the others', async () => {
    const { source, store } = emptyStore()
    await store.install({ ...THREE, 'one/SKILL.md': skill('one', 'I.'), 'pdf/form.txt': 'form' })
    const before = await catalogOf(source)
    const { source: watched, reads } = watchReads(source)
    const put = { 'SKILL.md': PDF.replace('forms', 'questionnaires'), 'new.txt': 'new' }
    const edited = await skillStore(watched).edit('pdf', { put })
    expect(edited).toMatchObject({ added: [], changed: ['mine/pdf'], removed: [] })
    expect(reads.filter(path => path.endsWith('.seg'))).toEqual([])
    const after = await catalogOf(source)
    expect(after.segments).toHaveLength(2)
    expect(after.segments[0]).toMatchObject({ file: before.segments[0]?.file, skills: 4 })
    expect(after.segments[0]?.dead).toHaveLength(1)
    expect(after.segments[1]).toMatchObject({ skills: 1, dead: [] })

    await using library = await openLibrary(source)
    expect((await library.search('questionnaires')).matches[0]?.id).toBe('mine/pdf')
    expect((await library.search('forms')).matches.map(({ id }) => id)).not.toContain('mine/pdf')
    expect((await library.read('pdf', 'form.txt')).text).toBe('form')
    expect((await library.read('pdf', 'new.txt')).text).toBe('new')
    await store.edit('pdf', { remove: ['form.txt'] })
    await library.refresh()
    await expect(library.read('pdf', 'form.txt')).rejects.toMatchObject({
      code: 'resource-not-found',
    })
    expect(await listed(source)).toEqual(await named(source))
  })

  it('[BY-6] many edits leave few segments, which rank like one pack of the same skills', async () => {
    const { source, store } = emptyStore()
    const words = 'tea pdf slides music maps tax bread code plants stars boats clocks'.split(' ')
    const files: Record<string, string> = {}
    for (const [at, word] of words.entries()) {
      files[`${word}/SKILL.md`] = skill(
        word,
        `Knows ${word} and ${words[(at + 1) % words.length]}.`,
        `All of ${word}.`,
      )
      await store.install({ [`${word}/SKILL.md`]: files[`${word}/SKILL.md`] as string })
      expect((await catalogOf(source)).segments.length).toBeLessThanOrEqual(8)
    }
    files['tea/SKILL.md'] = skill('tea', 'Knows coffee too.')
    await store.edit('tea', { put: { 'SKILL.md': files['tea/SKILL.md'] } })
    await store.remove(['pdf', 'mine/boats'])
    delete files['pdf/SKILL.md']
    delete files['boats/SKILL.md']
    await using edited = await openLibrary(source)
    await using fresh = await openLibrary(memory(files, { name: 'mine' }))
    for (const word of [...words, 'coffee']) {
      const [a, b] = await Promise.all(
        [edited, fresh].map(library => library.search(word, { limit: 20 })),
      )
      expect(a?.matches).toEqual(b?.matches)
    }
    expect(await listed(source)).toEqual(await named(source))
  })

  it('[BY-6] remove deletes the files of a skill unless another skill has them too', async () => {
    const { source, store } = emptyStore()
    await store.install({
      'pdf/SKILL.md': PDF,
      'pdf/shared.txt': 'the same',
      'pdf/own.txt': 'its own',
    })
    await store.install({ 'deck/SKILL.md': DECK, 'deck/copy.txt': 'the same' })
    expect(await store.remove('pdf')).toMatchObject({ removed: ['mine/pdf'] })
    await using library = await openLibrary(source)
    expect((await library.list()).map(({ id }) => id)).toEqual(['mine/deck'])
    expect((await library.read('deck', 'copy.txt')).text).toBe('the same')
    expect(await listed(source)).toEqual(await named(source))
    await store.remove('deck')
    expect(await listed(source)).toEqual([CATALOG_FILE])
    await expect(store.remove('deck')).rejects.toMatchObject({ code: 'skill-not-found' })
  })

  it('[BY-6] a change writes changed files only, and nothing if nothing changes', async () => {
    const source = memory({}, { name: 'mine' })
    const written: string[][] = []
    const write: WritableSource['write'] = async (changes, at) => {
      written.push(Object.keys(changes.put ?? {}))
      return source.write(changes, at)
    }
    const store = skillStore({ ...source, write })
    const files = { ...THREE, 'one/SKILL.md': skill('one', 'I.') }
    await store.install(files)
    expect(await store.install(files)).toMatchObject({ added: [], changed: [], removed: [] })
    expect(written).toHaveLength(1)
    await store.install({ ...files, 'tea/SKILL.md': TEA.replace('green', 'white') })
    // SKILL.md, details, a segment, the catalog.
    expect(written[1]).toHaveLength(4)
  })

  it('[BY-6] two concurrent changes are both applied', async () => {
    const source = memory({}, { name: 'mine' })
    const stores = Array.from({ length: 4 }, () => skillStore(source))
    const file = (at: number) => ({ [`s${at}/SKILL.md`]: skill(`s${at}`, `Number ${at}.`) })
    await Promise.all(stores.map((store, at) => store.install(file(at))))
    const here = stores[0] as (typeof stores)[number]
    await Promise.all([here.remove('s0'), here.install(file(4))])
    await using library = await openLibrary(source)
    expect((await library.list()).map(({ name }) => name)).toEqual(['s1', 's2', 's3', 's4'])
    expect(await listed(source)).toEqual(await named(source))
  })

  it('[BY-6] two concurrent installs of the same skill leave one of them whole', async () => {
    const source = memory({}, { name: 'mine' })
    const bodies = ['first', 'second'].map(word => ({
      'pdf/SKILL.md': skill('pdf', word),
      'pdf/which.txt': word,
    }))
    await Promise.all(bodies.map(files => skillStore(source).install(files)))
    await using library = await openLibrary(source)
    const { description } = await library.get('pdf')
    expect((await library.read('pdf', 'which.txt')).text).toBe(description)
    expect(await listed(source)).toEqual(await named(source))
  })

  it('[BY-6] sweep removes files that keepOld left, and no others', async () => {
    const source = memory({ 'notes.md': 'mine' }, { name: 'mine' })
    const store = skillStore(source, { keepOld: true })
    await store.install({
      'pdf/SKILL.md': PDF,
      'pdf/x.txt': 'x',
      'deck/SKILL.md': DECK,
      'deck/x.txt': 'x',
    })
    await store.remove('pdf')
    // The times of files in memory are unknown.
    expect(await store.sweep()).toMatchObject({ removed: [], bytes: 0 })
    const { removed } = await store.sweep({ olderThan: 0 })
    expect(removed.length).toBeGreaterThan(1)
    expect(await listed(source)).toEqual(['notes.md', ...(await named(source))].sort())
    await expect(store.sweep({ olderThan: -1 })).rejects.toMatchObject({ code: 'invalid-input' })
    const { list: _, ...unlisted } = source
    await expect(skillStore(unlisted as WritableSource).sweep()).rejects.toMatchObject({
      code: 'unsupported',
    })
  })

  it('[BY-6] a precondition sees the stored skills before each attempt and can cancel the change', async () => {
    const { source, store } = emptyStore()
    await store.install({ 'pdf/SKILL.md': PDF })
    const seen: string[][] = []
    const precondition = (stored: readonly { folder: string }[]): void => {
      seen.push(stored.map(({ folder }) => folder))
      if (stored.length > 1) throw new RangeError('enough')
    }
    const write: WritableSource['write'] = async (changes, options) => {
      if (seen.length === 1) await store.install({ 'deck/SKILL.md': DECK })
      return source.write(changes, options)
    }
    const overtaken = skillStore({ ...source, write })
    await expect(overtaken.install({ 'tea/SKILL.md': TEA }, { precondition })).rejects.toThrow(
      RangeError,
    )
    await expect(overtaken.remove('pdf', { precondition })).rejects.toThrow(RangeError)
    expect(seen).toEqual([['pdf'], ['pdf', 'deck'], ['pdf', 'deck']])
  })

  it('[BY-6] a failed change changes nothing and reports the cause', async () => {
    const { source, store } = emptyStore()
    await store.install({ 'pdf/SKILL.md': PDF })
    const before = await listed(source)
    await fails(store.install({ 'readme.txt': 'no skill here' }), 'skill-not-found')
    await fails(store.install(Uint8Array.of(1, 2, 3)), 'format')
    await fails(store.install({ 'x/SKILL.md': '' }, {}), 'skill-not-found')
    await fails(store.install(undefined as never), 'invalid-input')
    await fails(store.edit('pdf', { put: { '../x': 'out' } }), 'invalid-path')
    await fails(store.edit('pdf', { remove: ['SKILL.md'] }), 'skill-not-found')
    await fails(store.edit('PDFs', {}), 'skill-not-found')
    const full = skillStore({ ...source, write: async () => Promise.reject(new Error('no room')) })
    await expect(full.install({ 'deck/SKILL.md': DECK })).rejects.toThrow('no room')
    await fails(
      store.install({ 'deck/SKILL.md': DECK }, { signal: AbortSignal.abort() }),
      'aborted',
    )
    expect(await listed(source)).toEqual(before)
  })

  it('[BY-6] export returns every file byte for byte, and install accepts it', async () => {
    const store = skillStore(memory({}, { name: 'mine' }))
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
    await store.install({
      'pdf/skill.md': PDF,
      'pdf/assets/all.bin': bytes,
      'deck/SKILL.md': `\uFEFF${DECK}`,
    })
    const other = skillStore(memory({}, { name: 'other' }))
    for (const format of ['zip', 'tar.gz'] as const)
      await other.install(await store.export(undefined, { format }))
    await using library = await openLibrary(other)
    expect((await library.get('pdf')).file).toBe('skill.md')
    expect((await library.read('pdf', 'assets/all.bin')).bytes).toEqual(bytes)
    expect((await library.read('deck', 'SKILL.md')).bytes).toEqual(
      new TextEncoder().encode(`\uFEFF${DECK}`),
    )
    const one = skillStore(memory({}))
    expect(await one.install(await store.export('deck'))).toMatchObject({ added: ['memory/deck'] })
  })

  it('[BY-6] a skill at the root of the input gets a folder', async () => {
    const store = skillStore(memory({}, { name: 'mine' }))
    await store.install({ 'SKILL.md': PDF, 'x.txt': 'x' })
    await store.install({ 'SKILL.md': skill('Tea / coffee', 'Brews.') })
    await store.install({ 'SKILL.md': DECK }, { as: 'talks/deck' })
    await using library = await openLibrary(store)
    expect((await library.list()).map(({ path }) => path)).toEqual([
      'Tea - coffee',
      'pdf',
      'talks/deck',
    ])
    expect((await library.get('pdf')).diagnostics).toEqual([])
    await fails(store.install({ 'SKILL.md': DECK }, { as: '../out' }), 'invalid-path')
  })

  it('[BY-6] skillStore accepts any writable source, even a class with private fields', async () => {
    class ClassSource implements WritableSource {
      readonly #held = memory({}, { name: 'mine' })
      #closed = 0
      get name() {
        return this.#held.name
      }
      get closed() {
        return this.#closed
      }
      read(...of: Parameters<WritableSource['read']>) {
        return this.#held.read(...of)
      }
      list() {
        return (this.#held.list as () => Promise<FileEntry[]>)()
      }
      write(...of: Parameters<WritableSource['write']>) {
        return this.#held.write(...of)
      }
      async close() {
        this.#closed++
      }
    }
    for (const source of [new ClassSource(), Object.freeze(new ClassSource())]) {
      const store = skillStore(source)
      expect((await store.install({ 'pdf/SKILL.md': PDF })).added).toEqual(['mine/pdf'])
      const library = await openLibrary(store, { strict: true })
      expect((await library.get('pdf')).instructions).toBe('Merge with care.')
      expect('watch' in store).toBe(false)
      expect('list' in store).toBe(true)
      await library.close()
      expect(store.closed).toBe(1)
    }
    expect(Object.keys(skillStore(memory({})))).toContain('install')
  })

  it('[BY-6] files named like members of Object.prototype are edited, kept and exported', async () => {
    const store = skillStore(memory({}, { name: 'mine' }))
    await store.install({ 'pdf/SKILL.md': PDF })
    await store.edit('pdf', { put: { ['__proto__']: 'x', constructor: 'y' } })
    await using library = await openLibrary(store)
    expect((await library.get('pdf')).files.map(({ path }) => path)).toEqual([
      '__proto__',
      'constructor',
    ])
    expect((await library.read('pdf', '__proto__')).text).toBe('x')
    const again = memory({}, { name: 'again' })
    await skillStore(again).install(await store.export('pdf'))
    await using other = await openLibrary(again)
    expect((await other.read('pdf', '__proto__')).text).toBe('x')
    await store.edit('pdf', { remove: ['__proto__'] })
    await library.refresh()
    expect((await library.get('pdf')).files.map(({ path }) => path)).toEqual(['constructor'])
  })

  it('[BY-6] after random changes the store has the expected skills and no other file', async () => {
    const { source, store } = emptyStore()
    const meant = new Map<string, Record<string, string>>()
    const random = randomFrom(7)
    const pick = (below: number): number => Math.floor(random() * below)
    for (let step = 0; step < 60; step++) {
      const name = `s${pick(9)}`
      const had = meant.get(name)
      if (had && pick(4) === 0) {
        await store.remove(name)
        meant.delete(name)
      } else if (had && pick(2) === 0) {
        const put = { [`f${pick(3)}.txt`]: `text ${pick(5)}` }
        await store.edit(name, { put })
        meant.set(name, { ...had, ...put })
      } else {
        const files = {
          'SKILL.md': skill(name, `Word ${pick(6)}.`),
          [`f${pick(3)}.txt`]: `text ${pick(5)}`,
        }
        await store.install(
          Object.fromEntries(Object.entries(files).map(([path, one]) => [`${name}/${path}`, one])),
        )
        meant.set(name, files)
      }
    }
    await using library = await openLibrary(source)
    expect((await library.list()).map(({ name }) => name)).toEqual([...meant.keys()].sort())
    for (const [name, files] of meant) {
      const opened = await library.get(name)
      expect([opened.file, ...opened.files.map(({ path }) => path)].sort()).toEqual(
        Object.keys(files).sort(),
      )
      for (const [path, content] of Object.entries(files))
        expect((await library.read(name, path)).text).toBe(content)
      expect((await library.search(name)).matches[0]?.name).toBe(name)
    }
    expect(await listed(source)).toEqual(await named(source))
  })
})

describe('a reader while another writer replaces the skills', () => {
  const edition = (text: string) => ({
    'pdf/SKILL.md': PDF.replace('Merge', text),
    'pdf/notes.md': text,
    'tea/SKILL.md': TEA.replace('Eighty', text),
    'tea/notes.md': text,
  })

  /** A store, and a source that publishes the next edition before each of the next reads of a path. */
  async function published(pattern: RegExp) {
    const source = memory({}, { name: 'mine' })
    const store = skillStore(source)
    let number = 0
    let left = 0
    const publish = () => store.install(edition(`Edition ${++number}`))
    await publish()
    const watched = beforeReads(source, async path => {
      if (!pattern.test(path) || left === 0) return
      left--
      await publish()
    })
    return { source: watched, publish: (times: number) => (left = times) }
  }

  it('[BY-22] opens with the old skills or the new ones', async () => {
    for (const times of [1, 3]) {
      const { source, publish } = await published(/seg$/)
      publish(times)
      const problems: unknown[] = []
      await using library = await openLibrary(source, { onDiagnostic: one => problems.push(one) })
      expect(problems).toEqual([])
      expect(library.snapshot.skills.map(({ name }) => name)).toEqual(['pdf', 'tea'])
      expect((await library.match('fill in this pdf form')).matches[0]?.name).toBe('pdf')
      for (const name of ['pdf', 'tea']) {
        const { text: notes = '' } = await library.read(name, 'notes.md')
        expect([notes, (await library.get(name)).text]).toEqual([
          `Edition ${times + 1}`,
          expect.stringContaining(notes),
        ])
      }
    }
  })

  it('[BY-22] opens, reads, exports and edits a skill whose files were replaced', async () => {
    const { source, publish } = await published(/json$|md$/)
    await using library = await openLibrary(source)
    const store = skillStore(source)
    const changes: unknown[] = []
    library.on('change', change => changes.push(change.changed))
    publish(1)
    expect((await library.get('pdf')).text).toContain('Edition 2 with care')
    expect(changes).toEqual([['mine/pdf', 'mine/tea']])
    publish(1)
    expect((await library.read('tea', 'notes.md')).text).toBe('Edition 3')
    publish(1)
    const exported = await openLibrary(archive(await store.export()))
    const texts = await Promise.all(
      ['pdf', 'tea'].map(async name => (await exported.read(name, 'notes.md')).text),
    )
    expect(new Set(texts)).toEqual(new Set(['Edition 4']))
    publish(1)
    await store.edit('pdf', { put: { 'more.md': 'x' } })
    await library.refresh()
    expect((await library.read('pdf', 'notes.md')).text).toBe('Edition 5')
  })

  it('[BY-22] reports a file that is missing without a new edition, after one more look', async () => {
    const source = memory({}, { name: 'mine' })
    await skillStore(source).install(edition('One'))
    await using library = await openLibrary(source)
    const gone = (await source.list())
      .map(({ path }) => path)
      .filter(path => path.startsWith('files/'))
    await source.write({ remove: gone })
    const { source: watched, reads } = watchReads(source)
    await using again = await openLibrary(watched)
    reads.splice(0)
    for (const one of [library, again])
      await fails(one.get('pdf'), 'source-failed', /mine has no files/)
    expect(reads.filter(path => path === CATALOG_FILE)).toHaveLength(1)
  })
})
