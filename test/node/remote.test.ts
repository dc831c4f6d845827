import { describe, expect, it } from 'vitest'
import { isSkillshelfError } from '../../src/core/errors.js'
import { connectLibrary } from '../../src/exports/client.js'
import { cached } from '../../src/exports/index.js'
import type { LocalLibrary, SkillLibrary } from '../../src/library/api/skill-library.js'
import type { LibraryChange } from '../../src/library/catalog/catalog-entry.js'
import { openLibrary } from '../../src/library/open-library.js'
import { http } from '../../src/source/http/http.js'
import { memory } from '../../src/source/memory.js'
import { packedFiles } from '../packed-files.js'
import { librarySuite } from '../suites/library-suite.js'
import { skill, startHandler } from './remote-fixtures.js'

const FILES = {
  'tea/SKILL.md': skill('tea', 'Brews tea of any leaf.'),
  'tea/leaf.txt': 'green',
  'deck/SKILL.md': skill('deck', 'Makes slides for a talk.'),
}
/** Without retries a failure is immediate. */
const ONCE = { maxRetries: 0 }

async function connected(files: Record<string, string> = FILES) {
  const source = memory(files, { name: 'lab' })
  const local = await openLibrary(source)
  const server = await startHandler({ library: local, refreshAfter: 0 })
  const library = await connectLibrary(server.address, ONCE)
  const changes: LibraryChange[] = []
  library.on('change', change => changes.push(change))
  return {
    local,
    server,
    library,
    changes,
    /** Changes files of the source and refreshes the served library. */
    async change(put: Record<string, string>, remove: readonly string[] = []) {
      await source.write({ put, remove })
      await local.refresh()
    },
    /** Resolves with the next `change` event. */
    nextChange: () => new Promise<LibraryChange>(resolve => library.on('change', resolve)),
  }
}

describe('connectLibrary, server below a path', () => {
  for (const { name, run } of librarySuite(async files => {
    const { address } = await startHandler(
      { library: openLibrary(memory(files)) },
      { path: 'team/skills/' },
    )
    return connectLibrary(address)
  }))
    it(`[BY-7] ${name}`, run)
})

describe('remote library', () => {
  it('[BY-7] sends one request per call and caches opened skills', async () => {
    const { library, server } = await connected()
    expect(server.requests).toEqual(['GET /v1/library'])
    const tea = await library.get('tea')
    expect(await library.get('lab/tea')).toBe(tea)
    await library.list({ origins: ['lab'] })
    expect(server.requests.slice(1)).toEqual(['GET /v1/skills/lab%2Ftea'])
    await library.refresh()
    await library.match('brew some tea', { candidates: 3 })
    expect(server.requests.slice(2)).toEqual(['GET /v1/library', 'POST /v1/match'])
    expect(server.headers[2]?.['if-none-match']).toMatch(/^"/)
  })

  it('[BY-7] rejects invalid arguments and names that do not fit in a URL without a request', async () => {
    const { library, server } = await connected()
    await expect(library.match('tea', { threshold: 2 })).rejects.toMatchObject({
      code: 'invalid-input',
    })
    await expect(library.read('tea', '../deck/SKILL.md')).rejects.toMatchObject({
      code: 'invalid-path',
    })
    for (const name of ['', '.', '..', 'half \ud800', 'long'.repeat(501)])
      await expect(library.get(name)).rejects.toMatchObject({ code: 'skill-not-found' })
    expect(server.requests).toHaveLength(1)
  })

  it('[BY-7] throws the same errors as the served library', async () => {
    const files = {
      ...FILES,
      'a/notes/SKILL.md': skill('notes', 'A.'),
      'b/notes/SKILL.md': skill('notes', 'B.'),
    }
    const { library, local } = await connected(files)
    const calls: ((of: SkillLibrary) => Promise<unknown>)[] = [
      of => of.get('tee'),
      of => of.get('notes'),
      of => of.read('tea', './assets//leaf.txt'),
      of => of.read('tea', 'scripts/../../deck'),
      of => of.explain('tea', 'nothing'),
      of => of.search('tea', { limit: 0.5 }),
    ]
    const failureOf = async (call: Promise<unknown>) => {
      const error = await call.then(() => undefined).catch(error => error)
      const { status: _, ...data } = isSkillshelfError(error)
        ? error.toJSON()
        : { status: 0, code: String(error) }
      return data
    }
    for (const call of calls) {
      const data = await failureOf(call(local))
      expect(data).toHaveProperty('message')
      expect(await failureOf(call(library))).toEqual(data)
    }
  })

  it('[BY-7] cuts a long history and reports the limits of the server', async () => {
    const { library } = await connected()
    const history = [
      'coffee',
      ...Array.from({ length: 30 }, () => 'a word, '.repeat(3_000)),
      'green tea',
    ]
    expect((await library.search({ message: 'some more', history })).matches[0]?.name).toBe('tea')
    const tooLong = { code: 'invalid-input', details: { status: 400 } }
    await expect(library.match('tea'.repeat(5_000))).rejects.toMatchObject(tooLong)
    await expect(library.search('tea', { limit: 51 })).rejects.toMatchObject({
      code: 'invalid-input',
    })
  })

  it('[BY-7] opens a shadowed skill by its id', async () => {
    const one = memory({ 'tea/SKILL.md': skill('tea', 'Brews tea.') }, { name: 'one' })
    const two = memory({ 'tea/SKILL.md': skill('tea', 'Drinks tea.') }, { name: 'two' })
    const { address } = await startHandler({ library: openLibrary([one, two]) })
    const library = await connectLibrary(address)
    expect(library.snapshot.skills.map(({ id }) => id)).toEqual(['one/tea'])
    expect((await library.get('two/tea')).description).toBe('Drinks tea.')
    expect((await library.read('two/tea', 'SKILL.md')).text).toContain('Drinks')
  })
})

describe('remote library, changes on the server', () => {
  it('[BY-7] a response with another revision triggers a refresh and a change event', async () => {
    const { library, local, change, nextChange, server } = await connected()
    const put = {
      'tea/SKILL.md': skill('tea', 'Brews tea and mate.'),
      'gin/SKILL.md': skill('gin', 'Pours gin.'),
    }
    await change(put, ['deck/SKILL.md'])
    const changed = nextChange()
    const found = await library.search('pours gin')
    expect(found.revision).toBe(local.snapshot.revision)
    expect(found.matches[0]?.id).toBe('lab/gin')
    const { revision } = found
    expect(await changed).toEqual({
      revision,
      added: ['lab/gin'],
      changed: ['lab/tea'],
      removed: ['lab/deck'],
    })
    expect(library.snapshot).toEqual(local.snapshot)
    await library.search('pours gin')
    expect(server.requests.filter(one => one === 'GET /v1/library')).toHaveLength(2)
  })

  it('[BY-7] background refreshes are passed to waitUntil', async () => {
    const { local, server, change } = await connected()
    const works: Promise<unknown>[] = []
    const library = await connectLibrary(server.address, { waitUntil: work => works.push(work) })
    await change({ 'gin/SKILL.md': skill('gin', 'Pours gin.') })
    await library.match('gin')
    expect(works).toHaveLength(1)
    await works[0]
    expect(library.snapshot.revision).toBe(local.snapshot.revision)
  })

  it('[BY-7] get returns the current skill, and a removed skill is not found', async () => {
    const { library, change, nextChange } = await connected()
    await change({ 'tea/SKILL.md': skill('tea', 'Brews mate.') }, ['deck/SKILL.md'])
    let changed = nextChange()
    expect((await library.get('tea')).description).toBe('Brews mate.')
    await changed
    expect(library.snapshot.skills.map(({ description }) => description)).toEqual(['Brews mate.'])
    await change({}, ['tea/SKILL.md', 'tea/leaf.txt'])
    changed = nextChange()
    await expect(library.read('tea', 'leaf.txt')).rejects.toMatchObject({ code: 'skill-not-found' })
    expect((await changed).removed).toEqual(['lab/tea'])
    expect(library.snapshot.skills).toEqual([])
  })

  it('[BY-7] a skill with a new file is fetched again although its SKILL.md is unchanged', async () => {
    const { library, change, changes } = await connected()
    const before = await library.get('tea')
    await change({ 'tea/cup.txt': 'a cup' })
    await library.refresh()
    expect(changes).toHaveLength(1)
    const after = await library.get('tea')
    expect(after.digest).toBe(before.digest)
    expect(after.files.map(({ path }) => path)).toEqual(['cup.txt', 'leaf.txt'])
  })

  it('[BY-7] diagnostics of the server appear and disappear with a refresh', async () => {
    const { local } = await connected()
    const failure = {
      code: 'source-unreadable',
      severity: 'error',
      message: 'the disk is gone',
    } as const
    let { snapshot } = local
    const there: SkillLibrary = Object.create(local, { snapshot: { get: () => snapshot } })
    const { address } = await startHandler({ library: there, refreshAfter: 0 })
    const other = await connectLibrary(address)
    snapshot = { ...snapshot, diagnostics: [failure] }
    const opened = await other.get('tea')
    await other.refresh()
    expect(other.snapshot.diagnostics).toEqual([failure])
    expect(await other.get('tea')).toBe(opened)
    snapshot = local.snapshot
    await other.refresh()
    expect(other.snapshot).toEqual(local.snapshot)
  })

  it('[BY-7] concurrent refreshes share a request, and aborting one does not affect the others', async () => {
    const { library, server, change } = await connected()
    await change({ 'gin/SKILL.md': skill('gin', 'Pours gin.') })
    const abort = new AbortController()
    const refreshed = [
      library.refresh(),
      library.refresh({ signal: abort.signal }),
      library.refresh(),
    ]
    abort.abort()
    await expect(refreshed[1]).rejects.toMatchObject({ code: 'aborted', name: 'AbortError' })
    expect((await refreshed[0])?.added).toEqual(['lab/gin'])
    expect(await refreshed[2]).toBe(await refreshed[0])
    expect(server.requests.filter(one => one === 'GET /v1/library')).toHaveLength(2)
  })
})

describe('remote library, offline', () => {
  it('[BY-7] the last snapshot and opened skills stay available until the server is back', async () => {
    const { library, local, server } = await connected()
    const { snapshot } = library
    const tea = await library.get('tea')
    await server.stop()

    expect(await library.list()).toBe(snapshot.skills)
    expect(await library.get('tea')).toBe(tea)
    const unreachable = {
      code: 'source-failed',
      details: { hint: 'check the address, the network and CORS' },
    }
    for (const call of [
      () => library.match('tea'),
      () => library.explain('tea', 'tea'),
      () => library.get('deck'),
      () => library.read('tea', 'leaf.txt'),
      () => connectLibrary(server.address, ONCE),
    ])
      await expect(call()).rejects.toMatchObject(unreachable)
    expect(await library.refresh()).toEqual({
      revision: snapshot.revision,
      added: [],
      changed: [],
      removed: [],
    })
    const diagnostics = [{ code: 'source-unreadable', path: server.address }]
    expect(library.snapshot).toMatchObject({ skills: snapshot.skills, diagnostics })

    await startHandler(
      { library: local, refreshAfter: 0 },
      { port: Number(new URL(server.address).port) },
    )
    await library.refresh()
    expect(library.snapshot).toBe(snapshot)
    expect((await library.match('brews tea')).matches[0]?.id).toBe('lab/tea')
  })

  it('[BY-7] an offline copy of the packed files is matched', async () => {
    const files = await packedFiles(memory(FILES))
    const packed = memory(files, { name: 'lab' })
    const server = await startHandler({ library: openLibrary(packed), files: packed })
    const online = await connectLibrary(server.address)
    const store = memory()
    const offline = (): Promise<LocalLibrary> =>
      openLibrary(cached(http(server.address, ONCE), store))
    const first = await offline()
    const tea = await first.get('tea')
    await first.close()
    await server.stop()
    await expect(online.match('brews tea')).rejects.toMatchObject({ code: 'source-failed' })
    const library = await offline()
    const [best] = (await library.match('brews tea')).matches
    expect(best?.name).toBe('tea')
    expect(await library.get('tea')).toEqual(tea)
    await library.close()
  })
})
