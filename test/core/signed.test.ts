import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import type { SkillshelfError } from '../../src/core/errors.js'
import type { LibraryOptions } from '../../src/library/api/options.js'
import type { LocalLibrary } from '../../src/library/api/skill-library.js'
import { openLibrary } from '../../src/library/open-library.js'
import { createKeys, signCatalog } from '../../src/library/signed/signature.js'
import { signed } from '../../src/library/signed/signed.js'
import { indexedDb } from '../../src/library/store/indexeddb.js'
import { cached } from '../../src/library/store/offline/cached.js'
import { skillStore } from '../../src/library/store/store.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import { http } from '../../src/source/http/http.js'
import { memory } from '../../src/source/memory.js'
import type { ReadResult, SkillSource, WritableSource } from '../../src/source/source.js'
import {
  BAD,
  CATALOG_ATTACKS,
  editCatalog,
  type PublishedFiles as Files,
  signedLibrary,
  signedPart,
  TEA,
  withCatalog,
} from '../../src/tools/testing/attacks.js'
import { type PublishedSite, publisherSuite } from '../../src/tools/testing/publisher-suite.js'

const skill = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nDo it.\n`

let ours: Awaited<ReturnType<typeof createKeys>>
let next: typeof ours
let other: typeof ours
beforeAll(async () => {
  ours = await createKeys()
  next = await createKeys()
  other = await createKeys()
})

/** A packed library, signed by some keys. */
const library = (
  skills: Readonly<Record<string, string>>,
  revision: number,
  ...keys: (typeof ours)[]
): Promise<Files> => signedLibrary(skills, { revision, keys })

const source = (files: Files | Record<string, string>): SkillSource =>
  memory(files, { name: 'team' })
const open = (files: Files | SkillSource, options: LibraryOptions = {}) =>
  openLibrary('read' in files ? (files as SkillSource) : source(files), {
    embedder: false,
    publicKeys: [ours.publicKey],
    seenRevisions: new Map(),
    onDiagnostic: () => {},
    ...options,
  })
const refusal = (opening: Promise<unknown>): Promise<Pick<SkillshelfError, 'code' | 'message'>> =>
  opening.then(
    () => ({ code: 'invalid-input', message: 'opened' }),
    ({ code, message }) => ({ code, message }),
  )
describe('the keys of a publisher', () => {
  it('[BY-27] are made again where the platform fails for some', async () => {
    const failure = Object.assign(new Error('The operation failed'), { name: 'OperationError' })
    const generateKey = vi.spyOn(crypto.subtle, 'generateKey')
    onTestFinished(() => generateKey.mockRestore())
    for (let failures = 0; failures < 3; failures++) generateKey.mockRejectedValueOnce(failure)
    const { id, privateKey, publicKey } = await createKeys()
    expect(generateKey).toHaveBeenCalledTimes(4)
    const catalog = (await library(TEA, 1, { id, privateKey, publicKey }))[CATALOG_FILE]
    expect(catalog).toBeDefined()

    generateKey.mockRejectedValue(failure)
    await expect(createKeys()).rejects.toBe(failure)
  })
})

describe('a signed library', () => {
  it('[BY-27] opens with the key of its publisher, and without keys as any other', async () => {
    const files = await library(TEA, 7, ours)
    for (const publicKeys of [[ours.publicKey], [other.publicKey, ours.publicKey], undefined]) {
      await using opened = await open(files, { publicKeys })
      const { matches } = await opened.match('brew oolong in a pot')
      expect(matches[0]?.name).toBe('tea')
      expect((await opened.get('tea')).instructions).toBe('Do it.')
      expect((await opened.read('tea', 'notes.md')).text).toBe('Two minutes.')
      expect(opened.snapshot.diagnostics).toEqual([])
    }
    const { [CATALOG_FILE]: signedCatalog, ...others } = files
    const { [CATALOG_FILE]: plain, ...same } = await library(TEA, 7)
    expect(others).toEqual(same)
    expect(signedCatalog?.length).toBe((plain?.length ?? 0) + signedPart(files).length)
  })

  /** What a reader says to each of the attacks of `publisherSuite`. */
  const MESSAGES: Readonly<Record<string, RegExp>> = {
    'no signature': /has no signature/,
    'a signature of another key': /is signed by [0-9a-f]{16}, which is not in/,
    'a flipped bit in the signature': /does not fit it/,
    'a higher revision': /does not fit it/,
    'an altered description': /was altered/,
    'another catalog with its own digest under the signature': /does not fit it/,
    'the digest of the signature over another catalog': /was altered/,
    'a truncated signature': /has no signature/,
    'a catalog that ends in the signature': /has no signature/,
    'many signatures': /has no signature/,
    'our key id on a signature of another key': /does not fit it/,
    'two sets of signatures': /was altered/,
    'another start, which JSON reads alike': /has no signature/,
    'a revision that is not JSON': /has no signature/,
  }

  it.each(CATALOG_ATTACKS)('[BY-27] is refused with $name', async ({ name, change }) => {
    const attacked = await change(await library(TEA, 7, ours), { ours, other })
    expect(await refusal(open(attacked))).toEqual({
      code: 'untrusted',
      message: expect.stringMatching(MESSAGES[name] as RegExp),
    })
  })

  it('[BY-27] is refused with skills that are not packed', async () => {
    expect((await refusal(open(source(TEA)))).message).toMatch(/has no skillshelf.json, so it is/)
  })

  it('[BY-27] opens if a colliding key id precedes its signature', async () => {
    const files = await library(TEA, 7, other, ours)
    const collided = editCatalog(files, /"key":"[^"]*/, () => `"key":"${ours.id}`)
    await using opened = await open(collided)
    expect(opened.snapshot.skills).toHaveLength(1)
  })

  it('[BY-27] shows no file that its catalog does not name, even if the source claims its digest', async () => {
    const files = await library(TEA, 7, ours)
    const lying: SkillSource = {
      name: 'team',
      async read(path) {
        const bytes = files[path]
        if (!bytes || !path.endsWith('.md')) return bytes && { bytes }
        const evil = new TextEncoder().encode(BAD['tea/SKILL.md'])
        return { bytes: evil, digest: digestOf(bytes), partial: { offset: 0, total: evil.length } }
      },
    }
    await using opened = await open(lying)
    expect(await refusal(opened.get('tea'))).toMatchObject({ code: 'source-failed' })
    const part = opened.read('tea', 'notes.md', { range: { offset: 0, length: 3 } })
    expect(await refusal(part)).toMatchObject({ code: 'source-failed' })
  })

  it('[BY-27] is refused if an older revision comes back', async () => {
    const old = await library(TEA, 7, ours)
    const now = await library({ ...TEA, 'cup/SKILL.md': skill('cup', 'Washes cups.') }, 8, ours)
    const seenRevisions = new Map<string, number>()
    await (await open(old, { seenRevisions })).close()
    expect([...seenRevisions.values()]).toEqual([7])
    await (await open(now, { seenRevisions })).close()
    expect([...seenRevisions]).toEqual([[`team ${ours.id}`, 8]])
    expect(await refusal(open(old, { seenRevisions }))).toEqual({
      code: 'untrusted',
      message: expect.stringContaining('has revision 7, but revision 8 was seen before'),
    })
    await (await open(now, { seenRevisions })).close()
  })

  it('[BY-27] keeps its last skills if a refresh finds what is not trusted', async () => {
    let files = await library(TEA, 7, ours)
    await using opened = await open({
      name: 'team',
      read: async path => files[path] && { bytes: files[path] },
    })
    for (const attacked of [
      await library(BAD, 9, other),
      await library(BAD, 6, ours),
      await library(BAD, 9),
    ]) {
      files = attacked
      await opened.refresh()
      expect(opened.snapshot.skills[0]?.description).toBe('Brews oolong in a pot.')
      expect(opened.snapshot.diagnostics).toMatchObject([
        { code: 'source-untrusted', severity: 'error' },
      ])
    }
    files = await library({ 'tea/SKILL.md': skill('tea', 'Brews tea.') }, 9, ours)
    await opened.refresh()
    expect(opened.snapshot.skills[0]?.description).toBe('Brews tea.')
    expect(opened.snapshot.diagnostics).toEqual([])
  })

  it('[BY-27] moves to another key by two signatures, and a revoked key opens nothing', async () => {
    const seenRevisions = new Map<string, number>()
    const both = { seenRevisions, publicKeys: [ours.publicKey, next.publicKey] }
    const old = await library(TEA, 7, ours)
    await (await open(old, both)).close()
    const rotated = await library(TEA, 8, ours, next)
    for (const keys of [[ours], [next], [ours, next]])
      await (await open(rotated, { publicKeys: keys.map(key => key.publicKey) })).close()
    await (await open(rotated, both)).close()
    expect(await refusal(open(old, both))).toMatchObject({ code: 'untrusted' })

    const revoked = { seenRevisions, publicKeys: [next.publicKey] }
    expect(await refusal(open(await library(TEA, 9, ours), revoked))).toMatchObject({
      code: 'untrusted',
    })
    // Its revisions do not count any more, however high they were.
    await (await open(await library(TEA, 999_999_999_999, ours), both)).close()
    await (await open(await library(TEA, 9, next), revoked)).close()
  })

  it('[BY-27] is one layer beside skills of the user', async () => {
    const theirs = (files: Files) =>
      signed(source(files), { publicKeys: [ours.publicKey], seenRevisions: new Map() })
    const mine = { 'cup/SKILL.md': skill('cup', 'Washes cups.') }
    await using both = await openLibrary([mine, theirs(await library(TEA, 7, ours))], {
      embedder: false,
    })
    expect(both.snapshot.skills.map(({ name }) => name).sort()).toEqual(['cup', 'tea'])
    const unsigned = openLibrary([mine, theirs(await library(TEA, 7))], { embedder: false })
    expect(await refusal(unsigned)).toMatchObject({ code: 'untrusted' })
  })

  it('[BY-27] is refused if an older revision comes back to a new process that has a copy of the newer one', async () => {
    const site = createSite(await library(TEA, 8, ours))
    const copy = memory({}, { name: 'copy' })
    await (await open(cached(site.source, copy))).close()
    site.files = await library(TEA, 7, ours)
    await using opened = await open(cached(site.source, copy), { seenRevisions: new Map() })
    await opened.refresh()
    expect(opened.snapshot.diagnostics).toMatchObject([{ code: 'source-untrusted' }])
  })

  it('[BY-27] is refused if the revisions that were seen cannot be read', async () => {
    const files = await library(TEA, 7, ours)
    const failing = { get: () => Promise.reject(new Error('no storage')), set: () => {} }
    expect(await refusal(open(files, { seenRevisions: failing }))).toEqual({
      code: 'untrusted',
      message: expect.stringContaining('no storage'),
    })
    const damaged = { get: () => 'seven' as unknown as number, set: () => {} }
    expect(await refusal(open(files, { seenRevisions: damaged }))).toMatchObject({
      code: 'untrusted',
    })
  })

  it('[BY-27] keeps its signature when it is swept, and loses it when it is changed', async () => {
    const files = memory(await library(TEA, 7, ours), { name: 'team' })
    await skillStore(files).sweep({ olderThan: 0 })
    await skillStore(files).sweep({ olderThan: 0 })
    await (await open(files)).close()
    await skillStore(files).install({ 'cup/SKILL.md': skill('cup', 'Washes cups.') })
    expect(await refusal(open(files))).toMatchObject({ code: 'untrusted' })
    await using unsigned = await open(files, { publicKeys: undefined })
    expect(unsigned.snapshot.skills).toHaveLength(2)
  })
})

describe('publisherSuite', () => {
  const maxBytes = 1_000_000
  const quiet = { embedder: false as const, onDiagnostic: () => {} }
  const sourceOf = ({ url, fetch }: PublishedSite) => http(url, { fetch, maxBytes, maxRetries: 0 })
  const throughCopy = ({ publicKeys, signatureThreshold, seenRevisions, ...site }: PublishedSite) =>
    signed(cached(sourceOf(site as PublishedSite), memory({})), {
      ...{ publicKeys, signatureThreshold, seenRevisions },
    })
  const keysOf = ({ publicKeys, signatureThreshold, seenRevisions }: PublishedSite) => {
    return { publicKeys, signatureThreshold, seenRevisions }
  }

  for (const { name, run } of publisherSuite(
    site => openLibrary(sourceOf(site), { ...quiet, ...keysOf(site) }),
    { maxBytes },
  )) {
    it(`[BY-27] publicKeys of openLibrary: ${name}`, run)
  }
  for (const { name, run } of publisherSuite(site => openLibrary(throughCopy(site), quiet), {
    maxBytes,
  })) {
    it(`[BY-27] signed around an offline copy: ${name}`, run)
  }

  it.each<[string, (site: PublishedSite) => Promise<LocalLibrary>, string[]]>([
    [
      'checks nothing',
      site => openLibrary(sourceOf(site), quiet),
      ['refuses no signature', 'refuses a library that too few keys have signed'],
    ],
    [
      'forgets revisions',
      site => openLibrary(sourceOf(site), { ...quiet, ...keysOf(site), seenRevisions: new Map() }),
      ['refuses an older revision than it has seen'],
    ],
    [
      'reads without a limit',
      site =>
        openLibrary(http(site.url, { fetch: site.fetch, maxRetries: 0 }), {
          ...{ ...quiet, ...keysOf(site) },
        }),
      ['stops reading the catalog that never ends', 'stops reading a SKILL.md that never ends'],
    ],
  ])('[BY-27] fails a setup that %s', async (_, open, expected) => {
    const failed: string[] = []
    for (const { name, run } of publisherSuite(open, { maxBytes })) {
      await run().catch(() => failed.push(name))
    }
    expect(failed).toEqual(expect.arrayContaining(expected))
    expect(failed).not.toContain('opens what the publisher signed')
  })
})

/** A site that can change, or be down. */
function createSite(files: Files) {
  const site = { files, down: false }
  const source: SkillSource = {
    name: 'team',
    async read(path) {
      if (site.down) throw new Error('offline')
      const bytes = site.files[path]
      return bytes && { bytes, version: digestOf(bytes) }
    },
  }
  return Object.assign(site, { source })
}

describe('a signed library that expires', () => {
  const DAY = 86_400
  const now = Math.floor(Date.now() / 1_000)
  /** A library of revision 7. `days`: when it expires, from now. */
  const expiring = async (days: number): Promise<Files> => {
    return signedLibrary(TEA, { revision: 7, expires: now + days * DAY, keys: [ours] })
  }

  it('[BY-27] opens before, and is refused after, also by a reader that has it already', async () => {
    await using opened = await open(await expiring(1))
    expect(opened.snapshot.total).toBe(1)
    const { code, message } = await refusal(open(await expiring(-1)))
    expect([code, message]).toEqual(['untrusted', expect.stringMatching(/ has expired \(/)])
    // The signature covers the time: without it, or with a later one, it does not fit.
    for (const later of ['', `"expires":${now + 900 * DAY},`]) {
      const files = await expiring(-1)
      const attacked = editCatalog(files, /"expires":\d+,/, () => later)
      expect((await refusal(open(attacked))).message).toMatch(/does not fit it/)
    }
  })

  it('[BY-27] is refused by a refresh once it is past, although the host says that nothing changed', async () => {
    await using opened = await open(await expiring(1))
    const clock = vi.spyOn(Date, 'now').mockReturnValue((now + 2 * DAY) * 1_000)
    onTestFinished(() => clock.mockRestore())
    await opened.refresh()
    expect(opened.snapshot.diagnostics.map(({ code }) => code)).toEqual(['source-untrusted'])
    expect(opened.snapshot.total).toBe(1)
  })

  it('[BY-27] has 30 days of grace in an offline copy', async () => {
    const copyOf = async (days: number) => {
      const copy = memory()
      await using _ = await openLibrary(
        cached(source(await expiring(days)), copy, { whole: true }),
        {
          embedder: false,
        },
      )
      const offline: SkillSource = {
        name: 'team',
        read: () => Promise.reject(new Error('offline')),
      }
      return open(cached(offline, copy))
    }
    await using opened = await copyOf(-29)
    expect((await opened.get('tea')).instructions).toBe('Do it.')
    expect(await refusal(copyOf(-31))).toMatchObject({
      message: expect.not.stringMatching('opened'),
    })
    // The host is there, and says for ever that nothing changed.
    const hosted = async (days: number) => {
      const [copy, site] = [memory(), source(await expiring(days))]
      await (await openLibrary(cached(site, copy, { whole: true }), { embedder: false })).close()
      return open(cached(site, copy))
    }
    await using kept = await hosted(-29)
    expect(kept.snapshot.total).toBe(1)
    expect(await refusal(hosted(-31))).toEqual({
      code: 'untrusted',
      message: expect.stringMatching(/ has expired /),
    })
  })
})

describe('a library that several keys must sign', () => {
  const all = () => ({ publicKeys: [ours, next, other].map(({ publicKey }) => publicKey) })

  it('[BY-27] opens with k of n keys, in any order, and is refused with fewer', async () => {
    const two = { ...all(), signatureThreshold: 2 }
    for (const keys of [
      [ours, other],
      [other, next, ours],
    ]) {
      await using opened = await open(await library(TEA, 7, ...keys), two)
      expect(opened.snapshot.total).toBe(1)
    }
    for (const keys of [[next], [next, next]]) {
      const { code, message } = await refusal(open(await library(TEA, 7, ...keys), two))
      expect([code, message]).toEqual(['untrusted', expect.stringMatching(/ by 1 of 2 keys: /)])
    }
    const repeated = { ...two, publicKeys: [...two.publicKeys, `${ours.publicKey}\n`] }
    expect((await refusal(open(await library(TEA, 7, ours), repeated))).message).toMatch(
      / by 1 of 2/,
    )
  })

  it.each([0, 4, 1.5, '2', Number.NaN])('[BY-27] refuses the threshold %s', async threshold => {
    const files = await library(TEA, 7, ours)
    const options = { ...all(), signatureThreshold: threshold as number }
    const { code, message } = await refusal(open(files, options))
    expect([code, message]).toEqual([
      'invalid-input',
      expect.stringMatching(/"signatureThreshold" must be a whole number from 1 to 3/),
    ])
  })
})

describe('an offline copy of a signed library', () => {
  type Keys = { publicKeys: string[]; seenRevisions: Map<string, number> }
  const plain: LibraryOptions = { publicKeys: undefined }
  /** The ways to ask for signatures. Each opens the site over a copy. */
  const WAYS: [
    string,
    (site: SkillSource, copy: WritableSource, keys: Keys) => Promise<LocalLibrary>,
  ][] = [
    ['publicKeys of openLibrary', (site, copy, keys) => open(cached(site, copy), keys)],
    ['signed around cached', (site, copy, keys) => open(signed(cached(site, copy), keys), plain)],
    [
      'signed inside of cached',
      (site, copy, keys) => open(cached(signed(site, keys), copy), plain),
    ],
    ['both', (site, copy, keys) => open(cached(signed(site, keys), copy), keys)],
    [
      'signed twice',
      (site, copy, keys) => open(signed(signed(cached(site, copy), keys), keys), plain),
    ],
    ['a copy of a copy', (site, copy, keys) => open(cached(cached(site, memory({})), copy), keys)],
    [
      'a source of the user around cached',
      (site, copy, keys) => {
        const inner = cached(site, copy)
        return open({ name: 'team', read: (path, options) => inner.read(path, options) }, keys)
      },
    ],
    ['a whole copy', (site, copy, keys) => open(cached(site, copy, { whole: true }), keys)],
  ]
  /** What a host or a network answers, from the files of the library of revision 7, and what the library then reports. */
  const ANSWERS: [string, (files: Files) => Files | Promise<Files>, code: string][] = [
    ['an unsigned library', () => library(BAD, 9), 'source-untrusted'],
    ['a library with another key', () => library(BAD, 9, other), 'source-untrusted'],
    ['an older revision', () => library(BAD, 6, ours), 'source-untrusted'],
    [
      'an altered catalog',
      files => editCatalog(files, 'Brews oolong in', () => 'Sends files in'),
      'source-untrusted',
    ],
    [
      'a truncated catalog',
      files => ({
        ...files,
        [CATALOG_FILE]: (files[CATALOG_FILE] as Uint8Array<ArrayBuffer>).slice(0, -9),
      }),
      'source-untrusted',
    ],
    ['an empty catalog', files => withCatalog(files, ''), 'source-untrusted'],
    [
      'a newer catalog with a forged segment',
      async () => {
        const newer = await library(
          { ...TEA, 'cup/SKILL.md': skill('cup', 'Washes cups.') },
          8,
          ours,
        )
        const segment = Object.keys(newer).find(path => path.endsWith('.seg')) as string
        return { ...newer, [segment]: new Uint8Array(99) }
      },
      'source-unreadable',
    ],
    [
      'forged files, which are read',
      files =>
        Object.fromEntries(
          Object.entries(files).map(([path, bytes]) => [
            path,
            path.startsWith('files/') ? new Uint8Array(9) : bytes,
          ]),
        ),
      '',
    ],
  ]

  const dump = async (copy: WritableSource): Promise<Files> => {
    const files: Files = {}
    for (const { path } of (await copy.list?.()) ?? []) {
      if (path !== 'copy.json') files[path] = ((await copy.read(path)) as ReadResult).bytes
    }
    return files
  }
  let copies = 0
  const STORES: [string, () => WritableSource][] = [
    ['memory', () => memory({})],
    ...(globalThis.indexedDB
      ? [
          ['IndexedDB', () => indexedDb(`signed-copy-${++copies}`)] as [
            string,
            () => WritableSource,
          ],
        ]
      : []),
  ]

  for (const [way, openCopy] of WAYS) {
    for (const [where, createStore] of STORES)
      it.each(ANSWERS)(
        `[BY-27] in ${where}, by ${way}, is as good as before after %s`,
        async (_, attack, code) => {
          const site = createSite(await library(TEA, 7, ours))
          const keys: Keys = { publicKeys: [ours.publicKey], seenRevisions: new Map() }
          const store = createStore()
          // The copy outlives the sources, whose `close` closes it.
          const copy = { ...store, close: async () => {} }
          {
            await using first = await openCopy(site.source, copy, keys)
            expect((await first.get('tea')).instructions).toBe('Do it.')
            await first.refresh()
          }
          const before = await dump(copy)
          site.files = await attack(site.files)
          {
            await using attacked = await openCopy(site.source, copy, keys)
            await attacked.refresh()
            await attacked.refresh()
            expect(attacked.snapshot.skills.map(({ description }) => description)).toEqual([
              'Brews oolong in a pot.',
            ])
            expect(attacked.snapshot.diagnostics.map(one => one.code)).toEqual(
              code === '' ? [] : [code],
            )
            await attacked.read('tea', 'notes.md').catch(() => undefined)
          }
          expect(await dump(copy)).toMatchObject(before)
          site.down = true
          await using offline = await openCopy(site.source, copy, keys)
          expect((await offline.match('brew oolong in a pot')).matches[0]?.name).toBe('tea')
          expect((await offline.get('tea')).instructions).toBe('Do it.')
          await store.close?.()
        },
      )
  }

  it.each(WAYS)(
    '[BY-27] by %s, that is forged is refused offline, and replaced online',
    async (way, openCopy) => {
      const site = createSite(await library(BAD, 9, other))
      const copy = memory({})
      // An earlier version of the program opened it without keys.
      await (await open(cached(site.source, copy), plain)).close()
      const keys: Keys = { publicKeys: [ours.publicKey], seenRevisions: new Map() }
      site.down = true
      expect(await refusal(openCopy(site.source, copy, keys))).toMatchObject({ code: 'untrusted' })
      site.down = false
      expect(await refusal(openCopy(site.source, copy, keys))).toMatchObject({ code: 'untrusted' })
      site.files = await library(TEA, 7, ours)
      await using healed = await openCopy(site.source, copy, keys)
      expect(healed.snapshot.skills.map(({ description }) => description)).toEqual([
        'Brews oolong in a pot.',
      ])
      const segments = Object.keys(await dump(copy)).filter(path => path.endsWith('.seg'))
      expect([way, segments]).toEqual([
        way,
        Object.keys(site.files).filter(path => path.endsWith('.seg')),
      ])
    },
  )

  it('[BY-27] opens offline, although a newer revision was seen whose files did not arrive', async () => {
    const site = createSite(await library(TEA, 7, ours))
    const copy = memory({})
    const seenRevisions = new Map<string, number>()
    await (await open(cached(site.source, copy), { seenRevisions })).close()
    const { [CATALOG_FILE]: newer } = await library(
      { ...TEA, 'cup/SKILL.md': skill('cup', 'Washes cups.') },
      8,
      ours,
    )
    site.files = { [CATALOG_FILE]: newer as Uint8Array<ArrayBuffer> }
    await using online = await open(cached(site.source, copy), { seenRevisions })
    await online.refresh()
    expect([...seenRevisions.values()]).toEqual([8])
    site.down = true
    await using offline = await open(cached(site.source, copy), { seenRevisions })
    expect(offline.snapshot.skills).toHaveLength(1)
  })

  it('[BY-27] among layers keeps the copy of each, and a layer of the user beside them', async () => {
    const good = createSite(await library(TEA, 7, ours))
    const bad = createSite(await library({ 'cup/SKILL.md': skill('cup', 'Washes cups.') }, 7, ours))
    const copies = [memory({}), memory({})] as const
    const layers = () => [
      cached(good.source, copies[0]),
      cached({ ...bad.source, name: 'other' }, copies[1]),
    ]
    const keys = { embedder: false as const, publicKeys: [ours.publicKey], onDiagnostic: () => {} }
    await (await openLibrary(layers(), keys)).close()
    bad.files = await library(BAD, 8, other)
    await using opened = await openLibrary(layers(), keys)
    await opened.refresh()
    expect(opened.snapshot.skills.map(({ id }) => id)).toEqual(['other/cup', 'team/tea'])
    expect(opened.snapshot.diagnostics).toMatchObject([{ code: 'source-untrusted', path: 'other' }])
    bad.down = true
    await using offline = await openLibrary(layers(), keys)
    expect(offline.snapshot.skills).toHaveLength(2)
  })
})

describe('keys', () => {
  it.each([
    ['no keys', [], /"publicKeys" must be an array/],
    ['not an array', 'key' as unknown as string[], /"publicKeys" must be an array/],
    ['not PEM', ['abc'], /Public key 1 is not an Ed25519 public key in PEM/],
    [
      'PEM of something else',
      ['-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'],
      /Public key 1 is not/,
    ],
  ])('[BY-27] are refused: %s', async (_, publicKeys, message) => {
    const files = await library(TEA, 7, ours)
    const refused = await refusal(open(files, { publicKeys, strict: true }))
    expect(refused).toEqual({ code: 'invalid-input', message: expect.stringMatching(message) })
  })

  it('[BY-27] sign what pack wrote only, with one to eight keys and a whole revision', async () => {
    const catalog = (await library(TEA, 0))[CATALOG_FILE] as Uint8Array<ArrayBuffer>
    const sign = (bytes: Uint8Array<ArrayBuffer>, keys: string[], revision: number) =>
      refusal(signCatalog(bytes, keys, { revision }))
    expect((await sign(new TextEncoder().encode('{}'), [ours.privateKey], 1)).message).toMatch(
      /Only a catalog/,
    )
    expect((await sign(catalog, [], 1)).message).toMatch(/1 to 8 keys/)
    expect((await sign(catalog, Array(9).fill(ours.privateKey), 1)).message).toMatch(/1 to 8 keys/)
    expect((await sign(catalog, [ours.privateKey], 1.5)).message).toMatch(
      /"revision" must be an integer/,
    )
    const expiring = signCatalog(catalog, [ours.privateKey], { revision: 1, expires: 0.5 })
    expect((await refusal(expiring)).message).toMatch(/"expires" must be a whole number/)
    expect((await sign(catalog, [ours.publicKey], 1)).message).toMatch(/not an Ed25519 private key/)
    expect(
      await signCatalog(
        await signCatalog(catalog, [other.privateKey], { revision: 9, expires: 9 }),
        [ours.privateKey],
        { revision: 1 },
      ),
    ).toEqual(await signCatalog(catalog, [ours.privateKey], { revision: 1 }))
  })
})
