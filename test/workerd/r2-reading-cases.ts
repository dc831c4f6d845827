import { expect, it } from 'vitest'
import { type R2BucketLike, r2 } from '../../src/exports/cloudflare.js'
import { openLibrary } from '../../src/library/open-library.js'
import type { ReadResult } from '../../src/source/source.js'
import { packFiles } from '../packed-files.js'
import { filling, keysOf, skill, textOf, watched } from './r2-world.js'

/** Reading from R2, in addition to the suite of every source. */
export function readingCases(open: () => Promise<R2BucketLike>): void {
  const { fresh, counted } = filling(open)

  it('r2 takes its name from the prefix', async () => {
    const bucket = await open()
    expect(r2(bucket).name).toBe('r2')
    expect(r2(bucket, { prefix: 'environments/prod/skills/' }).name).toBe('skills')
    expect(r2(bucket, { prefix: 'skills', name: 'mine' }).name).toBe('mine')
  })

  it('r2 lists and reads nothing outside the prefix', async () => {
    const bucket = await fresh({ 'skills/a.md': 'in', 'skills-old/b.md': 'out', 'c.md': 'out' })
    const source = r2(bucket, { prefix: 'skills' })
    expect((await source.list?.())?.map(({ path }) => path)).toEqual(['a.md'])
    expect(await source.read('c.md')).toBeUndefined()
    await source.write({ remove: ['c.md', 'a.md'] })
    expect(await keysOf(bucket)).toEqual(['c.md', 'skills-old/b.md'])
  })

  it('r2 reads conditionally with ETags as versions', async () => {
    const { bucket, asked, options } = await counted({ 'a.md': 'text' })
    const source = r2(bucket)
    const { version } = (await source.read('a.md')) as ReadResult & { version: string }
    expect(version).toMatch(/^[0-9a-f]{32}$/)
    expect(await source.list?.()).toEqual([
      { path: 'a.md', size: 4, modified: expect.any(Number), version },
    ])
    expect(await source.read('a.md', { ifVersion: version })).toBe('unchanged')
    expect(asked).toEqual(['get a.md', 'list ', 'get a.md'])
    expect(options.at(-1)).toEqual({ onlyIf: { etagDoesNotMatch: version } })
  })

  it.each(['"quoted"', 'W/"weak"', '*', '', 'Wed, 21 Oct 2015 07:28:00 GMT'])(
    'r2 gives the file to whoever has the version %j of another source',
    async ifVersion => {
      const source = r2(await fresh({ 'a.md': 'text' }))
      expect(textOf(await source.read('a.md', { ifVersion }))).toBe('text')
    },
  )

  it('r2 reads only the requested range', async () => {
    const { bucket, options, since, asked } = await counted({
      'a.bin': '0123456789',
      'empty.bin': '',
    })
    const source = r2(bucket)
    const part = (await source.read('a.bin', { range: { offset: 2, length: 3 } })) as ReadResult
    expect([textOf(part), part.partial]).toEqual(['234', { offset: 2, total: 10 }])
    const rest = (await source.read('a.bin', { range: { offset: 7 } })) as ReadResult
    expect([textOf(rest), rest.partial]).toEqual(['789', { offset: 7, total: 10 }])
    expect(options).toEqual([{ range: { offset: 2, length: 3 } }, { range: { offset: 7 } }])
    since()
    for (const [path, range, offset, total] of [
      ['a.bin', { offset: 10 }, 10, 10],
      ['a.bin', { offset: 99, length: 1 }, 10, 10],
      ['a.bin', { offset: 4, length: 0 }, 4, 10],
      ['empty.bin', { offset: 0, length: 5 }, 0, 0],
    ] as const) {
      const none = (await source.read(path, { range })) as ReadResult
      expect([none.bytes.length, none.partial]).toEqual([0, { offset, total }])
      expect(none.version).toMatch(/^[0-9a-f]{32}$/)
    }
    // Whole files were not read.
    expect(asked.filter(call => call.startsWith('get')).length).toBe(4)
    expect(await source.read('nothing.bin', { range: { offset: 0 } })).toBeUndefined()
  })

  it('r2 reports the file and a hint when the bucket fails', async () => {
    const watching = await counted({ 's/a.md': 'text' })
    const source = r2(watching.bucket, { prefix: 's', name: 'mine' })
    watching.before = () => {
      throw new Error('get: Reduce your concurrent request rate for the same object. (10058)')
    }
    const failure = (subject: string, message = /./) => ({
      code: 'source-failed',
      message: expect.stringMatching(message),
      details: { subject, hint: expect.stringContaining('binding') },
    })
    const unread = failure('s/a.md', /^s\/a\.md of mine could not be read: .*\(10058\)/)
    for (const options of [{}, { range: { offset: 0 } }])
      await expect(source.read('a.md', options)).rejects.toMatchObject(unread)
    await expect(source.list?.()).rejects.toMatchObject(failure('s/'))
    await expect(source.write({ put: { 'b.md': '' } })).rejects.toMatchObject(failure('s/b.md'))
  })

  it('r2 reports an incomplete body', async () => {
    const bucket = await fresh({ 'a.md': 'text' })
    const source = r2({
      ...watched(bucket).bucket,
      async get(key) {
        const object = await bucket.head(key)
        const arrayBuffer = () => Promise.reject(new Error('Network connection lost.'))
        return object && { ...object, size: 4, arrayBuffer }
      },
    })
    await expect(source.read('a.md')).rejects.toMatchObject({
      code: 'source-failed',
      details: { subject: 'a.md' },
    })
  })

  /** A stand-in for the network between a Worker and R2, which cuts off or fills up the bodies of a real bucket. */
  const faultyBodies = (
    inner: R2BucketLike,
    bodyOf: (bytes: Uint8Array<ArrayBuffer>, get: number) => Uint8Array,
  ) => {
    const gets = new Map<string, number>()
    const { bucket } = watched(inner)
    return {
      ...bucket,
      async get(...args: Parameters<R2BucketLike['get']>) {
        const [key] = args
        const object = await bucket.get(...args)
        if (!object || !('arrayBuffer' in object)) return object
        gets.set(key, (gets.get(key) ?? 0) + 1)
        const body = bodyOf(new Uint8Array(await object.arrayBuffer()), gets.get(key) ?? 0)
        return { ...object, arrayBuffer: async () => new Uint8Array(body).buffer }
      },
    } satisfies R2BucketLike
  }
  const BODIES: [string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array][] = [
    ['none', () => new Uint8Array(0)],
    ['all but one byte', bytes => bytes.slice(0, -1)],
    ['one byte more', bytes => Uint8Array.of(...bytes, 0)],
  ]

  it.each(BODIES)(
    '[BY-22] r2 takes no body of another length than the object, with a checksum too: %s',
    async (_, cut) => {
      const bucket = await fresh()
      await r2(bucket).write({ put: { 'a.md': 'a text with a checksum' } })
      const failure = {
        code: 'source-failed',
        message: expect.stringMatching(/its body has \d+ of \d+ bytes/),
      }
      for (const options of [{}, { range: { offset: 2, length: 5 } }, { range: { offset: 2 } }]) {
        await expect(r2(faultyBodies(bucket, cut)).read('a.md', options)).rejects.toMatchObject(
          failure,
        )
        // Once is a fault of the network, which the second try does not meet.
        const once = r2(faultyBodies(bucket, (bytes, get) => (get === 1 ? cut(bytes) : bytes)))
        expect('a text with a checksum').toContain(textOf(await once.read('a.md', options)))
        expect(await once.read('a.md', options)).toEqual(await r2(bucket).read('a.md', options))
      }
    },
  )

  it('[BY-22] a packed library with files that are cut off is refused, or opens at the second try', async () => {
    const bucket = await fresh()
    const files = await packFiles({ 'tea/SKILL.md': skill('tea') })
    await r2(bucket).write({ put: files })
    const half = (bytes: Uint8Array<ArrayBuffer>) => bytes.slice(0, bytes.length >> 1)
    await expect(
      openLibrary(r2(faultyBodies(bucket, half)), { strict: true }),
    ).rejects.toMatchObject({
      code: 'source-failed',
    })
    const unsteady = faultyBodies(bucket, (bytes, get) => (get % 2 === 1 ? half(bytes) : bytes))
    await using library = await openLibrary(r2(unsteady), { strict: true })
    expect((await library.get('tea')).instructions).toBe('How to do tea.')
  })

  it('library reports keys that are not valid paths, and skips folder objects', async () => {
    const odd = [
      'x/../../y/SKILL.md',
      'a//SKILL.md',
      'b\\SKILL.md',
      '/c/SKILL.md',
      '%2e%2e/SKILL.md',
    ]
    const bucket = await fresh({
      ...Object.fromEntries(odd.map(key => [key, skill('odd')])),
      'empty folder/': '',
      'skills #1/调研 🛫/SKILL.md': skill('research'),
      'lower/skill.md': skill('lower'),
    })
    const { snapshot } = await openLibrary(r2(bucket))
    expect(snapshot.skills.map(({ id }) => id)).toEqual(['r2/lower', 'r2/skills #1/调研 🛫'])
    const refused = snapshot.diagnostics.map(({ code, path }) => `${code} ${path}`)
    expect(refused.sort()).toEqual(odd.map(key => `path-refused ${key}`).sort())
  })
}
