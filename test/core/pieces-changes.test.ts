import { beforeAll, describe, expect, it } from 'vitest'
import { type Diagnostic, type LibraryChange, memory } from '../../src/exports/index.js'
import { readPiecedCatalog } from '../../src/library/catalog/pieced-catalog.js'
import { createKeys } from '../../src/library/signed/signature.js'
import { cached } from '../../src/library/store/offline/cached.js'
import { skillStore } from '../../src/library/store/store.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import type { ReadOptions } from '../../src/source/source.js'
import {
  bestOf,
  isPiece,
  MESSAGES,
  manySkills,
  openMany,
  type PackedFiles,
  packMany,
  watchedFiles,
} from '../pieces-world.js'
import { toy } from '../toy-model.js'

let files: PackedFiles
/** A later revision. */
let next: PackedFiles
const withNew = () => ({
  ...manySkills(),
  'feeds-penguins/SKILL.md':
    '---\nname: feeds-penguins\ndescription: Feeds penguins.\n---\nFish.\n',
})
beforeAll(async () => {
  files = await packMany()
  next = await packMany({}, withNew())
})

describe('[BY-33] a library in pieces that changes', () => {
  const few = (...names: string[]) =>
    Object.fromEntries(
      names.map(name => [
        `${name}/SKILL.md`,
        `---\nname: ${name}\ndescription: Works with ${name}.\n---\nOpen the ${name}.\n`,
      ]),
    )
  it('is never mixed with the one before', async () => {
    const watched = watchedFiles(files)
    await using library = await openMany(watched.source)
    // A publish that removes what it does not name, while a reader has the catalog of before.
    watched.files = next
    const changes: LibraryChange[] = []
    library.on('change', change => changes.push(change))
    expect(await bestOf(library, 'feed the penguins')).toBe('feeds-penguins')
    expect(changes).toHaveLength(1)
    expect(library.snapshot.revision).toBe(changes[0]?.revision)
    expect(library.snapshot.total).toBe(Object.keys(manySkills()).length + 1)
  })

  it.each([
    ['that removes the old pieces', () => next, 'new'],
    ['that keeps the old pieces', () => ({ ...files, ...next }), 'old'],
  ] as const)('answers of one revision during a publish %s', async (_, published, expected) => {
    const [message] = MESSAGES[0]
    const answerOf = async (some: PackedFiles) => {
      await using library = await openMany(memory(some, { name: 'many' }))
      return await library.search(message, { limit: 50 })
    }
    const answers = { old: await answerOf(files), new: await answerOf(next) }
    expect(answers.new.revision).not.toBe(answers.old.revision)
    const pieces = new Set<string>()
    // It comes after the terms, after some rows, and after all of them but one.
    for (const at of [2, 5, 12]) {
      const watched = watchedFiles(files)
      const publishing = {
        ...watched.source,
        read: async (path: string, options: ReadOptions = {}) => {
          if (isPiece(path)) pieces.add(path)
          if (pieces.size === at) watched.files = published()
          return watched.source.read(path, options)
        },
      }
      pieces.clear()
      await using library = await openMany(publishing)
      expect(await library.search(message, { limit: 50 }), `at piece ${at}`).toEqual(
        answers[expected],
      )
      await library.refresh()
      expect(await library.search(message, { limit: 50 })).toEqual(answers.new)
    }
  })

  it('continues no list of another revision', async () => {
    const watched = watchedFiles(files)
    await using library = await openMany(watched.source)
    const first = await library.page?.({ limit: 10 })
    for (const cursor of ['', '-1', 'x', '0.10', `${first?.next}.5`]) {
      await expect(library.page?.({ cursor })).rejects.toMatchObject({ code: 'invalid-input' })
    }
    watched.files = next
    await library.refresh()
    await expect(library.page?.({ cursor: first?.next })).rejects.toMatchObject({
      code: 'invalid-input',
    })
    expect(await library.list()).toHaveLength(Object.keys(withNew()).length)
  })

  it('lists pages of a publish that removes the old pieces', async () => {
    const watched = watchedFiles(files)
    await using library = await openMany(watched.source)
    watched.files = next
    const page = await library.page?.({ limit: 1_000 })
    expect(page?.skills).toHaveLength(Object.keys(withNew()).length)
    expect(library.snapshot.total).toBe(page?.skills.length)
  })

  it('is read whole after a writer has changed single skills', async () => {
    const store = memory(files, { name: 'many' })
    await using library = await openMany(store)
    const [message, name] = MESSAGES[0]
    await library.match(message)
    const skills = skillStore(store, { embedder: Promise.resolve(toy()) })
    await skills.remove(name)
    const { removed } = await library.refresh()
    expect(removed).toEqual([`many/${name}`])
    const changes: LibraryChange[] = []
    library.on('change', change => changes.push(change))
    const [, [, other]] = MESSAGES
    await skills.remove(other)
    await library.refresh()
    expect(changes).toMatchObject([{ removed: [`many/${other}`] }])
    expect(await bestOf(library, message)).not.toBe(name)
  })

  it('[BY-41] is in pieces before it has skills, and without any', async () => {
    const problems: string[] = []
    const onDiagnostic = ({ code }: Diagnostic) => problems.push(code)
    const watched = watchedFiles(await packMany({}, {}))
    await using library = await openMany(watched.source, { onDiagnostic })
    expect(library.snapshot).toMatchObject({ total: 0, skills: [], diagnostics: [] })
    watched.files = await packMany({}, few('tea', 'map'))
    expect((await library.refresh()).added).toEqual(['many/map', 'many/tea'])
    watched.files = await packMany({}, {})
    expect((await library.refresh()).removed).toEqual(['many/map', 'many/tea'])
    expect(await library.list()).toEqual([])
    expect(problems).toEqual([])
    expect(library.page).toBeDefined()
  })

  it.each([
    ['is not in pieces any more', () => packMany({ pieces: false }, few('map', 'pdf'))],
    [
      'cannot be read',
      async () => {
        const files = await packMany({}, few('map', 'pdf'))
        return Object.fromEntries(Object.entries(files).filter(([path]) => !isPiece(path)))
      },
    ],
  ])('[BY-41] reports each change when the next one %s', async (_, publish) => {
    for (const learnOf of ['refresh', 'get'] as const) {
      const watched = watchedFiles(await packMany({}, { ...few('tea', 'map'), 'map/a.txt': 'a' }))
      await using library = await openMany(watched.source)
      await library.get('map')
      const changes: LibraryChange[] = []
      library.on('change', change => changes.push(change))
      watched.files = await publish()
      if (learnOf === 'refresh') await library.refresh()
      else await expect(library.get('tea')).rejects.toMatchObject({ code: 'skill-not-found' })
      expect(changes).toMatchObject([
        { added: ['many/pdf'], changed: ['many/map'], removed: ['many/tea'] },
      ])
      expect(library.snapshot.revision).toBe(changes[0]?.revision)
    }
  })

  it('[BY-41] keeps its skills while the source cannot be read, and says so', async () => {
    const watched = watchedFiles(files)
    await using library = await openMany(watched.source)
    watched.isDown = true
    expect(await library.refresh()).toMatchObject({ added: [], changed: [], removed: [] })
    expect(library.snapshot.total).toBe(Object.keys(manySkills()).length)
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'source-unreadable' }])
    watched.isDown = false
    await library.refresh()
    expect(library.snapshot.diagnostics).toEqual([])
  })

  it('[BY-41] shows the copies of an opened skill as they are now', async () => {
    const { 'tea/SKILL.md': text = '' } = few('tea')
    const copies = {
      'tea/SKILL.md': text,
      'tea/a.txt': 'a',
      'cup/SKILL.md': text,
      'cup/a.txt': 'a',
    }
    const watched = watchedFiles(await packMany({}, copies))
    await using library = await openMany(watched.source)
    expect((await library.get('many/tea')).copies).toEqual(['cup'])
    const { 'cup/a.txt': _, ...others } = copies
    watched.files = await packMany({}, others)
    await library.refresh()
    expect((await library.get('many/tea')).copies).toBeUndefined()
  })

  it.each([1, 2, 3, 4])(
    '[BY-41] is swept while a publish replaces it, before file %i is read',
    async at => {
      const old = await packMany({}, few('tea', 'map'))
      const next = await packMany({}, few('tea'))
      const store = memory(old, { name: 'many' })
      let reads = 0
      const read: typeof store.read = async (path, options) => {
        if (path !== CATALOG_FILE && ++reads === at) {
          const remove = Object.keys(old).filter(file => !(file in next))
          await store.write({ put: next, remove })
        }
        return store.read(path, options)
      }
      expect(await skillStore({ ...store, read }).sweep({ olderThan: 0 })).toMatchObject({
        removed: [],
      })
      await using library = await openMany(store)
      expect(await bestOf(library, 'tea')).toBe('tea')
    },
  )

  it('[BY-41] keeps all its files when it is published again during the sweep that removes them', async () => {
    const old = await packMany({}, few('tea', 'map'))
    const now = await packMany({}, few('tea'))
    const store = memory({ ...old, ...now }, { name: 'many' })
    const write: typeof store.write = async (change, options) => {
      await store.write(change, options)
      if (change.put) return
      // The other publisher had seen that all files are there.
      await store.write({ put: { [CATALOG_FILE]: old[CATALOG_FILE] as Uint8Array<ArrayBuffer> } })
    }
    await skillStore({ ...store, transactional: false, write }).sweep({ olderThan: 0 })
    const left = (await store.list()).map(({ path }) => path)
    expect(Object.keys(old).filter(path => !left.includes(path))).toEqual([])
    await using library = await openMany(store)
    expect(await bestOf(library, 'map')).toBe('map')
  })

  it('loses no piece that is named, and every other one, when it is swept', async () => {
    const store = memory({ ...next, ...files }, { name: 'many' })
    await skillStore(store, {}).sweep({ olderThan: 0 })
    const left = (await store.list?.())?.map(({ path }) => path).sort()
    expect(left).toEqual(Object.keys(files).sort())
  })
})

describe('[BY-33] copies and signatures of a library in pieces', () => {
  it('an offline copy completes itself', async () => {
    const watched = watchedFiles(files)
    const copy = memory({}, { name: 'copy' })
    {
      await using library = await openMany(cached(watched.source, copy, { whole: true }))
      expect(await bestOf(library, MESSAGES[0][0])).toBe(MESSAGES[0][1])
    }
    watched.files = {}
    const offline = { ...watched.source, read: () => Promise.reject(new Error('offline')) }
    await using library = await openMany(cached(offline, copy, { whole: true }))
    for (const [message, name] of MESSAGES) {
      expect(await bestOf(library, message), message).toBe(name)
      expect((await library.get(name)).instructions).toContain('then report')
    }
  })

  it('[BY-41] an update that is cut off leaves the copy of before whole', async () => {
    const skills = manySkills()
    const watched = watchedFiles(await packMany({}, skills))
    const copy = memory({}, { name: 'copy' })
    const open = () => openMany(cached(watched.source, copy, { whole: true }))
    const [[message, name]] = MESSAGES
    await (await open()).close()
    const { [`${name}/SKILL.md`]: _, ...others } = skills
    const next = await packMany({}, others)
    const catalog = await readPiecedCatalog(
      next[CATALOG_FILE] as Uint8Array<ArrayBuffer>,
      'catalog',
    )
    const { whole = '' } = catalog ?? {}
    const { [whole]: __, ...cutOff } = next
    watched.files = cutOff
    {
      await using library = await open()
      await library.refresh()
      expect(await bestOf(library, message)).toBe(name)
    }
    {
      watched.isDown = true
      await using library = await open()
      expect(await bestOf(library, message)).toBe(name)
    }
    watched.isDown = false
    watched.files = next
    {
      await using library = await open()
      await library.refresh()
    }
    // Every file that finds the skills is there, although no message needed it.
    watched.isDown = true
    await using library = await open()
    expect((await library.list()).map(skill => skill.name).sort()).toEqual(
      Object.keys(others)
        .map(path => path.split('/')[0])
        .sort(),
    )
  })

  it('[BY-40] a copy that cannot be stored is reported', async () => {
    const denied = async () => Promise.reject(new Error('denied'))
    const store = { ...memory({}, { name: 'copy' }), read: denied, list: denied, write: denied }
    const { source } = watchedFiles(files)
    await using library = await openMany(cached(source, store))
    expect(await bestOf(library, MESSAGES[0][0])).toBe(MESSAGES[0][1])
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'copy-not-stored' }])
  })

  it('[BY-27] a signature covers every piece', async () => {
    const keys = await createKeys()
    const sign = { privateKeys: [keys.privateKey], revision: 1 }
    const signed = await packMany({ sign })
    const options = { publicKeys: [keys.publicKey], seenRevisions: new Map() }
    await using library = await openMany(memory(signed, { name: 'many' }), options)
    expect(await bestOf(library, MESSAGES[0][0])).toBe(MESSAGES[0][1])

    const evil = await packMany(
      {},
      {
        ...manySkills(),
        'evil/SKILL.md': '---\nname: evil\ndescription: Sends files away.\n---\nSend.\n',
      },
    )
    const opening = openMany(memory(evil, { name: 'many' }), options)
    await expect(opening).rejects.toMatchObject({ code: 'untrusted' })
    // Pieces and whole catalog of another library, under the names that are signed.
    const names = Object.keys(signed).filter(path => path !== CATALOG_FILE)
    const others = Object.entries(evil).filter(([path]) => path !== CATALOG_FILE)
    const swapped = { ...signed }
    for (const [at, name] of names.entries()) {
      swapped[name] = (others[at % others.length] as [string, Uint8Array<ArrayBuffer>])[1]
    }
    await using refused = await openMany(memory(swapped, { name: 'many' }), options)
    expect(refused.snapshot).toMatchObject({
      skills: [],
      diagnostics: [{ code: 'source-unreadable' }],
    })
  })
})
