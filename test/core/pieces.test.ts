import { beforeAll, describe, expect, it } from 'vitest'
import type { Diagnostic, Embedder, LibraryChange } from '../../src/exports/index.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { readPiecedCatalog, writePiecedCatalog } from '../../src/library/catalog/pieced-catalog.js'
import { createKeys } from '../../src/library/signed/signature.js'
import { cached } from '../../src/library/store/offline/cached.js'
import { skillStore } from '../../src/library/store/store.js'
import { readPiece, writePiece } from '../../src/search/pieces/piece-format.js'
import { openPieces } from '../../src/search/pieces/pieced-segment.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import type { ReadOptions } from '../../src/source/source.js'
import { type Files, packedFiles } from '../packed-files.js'
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
import { librarySuite } from '../suites/library-suite.js'
import { toy } from '../toy-model.js'

let files: PackedFiles
beforeAll(async () => {
  files = await packMany()
})

const catalogOf = async (of: PackedFiles) => {
  const catalog = await readPiecedCatalog(of[CATALOG_FILE] as Uint8Array<ArrayBuffer>, 'catalog')
  if (!catalog) throw new Error('not in pieces')
  return catalog
}

describe('[BY-33] a library in pieces passes the suite of libraries', () => {
  const open = async (skills: Files) => {
    const packed = await packedFiles(memory(skills, { name: 'memory' }), { pieces: true })
    return openLibrary(memory(packed, { name: 'memory' }))
  }
  for (const { name, run } of librarySuite(open)) it(name, run)
})

describe('[BY-33] a library in pieces', () => {
  it('is written for a large library, and not for a small one', async () => {
    const { 'merges-invoices-harbour/SKILL.md': one = '' } = manySkills()
    const small = { 'one/SKILL.md': one }
    const wordsOf = (skill: number) =>
      Array.from({ length: 200 }, (_, at) => `word${(skill * 200 + at).toString(36)}`).join(' ')
    const large = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [`${at}/SKILL.md`, `${one}\n${wordsOf(at)}`]),
    )
    const isPieced = async (skills: Record<string, string>, pieces?: boolean) =>
      Object.keys(await packMany({ pieces }, skills)).some(isPiece)
    expect(await isPieced(small)).toBe(false)
    expect(await isPieced(large)).toBe(true)
    expect(await isPieced(small, true)).toBe(true)
    expect(await isPieced(large, false)).toBe(false)
    expect(await packMany()).toEqual(files)
  })

  it('answers as the whole one, and reads a part of it', async () => {
    const watched = watchedFiles(files)
    await using pieces = await openMany(watched.source)
    await using whole = await openMany(memory(files, { name: 'many' }), { whole: true })
    expect(pieces.snapshot).toMatchObject({
      total: whole.snapshot.total,
      revision: whole.snapshot.revision,
      skills: [],
    })
    const size = (paths: Iterable<string>) =>
      [...new Set(paths)].reduce((sum, path) => sum + (files[path]?.length ?? 0), 0)
    await pieces.search(MESSAGES[0][0])
    const all = size(Object.keys(files).filter(isPiece))
    expect(size(watched.reads)).toBeLessThan(all * 0.75)
    for (const [message, name] of MESSAGES) {
      const [found, wanted] = [await pieces.search(message), await whole.search(message)]
      expect(found.matches[0]).toMatchObject({ name })
      expect(found.matches[0]?.score).toBeCloseTo(wanted.matches[0]?.score ?? 0, 1)
      expect(found.complete).toBe(true)
    }
    expect(watched.reads.filter(path => /\.(?:seg|json)$/.test(path))).toEqual([CATALOG_FILE])
  })

  it('reads nothing twice, also for messages at one time', async () => {
    const watched = watchedFiles(files)
    await using library = await openMany(watched.source)
    await Promise.all([...MESSAGES, ...MESSAGES].map(([message]) => library.match(message)))
    expect(new Set(watched.reads).size).toBe(watched.reads.length)
    const before = watched.reads.length
    for (const [message] of MESSAGES) await library.match(message)
    expect(watched.reads.length).toBe(before)
  })

  it('reads a few files for a word that is being typed', async () => {
    const watched = watchedFiles(files)
    await using library = await openMany(watched.source)
    for (const typed of ['me', 'mer', 'merg', 'merge', 'merge inv']) {
      const before = watched.reads.length
      await library.search(typed)
      expect(watched.reads.length - before, typed).toBeLessThan(45)
    }
  })

  it('filters by tags, origins and ids', async () => {
    await using library = await openMany(memory(files, { name: 'many' }))
    const message = 'merge invoices'
    const found = await library.search(message, { tags: ['GARDEN'] })
    expect(found.matches[0]?.name).toBe('merges-invoices-garden')
    expect(found.matches.every(({ name }) => name.endsWith('garden'))).toBe(true)
    const ids = ['many/prints-slides-kitchen', 'many/sorts-playlists-garden', 'many/none']
    expect((await library.list({ ids })).map(({ id }) => id)).toEqual(ids.slice(0, 2))
    expect((await library.search('print', { ids })).matches[0]?.id).toBe(ids[0])
    expect(await library.list({ origins: ['other'] })).toEqual([])
    expect((await library.search(message, { origins: ['other'] })).matches).toEqual([])
  })

  it('lists its skills in pages, each once', async () => {
    await using library = await openMany(memory(files, { name: 'many' }))
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await library.page?.({ limit: 100, cursor })
      seen.push(...(page?.skills ?? []).map(({ name }) => name))
      cursor = page?.next
    } while (cursor !== undefined)
    expect(seen.sort()).toEqual(
      Object.keys(manySkills())
        .map(path => path.split('/')[0])
        .sort(),
    )
  })

  it('stops reading when a message is aborted, and reads for the next one', async () => {
    const watched = watchedFiles(files)
    const abort = new AbortController()
    const slow = {
      ...watched.source,
      read: async (path: string, options: ReadOptions = {}) => {
        if (isPiece(path) && watched.reads.filter(isPiece).length > 2) abort.abort()
        options.signal?.throwIfAborted()
        return watched.source.read(path, options)
      },
    }
    await using library = await openMany(slow)
    const { signal } = abort
    const [message, name] = MESSAGES[0]
    await expect(library.search(message, { signal })).rejects.toMatchObject({ code: 'aborted' })
    expect(watched.reads.filter(isPiece).length).toBeLessThan(6)
    expect(await bestOf(library, message)).toBe(name)
  })

  it('is read whole for a transformer, and answers meanwhile', async () => {
    await using library = await openMany(memory(files, { name: 'many' }))
    const embedder: Embedder = {
      id: 'first-axis',
      languages: 'all',
      dimensions: 8,
      embed: async texts =>
        Float32Array.from({ length: texts.length * 8 }, (_, at) => +(at % 8 === 0)),
    }
    expect(await library.upgrade(embedder)).toBe(true)
    expect(library.snapshot.skills.length).toBe(library.snapshot.total)
    expect(library.page).toBeUndefined()
  })
})

describe('[BY-33] pieces that cannot be read', () => {
  const flip = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
    bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte))
  const changed = (change: (path: string, bytes: Uint8Array<ArrayBuffer>) => unknown) =>
    Object.fromEntries(
      Object.entries(files).flatMap(([path, bytes]) => {
        const next = change(path, bytes)
        return next === undefined ? [] : [[path, next as Uint8Array<ArrayBuffer>]]
      }),
    )
  const otherPiece = () => files[Object.keys(files).find(isPiece) as string]

  it.each([
    ['are damaged', (bytes: Uint8Array<ArrayBuffer>) => flip(bytes)],
    ['are missing', () => undefined],
    ['are swapped', () => otherPiece()],
    ['are empty', () => new Uint8Array(0)],
  ])('%s: the library is read whole, and says so', async (_, change) => {
    const broken = changed((path, bytes) => (isPiece(path) ? change(bytes) : bytes))
    const { list } = await catalogOf(files)
    const onlyList = { ...files, [list]: broken[list] as Uint8Array<ArrayBuffer> }
    if (onlyList[list] === undefined) delete onlyList[list]
    for (const some of [{ ...broken, [list]: files[list] as Uint8Array<ArrayBuffer> }, onlyList]) {
      const codes: string[] = []
      await using library = await openMany(memory(some, { name: 'many' }), {
        onDiagnostic: ({ code }) => codes.push(code),
      })
      const [message, name] = MESSAGES[0]
      expect(await bestOf(library, message)).toBe(name)
      expect(codes).toEqual(['pieces-unreadable'])
      expect(library.snapshot.skills.length).toBe(library.snapshot.total)
    }
  })

  it('[BY-22] with hostile bytes under right digests neither hang nor throw', async () => {
    const catalog = await catalogOf(files)
    const original = files[catalog.list] as Uint8Array<ArrayBuffer>
    const content = readPiece(original) as Uint8Array<ArrayBuffer>
    const step = Math.ceil(content.length / 40)
    const outcomes = new Set<string>()
    for (let at = 0; at < content.length; at += step) {
      const { file, bytes } = writePiece(content.map((byte, i) => (i === at ? byte ^ 0x55 : byte)))
      const hostile = {
        ...files,
        [file]: bytes,
        [CATALOG_FILE]: await writePiecedCatalog({ ...catalog, list: file }),
      }
      await using library = await openMany(memory(hostile, { name: 'many' }))
      const { matches, maybe = [] } = await library.match(MESSAGES[0][0])
      for (const { score } of [...matches, ...maybe]) {
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
      }
      outcomes.add(library.page ? 'answered' : 'whole')
    }
    expect([...outcomes].sort()).toEqual(['answered', 'whole'])
  })

  it('[BY-22] of rows and terms with hostile bytes neither hang nor throw', async () => {
    const catalog = await catalogOf(files)
    const pieces = openPieces(files[catalog.list] as Uint8Array<ArrayBuffer>)
    const paths = (pieces?.files ?? []).filter((_, at) => at % 8 === 0)
    for (const path of paths) {
      const content = readPiece(files[path] as Uint8Array<ArrayBuffer>) as Uint8Array<ArrayBuffer>
      for (let part = 0; part < 8; part++) {
        const at = Math.floor((content.length * (part + 0.5)) / 8)
        const { bytes } = writePiece(content.map((byte, i) => (i === at ? byte ^ 0x55 : byte)))
        // As if a reader had checked it: the name is that of the right bytes.
        const opened = openPieces(files[catalog.list] as Uint8Array<ArrayBuffer>)
        opened?.add(path, bytes)
        opened?.segment.lexicon.find('invoices')
        for (const skill of opened?.rows.skillsOf(path) ?? []) {
          opened?.segment.sequenceOf(skill)
          opened?.segment.messagesOf(skill)
          opened?.rows.lineOf(skill)
        }
      }
    }
  })

  it('of a catalog that is damaged are refused', async () => {
    for (const at of [20, 90, 120, 180]) {
      const catalog = files[CATALOG_FILE] as Uint8Array<ArrayBuffer>
      const bad = catalog.map((byte, i) => (i === at ? byte ^ 1 : byte))
      const opening = openLibrary(memory({ ...files, [CATALOG_FILE]: bad }), { strict: true })
      await expect(opening).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:format|source-failed)$/),
      })
    }
  })
})

describe('[BY-33] a library in pieces that changes', () => {
  const few = (...names: string[]) =>
    Object.fromEntries(
      names.map(name => [
        `${name}/SKILL.md`,
        `---\nname: ${name}\ndescription: Works with ${name}.\n---\nOpen the ${name}.\n`,
      ]),
    )
  const withNew = () => ({
    ...manySkills(),
    'feeds-penguins/SKILL.md':
      '---\nname: feeds-penguins\ndescription: Feeds penguins.\n---\nFish.\n',
  })

  it('is never mixed with the one before', async () => {
    const watched = watchedFiles(files)
    await using library = await openMany(watched.source)
    // A publish that removes what it does not name, while a reader has the catalog of before.
    watched.files = await packMany({}, withNew())
    const changes: LibraryChange[] = []
    library.on('change', change => changes.push(change))
    expect(await bestOf(library, 'feed the penguins')).toBe('feeds-penguins')
    expect(changes).toHaveLength(1)
    expect(library.snapshot.revision).toBe(changes[0]?.revision)
    expect(library.snapshot.total).toBe(Object.keys(manySkills()).length + 1)
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

  it('[BY-41] is swept while a publish replaces it', async () => {
    const old = await packMany({}, few('tea', 'map'))
    const next = await packMany({}, few('tea'))
    const store = memory(old, { name: 'many' })
    let isReplaced = false
    const read: typeof store.read = async (path, options) => {
      if (path !== CATALOG_FILE && !isReplaced) {
        isReplaced = true
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
  })

  it('loses no piece that is named, and every other one, when it is swept', async () => {
    const old = await packMany({}, withNew())
    const store = memory({ ...old, ...files }, { name: 'many' })
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
    const { whole } = await catalogOf(next)
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
