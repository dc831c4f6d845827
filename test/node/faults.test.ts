import { createHash } from 'node:crypto'
import { chmod, rm, utimes, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { cached, http, type LocalLibrary, memory, openLibrary } from '../../src/exports/index.js'
import { directory } from '../../src/source/directory/directory.js'
import { temporaryFolder } from '../folders.js'
import { type Files, packedFiles } from '../packed-files.js'
import { skill } from '../skill-file.js'
import { startHttpServer } from './http-server.js'

const packed = (files: Files) => packedFiles(memory(files, { name: 'site' }))

/** A static host with ETags, whose files change as a deployment goes on. */
async function site(start: Files) {
  const world = {
    files: start,
    asked: [] as string[],
    address: '',
    answer: undefined as
      | ((request: IncomingMessage, response: ServerResponse) => boolean)
      | undefined,
    library: (): Promise<LocalLibrary> =>
      openLibrary(http(world.address, { name: 'site', maxRetries: 0 })),
  }
  const server = await startHttpServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '').slice(1))
    world.asked.push(path)
    if (world.answer?.(request, response)) return
    const content = world.files[path]
    if (content === undefined) return void response.writeHead(404).end()
    const etag = `"${createHash('sha1').update(content).digest('hex')}"`
    if (request.headers['if-none-match'] === etag)
      return void response.writeHead(304, { etag }).end()
    response.writeHead(200, { etag }).end(content)
  })
  return Object.assign(world, { address: server.address })
}

const names = async (library: LocalLibrary): Promise<string[]> =>
  (await library.list()).map(({ name }) => name)
const codes = (library: LocalLibrary): string[] =>
  library.snapshot.diagnostics.map(({ code }) => code)
const isSegment = (path: string): boolean => path.endsWith('.seg')

describe('a catalog that does not match its segments', () => {
  const OLD = { 'a/SKILL.md': skill('a'), 'b/SKILL.md': skill('b'), 'b/x.txt': 'old' }
  const NEW = { 'a/SKILL.md': skill('a', 'Changed.'), 'c/SKILL.md': skill('c'), 'c/x.txt': 'new' }

  it('[BY-5] [AC-5] a new catalog without its segment keeps the old library until the segment arrives', async () => {
    const [before, after] = [await packed(OLD), await packed(NEW)]
    const segment = Object.keys(after).find(isSegment) as string
    const host = await site(before)
    await using library = await host.library()
    const { revision } = library.snapshot
    for (const half of [
      { ...before, 'skillshelf.json': after['skillshelf.json'] as Uint8Array },
      { ...before, ...after, [segment]: (after[segment] as Uint8Array).slice(0, -9) },
      {
        ...before,
        ...after,
        [segment]: before[Object.keys(before).find(isSegment) as string] as Uint8Array,
      },
    ]) {
      host.files = half
      expect(await library.refresh()).toMatchObject({ added: [], changed: [], removed: [] })
      expect([await names(library), codes(library)]).toEqual([['a', 'b'], ['source-unreadable']])
      expect(library.snapshot.diagnostics[0]?.message).toContain(segment)
      expect((await library.match('do b', { threshold: 0 })).matches[0]?.name).toBe('b')
    }
    host.files = after
    expect(await library.refresh()).toMatchObject({
      added: ['site/c'],
      changed: ['site/a'],
      removed: ['site/b'],
    })
    expect([library.snapshot.revision !== revision, codes(library)]).toEqual([true, []])
    expect((await library.read('c', 'x.txt')).text).toBe('new')
  })

  it('[BY-5] [AC-5] an incomplete library opens empty with one diagnostic and appears once complete', async () => {
    const after = await packed(NEW)
    const segment = Object.keys(after).find(isSegment) as string
    const { [segment]: _, ...half } = after
    const host = await site(half)
    await using library = await host.library()
    expect([await names(library), codes(library)]).toEqual([[], ['source-unreadable']])
    expect(library.snapshot.diagnostics[0]?.message).toContain(segment)
    host.files = after
    expect((await library.refresh()).added).toEqual(['site/a', 'site/c'])
    expect(codes(library)).toEqual([])
  })

  it('[BY-5] [AC-5] an old catalog with removed files serves cached skills; others are one clear error', async () => {
    const after = await packed(NEW)
    const host = await site(await packed(OLD))
    await using library = await host.library()
    expect((await library.get('a')).description).toBe('Does a.')
    host.files = after
    expect((await library.match('do b', { threshold: 0 })).matches[0]?.name).toBe('b')
    expect((await library.get('a')).description).toBe('Does a.')
    // Its files are gone, so the library looks for a new catalog, which says so.
    await expect(library.get('b')).rejects.toMatchObject({ code: 'skill-not-found' })
    expect((await library.get('a')).description).toBe('Changed.')
    // A catalog out of some cache of the network, beside files of the new one.
    host.files = {
      ...after,
      'skillshelf.json': (await packed(OLD))['skillshelf.json'] as Uint8Array,
    }
    await library.refresh()
    expect([await names(library), codes(library)]).toEqual([['a', 'c'], ['source-unreadable']])
  })
})

describe('a host that is down', () => {
  it('[AC-5] half a response or an HTML page at a refresh keeps the skills', async () => {
    const host = await site(await packed({ 'a/SKILL.md': skill('a') }))
    await using library = await host.library()
    await library.get('a')
    const after = await packed({ 'b/SKILL.md': skill('b') })
    const answering = (type: string, text: string) => (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': type }).end(text)
    for (const answer of [
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '5000' }).write('{"format":"skillshelf/1"')
        setImmediate(() => response.destroy())
      },
      answering('text/html', '<!doctype html><p>Sign in'),
      answering('application/json', '{"format":"skillshelf/1","skills":['),
    ]) {
      host.answer = (_, response) => {
        answer(response)
        return true
      }
      await library.refresh()
      expect(await names(library)).toEqual(['a'])
      expect(codes(library)).toHaveLength(1)
      expect((await library.get('a')).instructions).toBe('How to do a.')
    }
    host.answer = undefined
    host.files = after
    expect(await library.refresh()).toMatchObject({ added: ['site/b'], removed: ['site/a'] })
    expect(codes(library)).toEqual([])
  })
})

describe('names that differ only in case or Unicode form', () => {
  const folders = ['Tea', 'tea', 'caf\u00e9', 'cafe\u0301']
  const tree = Object.fromEntries(
    folders.flatMap(at => [
      [`${at}/SKILL.md`, skill(at)],
      ...['X.md', 'x.md', '\u00fc.md', 'u\u0308.md'].map(file => [
        `${at}/${file}`,
        `${at} ${file}`,
      ]),
    ]),
  )

  const same = async (library: LocalLibrary, name: string): Promise<void> => {
    expect((await library.list()).map(({ id }) => id).sort()).toEqual(
      folders.map(at => `${name}/${at}`).sort(),
    )
    for (const [path, text] of Object.entries(tree)) {
      const [at = '', file = ''] = path.split('/')
      expect((await library.read(`${name}/${at}`, file)).text).toBe(text)
    }
    await expect(library.get('TEA')).rejects.toMatchObject({ code: 'ambiguous-name' })
  }

  it('[BY-9] are separate skills in a folder on a case-sensitive disk, and in its packed library', async context => {
    const root = temporaryFolder(tree)
    const kept = (await directory(root).list?.())?.length === Object.keys(tree).length
    context.skip(!kept, 'this disk takes names for the same that differ in case or Unicode form')
    await using library = await openLibrary(directory(root, { name: 'mine' }))
    await same(library, 'mine')
    const shelf = temporaryFolder(await packed(tree))
    await using other = await openLibrary(directory(shelf, { name: 'mine' }))
    await same(other, 'mine')
  })
})

describe('a clock that runs backwards', () => {
  afterEach(() => vi.useRealTimers())

  it('[AC-6] a file with an older time than before counts as changed', async () => {
    const root = temporaryFolder({ 'a/SKILL.md': skill('a', 'One.'), 'a/x.md': 'one' })
    const future = new Date('2036-01-01T00:00:00Z')
    for (const path of ['a/SKILL.md', 'a/x.md']) await utimes(join(root, path), future, future)
    await using library = await openLibrary(directory(root, { name: 'mine' }))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2001-01-01T00:00:00Z') })
    const past = new Date('2000-01-01T00:00:00Z')
    await writeFile(join(root, 'a/SKILL.md'), skill('a', 'Two.'))
    await utimes(join(root, 'a/SKILL.md'), past, past)
    expect((await library.refresh()).changed).toEqual(['mine/a'])
    expect((await library.get('a')).description).toBe('Two.')
    // The time of the last change to the file's place comes from the real clock: no test sets that back.
    await writeFile(join(root, 'a/x.md'), 'two')
    await utimes(join(root, 'a/x.md'), past, past)
    await library.refresh()
    expect((await library.read('a', 'x.md')).text).toBe('two')
  })

  it('[BY-6] in a page or on a host does not affect a refresh, which compares versions', async () => {
    const dates = [
      'Fri, 01 Feb 2036 00:00:00 GMT',
      'Sat, 01 Jan 2000 00:00:00 GMT',
      'Tue, 01 Jan 2030 00:00:00 GMT',
    ]
    const words = ['One.', 'Two.', 'Three.']
    const contents = await Promise.all(
      words.map(word => packed({ 'a/SKILL.md': skill('a', word) })),
    )
    const host = await site(contents[0] as Files)
    let deployed = 0
    host.answer = (_, response) => {
      response.setHeader('last-modified', dates[deployed] as string)
      response.setHeader('date', dates[deployed] as string)
      return false
    }
    const store = memory()
    await using library = await openLibrary(cached(http(host.address, { name: 'site' }), store))
    expect((await library.get('a')).description).toBe('One.')
    for (deployed of [1, 2]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`20${10 - deployed}-01-01T00:00:00Z`) })
      host.files = contents[deployed] as Files
      expect((await library.refresh()).changed).toEqual(['site/a'])
      expect((await library.get('a')).description).toBe(['One.', 'Two.', 'Three.'][deployed])
      host.asked.length = 0
      expect((await library.refresh()).changed).toEqual([])
      expect(host.asked).toEqual(['skillshelf.json'])
    }
  })

  it('[AC-5] does not affect Retry-After, which counts by the clock of the host', async () => {
    const host = await site(await packed({ 'a/SKILL.md': skill('a') }))
    let busy = 1
    host.answer = (_, response) => {
      if (busy-- <= 0) return false
      const now = 'Thu, 01 Jan 2026 12:00:00 GMT'
      response.writeHead(503, { date: now, 'retry-after': now }).end()
      return true
    }
    // By the clock of this computer that would be in ten years.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2016-01-01T00:00:00Z') })
    await using library = await openLibrary(http(host.address, { name: 'site', backoff: 0 }))
    expect([await names(library), codes(library)]).toEqual([['a'], []])
  })
})

const root = process.getuid?.() === 0
const NOBODY = 65_534

/** Runs as somebody who may not read everything, also where the tests may. */
async function asNobody(work: () => Promise<void>): Promise<void> {
  if (!root) return work()
  process.seteuid?.(NOBODY)
  try {
    await work()
  } finally {
    process.seteuid?.(0)
  }
}

it.skipIf(process.platform === 'win32')(
  '[AC-5] [BY-6] a folder reports unreadable files, keeps their last version, and reads them again later',
  async () => {
    const files = Object.fromEntries(['a', 'b', 'c'].map(name => [`${name}/SKILL.md`, skill(name)]))
    const at = temporaryFolder({ ...files, 'c/x.md': 'x' })
    for (const path of ['', 'a', 'b', 'c']) await chmod(join(at, path), 0o755)
    await using before = await openLibrary(directory(at, { name: 'mine' }))
    await using copy = await openLibrary(cached(directory(at, { name: 'mine' }), memory()))
    const all = [await names(before), await names(copy)]
    for (const listed of all) expect(listed).toEqual(['a', 'b', 'c'])
    if (!root) onTestFinished(() => chmod(join(at, 'b'), 0o755))
    await chmod(join(at, 'b'), 0)
    await chmod(join(at, 'c/SKILL.md'), 0)
    await asNobody(async () => {
      await using library = await openLibrary(directory(at, { name: 'mine' }))
      expect(await names(library)).toEqual(['a'])
      expect(library.snapshot.diagnostics).toMatchObject([
        { code: 'skill-unreadable', path: 'b', message: expect.stringContaining('EACCES') },
        {
          code: 'skill-unreadable',
          path: 'c/SKILL.md',
          message: expect.stringContaining('EACCES'),
        },
      ])
      for (const held of [before, copy]) {
        expect(await held.refresh()).toMatchObject({ added: [], changed: [], removed: [] })
        expect((await held.match('do b', { threshold: 0 })).matches[0]?.name).toBe('b')
      }
      expect([await names(before), await names(copy)]).toEqual(all)
      expect(codes(before)).toEqual(['skill-unreadable', 'skill-unreadable'])
      await expect(directory(at).read('c/SKILL.md')).rejects.toMatchObject({
        code: 'source-failed',
      })
    })
    await chmod(join(at, 'b'), 0o755)
    await chmod(join(at, 'c/SKILL.md'), 0o644)
    for (const held of [before, copy]) {
      await held.refresh()
      expect([await names(held), codes(held)]).toEqual([['a', 'b', 'c'], []])
    }
    // What is gone is gone.
    await rm(join(at, 'b'), { recursive: true })
    for (const held of [before, copy]) expect((await held.refresh()).removed).toEqual(['mine/b'])
  },
)
