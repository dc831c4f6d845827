import { expect, it, vi } from 'vitest'
import { type R2BucketLike, r2 } from '../../src/exports/cloudflare.js'
import { openLibrary } from '../../src/library/open-library.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import { deferred } from '../deferred.js'
import { packFiles } from '../packed-files.js'
import { filling, keysOf, manySkills, skill } from './r2-world.js'

/** A packed library in R2: number of reads, and reads during publishing. */
export function packedCases(open: () => Promise<R2BucketLike>): void {
  const { counted } = filling(open)

  it.each([3, 60])(
    'library of %i skills opens with two reads and refreshes with one',
    async count => {
      const files = Object.entries(await packFiles(manySkills(count)))
      const opened = Object.fromEntries(files.filter(([path]) => !path.startsWith('files/')))
      const watching = await counted(opened, 'lib/')
      const library = await openLibrary(r2(watching.bucket, { prefix: 'lib/' }))
      expect(library.snapshot.skills.length).toBe(count)
      const opening = watching.since()
      expect(opening).toEqual([
        'get lib/skillshelf.json',
        expect.stringMatching(/^get lib\/[0-9a-f]{16}\.seg$/),
      ])
      const { matches } = await library.match('case 2 of the paperwork', { threshold: 0 })
      expect(matches.length).toBeGreaterThan(0)
      expect(watching.since()).toEqual([])
      await library.refresh()
      expect(watching.options).toEqual([{ onlyIf: { etagDoesNotMatch: expect.any(String) } }])
      expect(watching.since()).toEqual(['get lib/skillshelf.json'])
    },
  )

  it('[BY-16] files that R2 has checked are not hashed again, and others are', async () => {
    const watching = await counted()
    const files = await packFiles(manySkills(3))
    await r2(watching.bucket).write({ put: files })
    const hashed = vi.spyOn(crypto.subtle, 'digest')
    try {
      await openLibrary(r2(watching.bucket), { strict: true })
      expect(hashed).not.toHaveBeenCalled()
      // An upload by another tool has no SHA-256.
      for (const [path, bytes] of Object.entries(files)) await watching.bucket.put(path, bytes)
      await openLibrary(r2(watching.bucket), { strict: true })
      expect(hashed).toHaveBeenCalledTimes(2)
    } finally {
      hashed.mockRestore()
    }
  })

  it('[BY-22] a packed file with the SHA-256 of other bytes is refused', async () => {
    const watching = await counted()
    const files = await packFiles(manySkills(3))
    const segment = Object.keys(files).find(path => path.endsWith('.seg')) as string
    const other = (files[segment] as Uint8Array<ArrayBuffer>).slice()
    other[other.length - 1] = (other[other.length - 1] as number) ^ 1
    await r2(watching.bucket).write({ put: { ...files, [segment]: other } })
    await expect(openLibrary(r2(watching.bucket), { strict: true })).rejects.toMatchObject({
      code: 'source-failed',
    })
  })

  it('readers see the old or the new library during publishing', async () => {
    const watching = await counted()
    const source = r2(watching.bucket)
    const version = (description: string, x: string) => ({
      'a/SKILL.md': skill('a', description),
      'a/x.md': x,
    })
    const first = await packFiles({
      ...version('Writes invoices.', 'one'),
      'b/SKILL.md': skill('b'),
    })
    const second = await packFiles({
      ...version('Books flights.', 'two'),
      'c/SKILL.md': skill('c'),
    })
    await source.write({ put: first })
    const library = await openLibrary(r2(watching.bucket))
    const shown = async () => ({
      names: library.snapshot.skills.map(({ name }) => name),
      found: (await library.search('invoices flights')).matches.map(({ reason }) => reason),
      x: (await library.read('a', 'x.md')).text,
    })
    const before = await shown()
    expect(before).toMatchObject({ names: ['a', 'b'], x: 'one' })

    // Paused before the catalog: all content is written.
    const [reached, published] = [deferred(), deferred()]
    watching.before = async call => {
      if (call !== `put ${CATALOG_FILE}`) return
      reached.resolve()
      await published.promise
    }
    const writing = source.write({ put: second })
    await reached.promise
    expect((await library.refresh()).changed).toEqual([])
    expect(await shown()).toEqual(before)
    expect((await openLibrary(r2(watching.bucket))).snapshot).toEqual(library.snapshot)
    published.resolve()
    await writing

    // Published but not refreshed: the old library is still readable.
    expect((await library.get('b')).instructions).toBe('How to do b.')
    expect(await shown()).toEqual(before)
    watching.since()
    const change = await library.refresh()
    expect(watching.since().length).toBe(2)
    expect(change).toMatchObject({ added: ['r2/c'], changed: ['r2/a'], removed: ['r2/b'] })
    expect(await shown()).toMatchObject({ names: ['a', 'c'], x: 'two' })
    expect((await library.search('flights')).matches[0]?.name).toBe('a')

    // Files of the old catalog are removed in a later write.
    await source.write({ remove: Object.keys(first).filter(path => !(path in second)) })
    expect((await keysOf(watching.bucket)).sort()).toEqual(Object.keys(second).sort())
    expect((await library.get('c')).instructions).toBe('How to do c.')
  })
}
