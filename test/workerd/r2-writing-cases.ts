import { expect, it, onTestFinished, vi } from 'vitest'
import { type R2BucketLike, r2 } from '../../src/exports/cloudflare.js'
import { openLibrary } from '../../src/exports/index.js'
import { skillStore } from '../../src/exports/store.js'
import { CATALOG_FORMAT } from '../../src/library/catalog/catalog-bytes.js'
import { type PackedCatalog, writeCatalog } from '../../src/library/catalog/packed-catalog.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import type { ReadResult } from '../../src/source/source.js'
import { fails } from '../fails.js'
import { packFiles } from '../packed-files.js'
import { filling, keysOf, manySkills, skill, textOf, unreadFiles, watched } from './r2-world.js'

/** Writing to R2: order, conditions and failures. */
export function writingCases(open: () => Promise<R2BucketLike>): void {
  const { fresh, counted } = filling(open)

  const seen = async (bucket: R2BucketLike) => textOf(await r2(bucket).read(CATALOG_FILE))

  it('write uploads content six at a time, then the catalog conditionally, then removes', async () => {
    const watching = await counted({ [CATALOG_FILE]: 'old', 'o/0': '', 'o/1000': '' })
    const content = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`files/${n}`, `${n}`]))
    await r2(watching.bucket).write({
      put: { [CATALOG_FILE]: 'new', ...content },
      remove: [...Array.from({ length: 1_001 }, (_, n) => `o/${n}`), 'files/3', 'nothing'],
    })
    expect(watching.most).toBe(6)
    expect(watching.options[21]).toMatchObject({ onlyIf: { etagMatches: expect.any(String) } })
    const asked = watching.since()
    expect(asked[0]).toBe(`head ${CATALOG_FILE}`)
    const puts = Object.keys(content).map(key => `put ${key}`)
    expect(asked.slice(1, 21).sort()).toEqual(puts.sort())
    expect(asked.slice(21)).toEqual([`put ${CATALOG_FILE}`, 'delete 1000', 'delete 2'])
    // A path in both `put` and `remove` is written.
    expect((await keysOf(watching.bucket)).sort()).toEqual(
      [...Object.keys(content), CATALOG_FILE].sort(),
    )
  })

  it('the second of two writers gets a conflict and the first library stays intact', async () => {
    for (const start of [undefined, 'old']) {
      const bucket = await fresh(start === undefined ? {} : { [CATALOG_FILE]: start })
      const watching = watched(bucket)
      let overtaken = false
      watching.before = async call => {
        if (call !== 'put files/second' || overtaken) return
        overtaken = true
        await r2(bucket).write({ put: { 'files/first': '1', [CATALOG_FILE]: 'first' } })
      }
      const second = { 'files/second': '2', [CATALOG_FILE]: 'second' }
      await fails(r2(watching.bucket).write({ put: second, remove: ['files/first'] }), 'conflict', {
        details: {
          status: 412,
          subject: CATALOG_FILE,
          hint: expect.stringContaining('read it again and retry'),
        },
      })
      expect(await seen(bucket)).toBe('first')
      expect(textOf(await r2(bucket).read('files/first'))).toBe('1')
      await r2(watching.bucket).write({ put: second })
      expect(await seen(bucket)).toBe('second')
    }
  })

  it('write checks ifVersion before it writes anything', async () => {
    const watching = await counted({ [CATALOG_FILE]: 'old' })
    const source = r2(watching.bucket)
    const { version } = (await source.read(CATALOG_FILE)) as ReadResult & { version: string }
    const conflict = { code: 'conflict', details: { status: 412 } }
    await expect(source.write({ put: { a: '' } }, { ifVersion: null })).rejects.toMatchObject(
      conflict,
    )
    await source.write({ put: { [CATALOG_FILE]: 'new' } }, { ifVersion: version })
    for (const changes of [
      { put: { a: '', [CATALOG_FILE]: 'late' } },
      { put: { a: '' } },
      { remove: [CATALOG_FILE] },
    ])
      await expect(source.write(changes, { ifVersion: version })).rejects.toMatchObject(conflict)
    expect(await keysOf(watching.bucket)).toEqual([CATALOG_FILE])
    expect(await seen(watching.bucket)).toBe('new')
    await source.write({ remove: [CATALOG_FILE] })
    await source.write({ put: { [CATALOG_FILE]: 'again' } }, { ifVersion: null })
    expect(await seen(watching.bucket)).toBe('again')
  })

  it('a failed write keeps the old catalog and its files and leaves no running upload', async () => {
    const first = await packFiles(manySkills(30), 'lib')
    const watching = await counted(first)
    const second = await packFiles({ ...manySkills(29), 'new/SKILL.md': skill('new') }, 'lib')
    const gone = Object.keys(first).filter(path => !(path in second))
    let puts = 0
    watching.before = call => {
      if (call.startsWith('put ') && ++puts === 10)
        throw new Error('put: We encountered an internal error. (10001)')
    }
    const write = r2(watching.bucket).write({ put: second, remove: gone })
    await fails(write, 'source-failed', { details: { subject: expect.any(String) } })
    const asked = watching.since().length
    watching.before = undefined
    const library = await openLibrary(r2(watching.bucket))
    expect(library.snapshot.skills.length).toBe(30)
    expect((await library.get('skill-0030')).instructions).toBe('How to do skill-0030.')
    expect(asked).toBeLessThan(20)
    // The retry succeeds.
    await r2(watching.bucket).write({ put: second, remove: gone })
    expect((await library.refresh()).removed).toEqual(['r2/skill-0030'])
  })

  it('a committed write succeeds although old files cannot be removed', async () => {
    const watching = await counted({})
    const store = skillStore(r2(watching.bucket), { keepOld: false })
    await store.install({ 'a/SKILL.md': skill('a'), 'b/SKILL.md': skill('b') })
    watching.before = call => {
      if (call.startsWith('delete '))
        throw new Error('delete: We encountered an internal error. (10001)')
    }
    expect(await store.install({ 'a/SKILL.md': skill('a', 'Is new.') })).toMatchObject({
      changed: ['r2/a'],
    })
    const descriptions = (await openLibrary(store)).snapshot.skills.map(
      ({ description }) => description,
    )
    expect(descriptions).toEqual(['Is new.', 'Does b.'])
    // A write that only removes files reports the failure.
    for (const remove of [['files/1'], [CATALOG_FILE]])
      await fails(store.write({ remove }), 'source-failed')
  })

  it('write removes the catalog before its files', async () => {
    const watching = await counted({ [CATALOG_FILE]: 'old', 'files/1': '' })
    let found: string[] = []
    watching.before = async call => {
      if (call === 'delete 1' && found.length === 0) found = await keysOf(watching.bucket)
    }
    await r2(watching.bucket).write({ remove: ['files/1', CATALOG_FILE] })
    expect(watching.asked.filter(call => call.startsWith('delete'))).toEqual([
      'delete 1',
      'delete 1',
    ])
    expect(watching.options.filter(Array.isArray)).toEqual([[CATALOG_FILE], ['files/1']])
    expect(await keysOf(watching.bucket)).toEqual([])
  })

  it('write rejects with "aborted" only before the catalog is written', async () => {
    const watching = await counted({ [CATALOG_FILE]: 'old', 'files/0': '' })
    for (const [at, ends] of [
      ['put files/1', 'aborted'],
      [`put ${CATALOG_FILE}`, undefined],
    ]) {
      const stop = new AbortController()
      watching.before = call => {
        if (call === at) stop.abort()
      }
      const changes = { put: { 'files/1': '', [CATALOG_FILE]: 'new' }, remove: ['files/0'] }
      const writing = r2(watching.bucket).write(changes, { signal: stop.signal })
      expect(await writing.catch(error => error.code)).toBe(ends)
      expect(await seen(watching.bucket)).toBe(ends ? 'old' : 'new')
    }
    expect(await keysOf(watching.bucket)).toEqual(['files/1', CATALOG_FILE])
  })

  it('write rejects paths outside the prefix and writes nothing', async () => {
    const watching = await counted({ 'a.md': 'old' })
    for (const bad of ['../c.md', '/c.md', 'c\\d.md', '%2e%2e/c.md']) {
      const source = r2(watching.bucket, { prefix: 's' })
      await fails(source.write({ put: { 'b.md': '', [bad]: '' } }), 'invalid-path')
      await fails(source.write({ put: { 'b.md': '' }, remove: [bad] }), 'invalid-path')
    }
    expect(watching.asked).toEqual([])
    expect(await keysOf(watching.bucket)).toEqual(['a.md'])
  })

  it('a store keeps the files of replaced and removed skills, and sweep removes them by age', async () => {
    const bucket = await fresh()
    const store = skillStore(r2(bucket))
    await store.install({ 'a/SKILL.md': skill('a'), 'a/x.md': 'x', 'b/SKILL.md': skill('b') })
    const old = await openLibrary(r2(bucket))
    const before = await keysOf(bucket)
    await store.install({ 'a/SKILL.md': skill('a', 'Is new.') })
    await store.remove('b')
    expect((await keysOf(bucket)).filter(key => before.includes(key))).toEqual(before)
    // A reader of the old catalog still finds every file.
    expect((await old.get('b')).instructions).toBe('How to do b.')

    expect(await store.sweep({ olderThan: 3_600_000 })).toMatchObject({
      removed: [],
      kept: expect.any(Number),
    })
    const planned = await store.sweep({ olderThan: 0, dryRun: true })
    expect((await keysOf(bucket)).filter(key => before.includes(key))).toEqual(before)
    expect(planned.removed.length).toBeGreaterThan(4)
    expect(await store.sweep({ olderThan: 0 })).toEqual(planned)
    expect(await keysOf(bucket)).not.toEqual(expect.arrayContaining([planned.removed[0]]))
    expect(await unreadFiles(bucket)).toEqual([])
    const library = await openLibrary(r2(bucket))
    expect((await library.get('a')).description).toBe('Is new.')
    expect(await store.sweep({ olderThan: 0 })).toEqual({ removed: [], bytes: 0, kept: 0 })
  })

  it('sweep keeps archives that a well-known index names, and files that are not named by their digest', async () => {
    const site = await packFiles({ 'a/SKILL.md': skill('a'), 'a/x.md': 'x' }, 'memory', {
      wellKnown: true,
    })
    const others = { 'files/0123456789abcdef.md': 'another program', 'notes.md': 'mine' }
    const bucket = await fresh({ ...site, ...others })
    const { removed } = await skillStore(r2(bucket)).sweep({ olderThan: 0 })
    expect(removed).toEqual([])
    expect((await keysOf(bucket)).sort()).toEqual(
      [...Object.keys(site), ...Object.keys(others)].sort(),
    )
    expect(Object.keys(site).some(path => path.endsWith('.tgz'))).toBe(true)
  })

  it('sweep restores a file that another writer used again before the late delete', async () => {
    const watching = await counted()
    const files = { 'b/SKILL.md': skill('b'), 'b/x.md': 'of b' }
    const store = skillStore(r2(watching.bucket))
    await store.install({ 'a/SKILL.md': skill('a'), ...files })
    await store.remove('b')
    let deleted = 0
    watching.before = async call => {
      if (!call.startsWith('delete') || deleted++ > 0) return
      // The other writer commits after the sweep has checked the catalog.
      await skillStore(r2(watching.bucket)).install(files)
    }
    const { removed } = await store.sweep({ olderThan: 0 })
    watching.before = undefined
    expect(deleted).toBeGreaterThan(0)
    expect(removed.every(path => !path.endsWith('.md'))).toBe(true)
    const library = await openLibrary(r2(watching.bucket))
    expect((await library.read('b', 'x.md')).text).toBe('of b')
    expect((await library.get('a')).name).toBe('a')
  })

  it('a writer that uploaded before a sweep and commits after it uploads again', async () => {
    const watching = await counted()
    const files = { 'b/SKILL.md': skill('b'), 'b/x.md': 'of b' }
    const store = skillStore(r2(watching.bucket))
    await store.install({ 'a/SKILL.md': skill('a'), ...files })
    await store.remove('b')
    let swept = 0
    watching.before = async call => {
      if (call !== `put ${CATALOG_FILE}` || swept++ > 0) return
      const { removed } = await skillStore(r2(watching.bucket)).sweep({ olderThan: 0 })
      expect(removed.length).toBeGreaterThan(2)
    }
    expect(await store.install(files)).toMatchObject({ added: ['r2/b'] })
    watching.before = undefined
    const library = await openLibrary(r2(watching.bucket))
    expect((await library.read('b', 'x.md')).text).toBe('of b')
  })

  it('keepOld: false removes unused files, and none that another writer uses', async () => {
    const watching = await counted()
    const store = skillStore(r2(watching.bucket), { keepOld: false })
    const files = { 'b/SKILL.md': skill('b'), 'b/x.md': 'of b' }
    await store.install({ 'a/SKILL.md': skill('a'), ...files })
    let deleted = 0
    watching.before = async call => {
      if (call.startsWith('delete') && deleted++ === 0)
        await skillStore(r2(watching.bucket)).install(files)
    }
    await store.remove('b')
    watching.before = undefined
    expect(deleted).toBeGreaterThan(0)
    const library = await openLibrary(r2(watching.bucket))
    expect((await library.read('b', 'x.md')).text).toBe('of b')
    await store.remove('b')
    expect(await unreadFiles(watching.bucket)).toEqual([])
  })

  it('a writer that always loses ends with a conflict that says so', async () => {
    // The delay between two attempts is random, of up to two seconds.
    vi.spyOn(Math, 'random').mockReturnValue(0)
    onTestFinished(() => void vi.mocked(Math.random).mockRestore())
    const watching = await counted()
    let number = 0
    let attempts = 0
    watching.before = async call => {
      if (call !== `put ${CATALOG_FILE}`) return
      attempts++
      const current = await watching.inner.head(CATALOG_FILE)
      await watching.inner.put(CATALOG_FILE, await writeCatalog(emptyCatalog(`${number++}`)), {
        onlyIf: current ? { etagMatches: current.etag } : { etagDoesNotMatch: '*' },
      })
    }
    const installing = skillStore(r2(watching.bucket)).install({ 'a/SKILL.md': skill('a') })
    const message = expect.stringContaining(
      'r2 was not changed: other writers were faster 10 times',
    )
    await expect(installing).rejects.toMatchObject({
      code: 'conflict',
      message,
      details: { hint: 'try again' },
    })
    expect(attempts).toBe(10)
  })

  it('a write over the rate limit of R2 is retried', async () => {
    const watching = await counted()
    let refused = 0
    watching.before = call => {
      // R2 of miniflare has no rate limit. The message is that of R2.
      if (call === `put ${CATALOG_FILE}` && refused++ < 2)
        throw new Error('put: Reduce your concurrent request rate for the same object. (10058)')
    }
    const installed = await skillStore(r2(watching.bucket)).install({ 'a/SKILL.md': skill('a') })
    expect(installed.added).toEqual(['r2/a'])
  })

  it('files are stored with a media type that no browser runs', async () => {
    const watching = await counted()
    const page = '<script>alert(1)</script>'
    const paths = [
      'a.svg',
      'a.html',
      'a.xhtml',
      'a.xml',
      'a.shtml',
      'a.js',
      'a.rss',
      'a.png',
      CATALOG_FILE,
    ]
    await r2(watching.bucket).write({ put: Object.fromEntries(paths.map(path => [path, page])) })
    const options = watching.options as ({ httpMetadata?: { contentType: string } } | undefined)[]
    const types = options.flatMap(one => one?.httpMetadata?.contentType ?? [])
    expect(types.sort()).toEqual([
      'application/json',
      'image/png',
      ...Array(7).fill('text/plain; charset=utf-8'),
    ])
  })
}

function emptyCatalog(name: string): PackedCatalog {
  return { format: CATALOG_FORMAT, name, skills: [], segments: [], diagnostics: [] }
}
