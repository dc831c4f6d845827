import { beforeAll, describe, expect, it } from 'vitest'
import type { Embedder } from '../../src/exports/index.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { readPiecedCatalog, writePiecedCatalog } from '../../src/library/catalog/pieced-catalog.js'
import { readPiece } from '../../src/search/pieces/piece-format.js'
import { openPieces } from '../../src/search/pieces/pieced-segment.js'
import { writePiece } from '../../src/search/pieces/write-piece.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import type { ReadOptions } from '../../src/source/source.js'
import type { Files } from '../packed-files.js'
import {
  bestOf,
  isPiece,
  MESSAGES,
  manySkills,
  openInPieces,
  openMany,
  type PackedFiles,
  packedOnce,
  packMany,
  watchedFiles,
} from '../pieces-world.js'
import { librarySuite } from '../suites/library-suite.js'

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
  const packed = packedOnce()
  const open = async (skills: Files) => openInPieces(memory(await packed(skills)))
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

  it('has the messages of skills in files of their own', async () => {
    const skills = manySkills()
    const folders = Object.keys(skills).map(path => path.replace('SKILL.md', ''))
    for (const [at, folder] of folders.entries()) {
      const messages = Array.from({ length: 8 }, (_, number) => `say ${at * 8 + number}`)
      skills[`${folder}messages.txt`] = messages.join('\n')
    }
    const watched = watchedFiles(await packMany({}, skills))
    await using library = await openMany(watched.source)
    expect(await bestOf(library, 'Say 804!')).toBe(folders[100]?.replace('/', ''))
    expect(watched.reads.filter(path => path.endsWith('.seg'))).toEqual([])
  })

  it('reads nothing twice, also for messages at one time', async () => {
    const watched = watchedFiles(files)
    await using library = await openMany(watched.source)
    // All skills have the last one, equally.
    const messages = [...MESSAGES.map(([message]) => message), 'report']
    await Promise.all([...messages, ...messages].map(message => library.match(message)))
    expect(new Set(watched.reads).size).toBe(watched.reads.length)
    const before = watched.reads.length
    for (const message of messages) await library.match(message)
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
    const content = (await readPiece(original)) as Uint8Array<ArrayBuffer>
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
    const list = await readPiece(files[catalog.list] as Uint8Array<ArrayBuffer>)
    const pieces = openPieces(list)
    const paths = (pieces?.files ?? []).filter((_, at) => at % 8 === 0)
    for (const path of paths) {
      const content = (await readPiece(files[path] as Uint8Array<ArrayBuffer>)) as Uint8Array
      for (let part = 0; part < 8; part++) {
        const at = Math.floor((content.length * (part + 0.5)) / 8)
        // As if a reader had checked it: the name is that of the right bytes.
        const opened = openPieces(list)
        opened?.add(
          path,
          content.map((byte, i) => (i === at ? byte ^ 0x55 : byte)),
        )
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
