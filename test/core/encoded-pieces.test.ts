import { beforeAll, describe, expect, it } from 'vitest'
import { memory } from '../../src/exports/index.js'
import { readPiecedCatalog, writePiecedCatalog } from '../../src/library/catalog/pieced-catalog.js'
import { createKeys } from '../../src/library/signed/signature.js'
import { cached } from '../../src/library/store/offline/cached.js'
import { skillStore } from '../../src/library/store/store.js'
import { openEncoderPieces } from '../../src/search/pieces/encoder-pieces.js'
import { readPiece } from '../../src/search/pieces/piece-format.js'
import {
  type EncoderPieces,
  openPieces,
  type PiecedSegment,
} from '../../src/search/pieces/pieced-segment.js'
import { writePiece } from '../../src/search/pieces/write-piece.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import { MEANT, ofEncoder, openUpgraded, packEncoded, toyEncoder } from '../encoded-pieces-world.js'
import {
  bestOf,
  isPiece,
  manySkills,
  openMany,
  type PackedFiles,
  packMany,
  watchedFiles,
} from '../pieces-world.js'

let files: PackedFiles
let plain: PackedFiles
beforeAll(async () => {
  files = await packEncoded()
  plain = await packMany()
})

const [message, name] = MEANT[0]
const ENCODED = 'hybrid/1 toy-encoder'
const contentOf = async (file: string) =>
  (await readPiece(files[file] as Uint8Array)) as Uint8Array<ArrayBuffer>
/** The files of vectors, and their list, which is the last one. */
const piecesOfEncoder = async () => {
  const catalog = await readPiecedCatalog(files[CATALOG_FILE] as never, 'catalog')
  const list = await contentOf(catalog?.list ?? '')
  const pieces = openPieces(list)
  if (!pieces) throw new Error('not a list')
  const own = openEncoderPieces(pieces)?.list as string
  pieces.add(own, await contentOf(own))
  return {
    catalog: catalog as NonNullable<typeof catalog>,
    list,
    own,
    encoder: pieces.encoder as EncoderPieces,
  }
}

describe('vectors of an encoder in pieces', () => {
  it('[BY-35] [BY-33] are used at once: of all skills one is embedded, and the library stays in pieces', async () => {
    const watched = watchedFiles(files)
    const encoder = toyEncoder()
    const { library, isUpgraded, problems } = await openUpgraded(watched.source, encoder)
    expect([isUpgraded, encoder.documents.length, problems]).toEqual([true, 1, []])
    for (const [message, name] of MEANT) {
      const { matches, model, complete } = await library.search(message)
      expect([matches[0]?.name, model, complete]).toEqual([name, ENCODED, true])
      expect((await library.explain(message, name)).rank).toBe(1)
    }
    expect(library.page).toBeDefined()
    expect(watched.reads.filter(path => !isPiece(path))).toEqual([CATALOG_FILE])
    expect(new Set(watched.reads).size).toBe(watched.reads.length)
    await library.close()
    expect(encoder.closed).toBe(1)
  })

  it('[BY-35] [BY-33] answer as the whole library does with them', async () => {
    const { library: pieces } = await openUpgraded(memory(files, { name: 'many' }))
    const whole = await openMany(memory(files, { name: 'many' }), { whole: true })
    await whole.upgrade(toyEncoder(), { cache: false })
    for (const [message] of MEANT) {
      const [found, wanted] = [await pieces.search(message), await whole.search(message)]
      expect(found.matches[0]?.id).toBe(wanted.matches[0]?.id)
      expect(found.matches[0]?.score).toBeCloseTo(wanted.matches[0]?.score ?? 0, 1)
      expect(found.model).toBe(wanted.model)
    }
    await Promise.all([pieces.close(), whole.close()])
  })

  it('[BY-35] [BY-33] leave every other piece as it is, and are not fetched without the encoder', async () => {
    const own = ofEncoder(files, plain)
    const lists = ofEncoder(plain, files)
    // The list of the pieces names that of the vectors.
    expect(lists).toHaveLength(1)
    expect(own.length).toBeGreaterThan(2)
    const watched = watchedFiles(files)
    await using library = await openMany(watched.source)
    await library.search('merge the invoices of the harbour')
    const { catalog } = await piecesOfEncoder()
    const fetched = watched.reads.filter(path => own.includes(path))
    expect(fetched).toEqual([catalog.list])
  })

  it('[BY-35] are used for rows that were read without them before', async () => {
    await using library = await openMany(memory(files, { name: 'many' }))
    for (const [message, name] of MEANT) expect(await bestOf(library, message)).not.toBe(name)
    await library.upgrade(toyEncoder(), { cache: false })
    for (const [message, name] of MEANT) {
      const { matches, model } = await library.search(message)
      expect([matches[0]?.name, model]).toEqual([name, ENCODED])
    }
    expect(library.page).toBeDefined()
  })

  it('[BY-35] do not rank a message in another language', async () => {
    const { library } = await openUpgraded(memory(files, { name: 'many' }))
    expect((await library.search('合并 invoices harbour')).model).toBe('hybrid/1 toy')
    expect((await library.search(message)).matches[0]?.name).toBe(name)
    await library.close()
  })

  it.each([
    ['another model', toyEncoder({ id: 'other-encoder' })],
    [
      'the same name and other weights',
      toyEncoder({
        embed: async texts =>
          Float32Array.from({ length: texts.length * 24 }, (_, at) => +(at % 24 === 23)),
      }),
    ],
  ])('[BY-35] of %s are ignored: the library is read whole, and says why', async (_, encoder) => {
    const { library, isUpgraded, problems } = await openUpgraded(
      memory(files, { name: 'many' }),
      encoder,
    )
    expect([isUpgraded, problems]).toEqual([true, ['vectors-ignored']])
    expect(library.page).toBeUndefined()
    expect((await library.search('merge the invoices')).model).toBe(`hybrid/1 ${encoder.id}`)
    await library.close()
    expect(encoder.closed).toBe(1)
  })

  it('[BY-35] that some skills lack are not in the pieces: those skills are embedded in the whole library', async () => {
    const skills = {
      ...manySkills(),
      'zzz/SKILL.md': '---\nname: zzz\ndescription: Qqq.\n---\nNothing.\n',
    }
    const some = await packEncoded({}, skills)
    const { library, isUpgraded } = await openUpgraded(memory(some, { name: 'many' }))
    expect([isUpgraded, library.page]).toEqual([true, undefined])
    expect(await bestOf(library, message)).toBe(name)
    await library.close()
  })

  it('[BY-35] are not enough without the bundled model: the library is read whole', async () => {
    const source = memory(files, { name: 'many' })
    await using library = await openMany(source, { embedder: false })
    expect(await library.upgrade(toyEncoder(), { cache: false })).toBe(true)
    expect(library.page).toBeUndefined()
    expect(await bestOf(library, message)).toBe(name)
  })
})

describe('an encoder in a library in pieces', () => {
  it('[BY-35] goes on after a publish, and after one without its vectors', async () => {
    const watched = watchedFiles(files)
    const { library } = await openUpgraded(watched.source)
    const more = {
      ...manySkills(),
      'feeds-slides/SKILL.md': '---\nname: feeds-slides\ndescription: Feeds slides.\n---\nFish.\n',
    }
    const model = async () => (await library.search(message)).model
    watched.files = await packEncoded({}, more)
    await library.refresh()
    await expect.poll(model).toBe(ENCODED)
    expect(library.page).toBeDefined()

    watched.files = plain
    await library.refresh()
    await expect.poll(model).toBe(ENCODED)
    expect(library.page).toBeUndefined()
    expect(await bestOf(library, message)).toBe(name)
    await library.close()
  })

  it('[BY-35] goes on in the library that is read whole for another reason', async () => {
    const encoder = toyEncoder()
    const { library } = await openUpgraded(memory(files, { name: 'many' }), encoder)
    await library.use('any')
    expect(library.page).toBeUndefined()
    await expect.poll(async () => (await library.search(message)).model).toBe(ENCODED)
    expect(encoder.closed).toBe(0)
    await library.close()
    expect(encoder.closed).toBe(1)
  })

  it('[BY-35] that fails is reported once, and the bundled model answers', async () => {
    let isBroken = false
    const good = toyEncoder()
    const encoder = toyEncoder({
      embed: async (texts, options) => {
        if (isBroken) throw new Error('no memory')
        return good.embed(texts, options)
      },
    })
    const failures: string[] = []
    const { library } = await openUpgraded(memory(files, { name: 'many' }), encoder, {
      onFailure: ({ code }) => failures.push(code),
    })
    isBroken = true
    for (const [message] of MEANT) {
      expect((await library.search(message)).model).toBe('hybrid/1 toy')
    }
    expect([failures, encoder.closed]).toEqual([['model-unavailable'], 1])
    expect(library.page).toBeDefined()
    // Another call replaces it.
    expect(await library.upgrade(toyEncoder(), { cache: false })).toBe(true)
    expect((await library.search(message)).model).toBe(ENCODED)
    await library.close()
  })

  it('[BY-35] is loaded, can be aborted, and is closed then', async () => {
    const encoder = toyEncoder()
    const abort = new AbortController()
    await using library = await openMany(memory(files, { name: 'many' }))
    const loader = async () => {
      abort.abort()
      return encoder
    }
    const upgrading = library.upgrade(loader, { cache: false, signal: abort.signal })
    await expect(upgrading).rejects.toMatchObject({ code: 'aborted' })
    await expect.poll(() => encoder.closed).toBe(1)
    expect((await library.search(message)).model).toBe('hybrid/1 toy')
    await expect(library.upgrade({} as never)).rejects.toMatchObject({ code: 'invalid-input' })
  })
})

describe('pieces of an encoder that cannot be read', () => {
  const without = (paths: readonly string[]) =>
    Object.fromEntries(Object.entries(files).filter(([path]) => !paths.includes(path)))

  it('[BY-35] [BY-33] are missing: the library is read whole, and the encoder goes on', async () => {
    const { own, catalog } = await piecesOfEncoder()
    const vectors = ofEncoder(files, plain).filter(path => path !== own && path !== catalog.list)
    for (const missing of [[own], vectors, vectors.slice(1)]) {
      const { library } = await openUpgraded(memory(without(missing), { name: 'many' }))
      await library.search(message)
      expect(library.page).toBeUndefined()
      await expect.poll(async () => (await library.search(message)).model).toBe(ENCODED)
      for (const [message, name] of MEANT) expect(await bestOf(library, message)).toBe(name)
      await library.close()
    }
  })

  it('[BY-35] [BY-22] have hostile bytes under right digests: they neither hang nor throw', async () => {
    const { own, list, encoder } = await piecesOfEncoder()
    for (const path of [own, ...encoder.files.filter((_, at) => at % 5 === 1)]) {
      const content = await contentOf(path)
      const ownContent = await contentOf(own)
      for (let at = 0; at < content.length; at += Math.ceil(content.length / 60)) {
        const changed = content.map((byte, i) => (i === at ? byte ^ 0x55 : byte))
        const opened = openPieces(list) as PiecedSegment
        openEncoderPieces(opened)
        if (path !== own) opened.add(own, ownContent)
        opened.add(path, changed)
        for (const scale of opened.encoder?.vectors?.scales ?? []) {
          expect(Number.isFinite(scale)).toBe(true)
        }
      }
    }
  })

  it('[BY-35] [BY-22] are named by a list that is something else: the library is read whole', async () => {
    const { catalog, list, own } = await piecesOfEncoder()
    const text = new TextDecoder('latin1').decode(list)
    for (const other of [own.slice(0, -6), '../skillshelf'.padEnd(own.length - 6, 'x')]) {
      const changed = text.replace(own, `${other}.blocks`.slice(0, own.length))
      const { file, bytes } = writePiece(Uint8Array.from(changed, one => one.charCodeAt(0)))
      const hostile = {
        ...files,
        [file]: bytes,
        [CATALOG_FILE]: await writePiecedCatalog({ ...catalog, list: file }),
      }
      const { library, isUpgraded } = await openUpgraded(memory(hostile, { name: 'many' }))
      expect([isUpgraded, library.page]).toEqual([true, undefined])
      await library.close()
    }
  })
})

describe('copies of vectors in pieces', () => {
  it('[BY-35] [BY-27] a signature covers them', async () => {
    const keys = await createKeys()
    const sign = { privateKeys: [keys.privateKey], revision: 1 }
    const signed = await packEncoded({ sign })
    const own = ofEncoder(signed, plain)
    const zeros = Object.fromEntries(
      own.map(path => [path, writePiece(new Uint8Array(64)).bytes] as const),
    )
    for (const some of [signed, { ...signed, ...zeros }]) {
      const library = await openMany(memory(some, { name: 'many' }), {
        publicKeys: [keys.publicKey],
        seenRevisions: new Map(),
      })
      expect(await library.upgrade(toyEncoder(), { cache: false })).toBe(true)
      expect(await bestOf(library, message)).toBe(name)
      await library.close()
    }
  })

  it('[BY-35] a sweep keeps them', async () => {
    const store = memory({ ...plain, ...files }, { name: 'many' })
    await skillStore(store, {}).sweep({ olderThan: 0 })
    const left = (await store.list?.())?.map(({ path }) => path).sort()
    expect(left).toEqual(Object.keys(files).sort())
  })

  it('[BY-35] an offline copy has those of the whole library', async () => {
    const watched = watchedFiles(files)
    const copy = memory({}, { name: 'copy' })
    const online = await openUpgraded(cached(watched.source, copy, { whole: true }))
    expect(await bestOf(online.library, message)).toBe(name)
    await online.library.close()
    const offline = { ...watched.source, read: () => Promise.reject(new Error('offline')) }
    const encoder = toyEncoder()
    const { library } = await openUpgraded(cached(offline, copy, { whole: true }), encoder)
    for (const [message] of MEANT) await library.search(message)
    await expect.poll(async () => (await library.search(message)).model).toBe(ENCODED)
    for (const [message, name] of MEANT) expect(await bestOf(library, message)).toBe(name)
    expect(encoder.documents.length).toBeLessThan(4)
    await library.close()
  })
})
