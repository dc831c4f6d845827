import { describe, expect, it, vi } from 'vitest'
import { memoryEngine, openEngineLibrary, publishToEngine } from '../../src/exports/engine.js'
import { createHandler } from '../../src/exports/server.js'
import type { SkillEngine } from '../../src/server/engine/skill-engine.js'
import { memory } from '../../src/source/memory.js'
import type { SkillSource } from '../../src/source/source.js'
import { deferred } from '../deferred.js'
import { fails } from '../fails.js'
import { fakeTimers } from '../fake-timers.js'
import { skill } from '../skill-file.js'
import { beforeReads } from '../watch-reads.js'

const two = {
  'pdf/SKILL.md': skill('pdf', 'Reads PDF files.'),
  'chart/SKILL.md': skill('chart', 'Draws bar charts.'),
}

/** A source with a file that exists and cannot be read. */
const broken = (files: Readonly<Record<string, string>>, path: string) =>
  beforeReads(memory(files), wanted => {
    if (wanted === path) throw new Error('the disk failed')
  })

/** An engine and a store without skills, and how the library a is published to them. */
function nothing() {
  const [engine, files] = [memoryEngine(), memory()]
  return { engine, files, options: { engine, files, library: 'a' } }
}

const named = (library: string): SkillEngine => ({
  ...memoryEngine(),
  name: 'engine.example',
  library,
})

describe('publishing to an engine', () => {
  it('[BY-15] an empty library opens with allowEmpty and finds the first revision', async () => {
    const { engine, files } = nothing()
    // An engine has no collection before the first publish.
    const failing = { ...engine, candidates: () => Promise.reject(new Error('no collection')) }
    await fails(openEngineLibrary({ engine, files }), 'source-not-found')
    await using library = await openEngineLibrary({ engine: failing, files, allowEmpty: true })
    expect(await library.match('read a PDF')).toMatchObject({
      matches: [],
      abstained: 'empty-library',
    })
    expect([library.snapshot.total, await library.list(), library.snapshot.skills]).toEqual([
      0,
      [],
      [],
    ])
    await fails(library.get('pdf'), 'skill-not-found')
    expect(await library.refresh()).toMatchObject({ added: [] })
    failing.candidates = engine.candidates as never
    await publishToEngine(memory(two), { engine, files })
    expect((await library.refresh()).added).toEqual(['memory/chart', 'memory/pdf'])
    expect((await library.match('read a PDF file')).matches[0]?.name).toBe('pdf')
  })

  it('[BY-5] internal skills are published only if the caller says so', async () => {
    const { engine, files, options } = nothing()
    const release = skill('release', 'Releases it.', 'How.', 'metadata:\n  internal: true\n')
    const source = memory({ ...two, 'release/SKILL.md': release })
    const published = await publishToEngine(source, options)
    expect(published).toMatchObject({ skills: 2, added: 2 })
    expect(published.diagnostics).toMatchObject([
      { code: 'skill-internal', path: 'release/SKILL.md' },
    ])
    expect((await publishToEngine(source, { ...options, internal: true })).diagnostics).toEqual([])
    await using library = await openEngineLibrary({ engine, files })
    expect((await library.list()).map(({ name }) => name)).toEqual(['chart', 'pdf', 'release'])
    expect(await publishToEngine(source, options)).toMatchObject({ skills: 2, retired: 1 })
  })

  it('[BY-15] a dry run counts rows and writes nothing', async () => {
    const { engine, files, options } = nothing()
    const planned = await publishToEngine(memory(two), { ...options, dryRun: true })
    expect(planned).toMatchObject({ library: 'a', revision: 1, skills: 2, added: 2, retired: 0 })
    expect(await files.list?.()).toEqual([])
    await publishToEngine(memory(two), options)
    const before = await files.read('skillshelf.json')
    const changed = { 'pdf/SKILL.md': skill('pdf', 'Reads and signs PDF files.') }
    const next = await publishToEngine(memory(changed), { ...options, dryRun: true })
    expect(next).toMatchObject({ revision: 2, skills: 1, added: 1, retired: 2 })
    expect(await files.read('skillshelf.json')).toEqual(before)
    expect((await engine.scan({ limit: 10 })).rows.map(({ until }) => until)).toEqual([
      undefined,
      undefined,
    ])
  })

  it('[BY-15] complete refuses a source with an unreadable skill, and one without skills', async () => {
    const { engine, files, options: all } = nothing()
    const options = { ...all, complete: true }
    await publishToEngine(memory(two), options)
    const failed = publishToEngine(broken(two, 'pdf/SKILL.md'), options)
    await fails(failed, 'source-failed', 'the disk failed')
    await fails(publishToEngine(memory(), options), 'source-not-found')
    expect((await openEngineLibrary({ engine, files })).snapshot.total).toBe(2)
    const partly = await publishToEngine(broken(two, 'pdf/SKILL.md'), {
      ...options,
      complete: false,
    })
    expect(partly).toMatchObject({ skills: 1, retired: 1 })
  })

  it('[BY-15] an engine of another library is refused', async () => {
    const files = memory()
    const engine = named('a')
    await fails(publishToEngine(memory(two), { engine, files, library: 'b' }), 'invalid-input')
    expect((await publishToEngine(memory(two), { engine, files })).library).toBe('a')
    const message = expect.stringContaining(
      'holds the library a, but the engine engine.example searches b',
    )
    await expect(openEngineLibrary({ engine: named('b'), files })).rejects.toMatchObject({
      code: 'format',
      message,
    })
    expect((await openEngineLibrary({ engine, files })).snapshot.total).toBe(2)
  })

  it('[BY-15] a publish restores rows that the engine lost, and a head that the files lost', async () => {
    const { engine, files } = nothing()
    for (const description of ['Reads PDF files.', 'Signs PDF files.', 'Prints PDF files.'])
      await publishToEngine(memory({ 'pdf/SKILL.md': skill('pdf', description) }), {
        engine,
        files,
        library: 'a',
      })
    const last = memory({ 'pdf/SKILL.md': skill('pdf', 'Prints PDF files.') })
    const find = async (options: { engine: SkillEngine; files: SkillSource }) =>
      (await (await openEngineLibrary(options)).match('print a PDF file')).matches[0]?.name

    const fresh = memoryEngine()
    expect(await publishToEngine(last, { engine: fresh, files, library: 'a' })).toMatchObject({
      revision: 4,
      added: 1,
    })
    expect(await find({ engine: fresh, files })).toBe('pdf')
    expect(await publishToEngine(last, { engine: fresh, files, library: 'a' })).toMatchObject({
      revision: 4,
      added: 0,
    })

    const empty = memory()
    expect(await publishToEngine(last, { engine, files: empty, library: 'a' })).toMatchObject({
      revision: 1,
      added: 1,
    })
    expect(await find({ engine, files: empty })).toBe('pdf')
  })

  it('[BY-15] a server that was idle for half an hour answers from the current revision', async () => {
    const { engine, files } = nothing()
    await publishToEngine(memory(two), { engine, files, library: 'a' })
    const handler = createHandler({
      library: openEngineLibrary({ engine, files }),
      engine: { library: 'a', files },
    })
    const find = async () => {
      const response = await handler.fetch(
        new Request('http://localhost/v1/match?message=draw+a+bar+chart'),
      )
      const { matches } = (await response.json()) as { matches: { name: string }[] }
      return matches.map(({ name }) => name)
    }
    expect(await find()).toEqual(['chart'])
    const now = Date.now()
    fakeTimers({ toFake: ['Date'], now })
    await publishToEngine(memory({ 'pdf/SKILL.md': two['pdf/SKILL.md'] }), {
      engine,
      files,
      library: 'a',
    })
    expect(await find()).toEqual(['chart'])
    vi.setSystemTime(now + 31 * 60_000)
    expect(await find()).toEqual([])
  })

  /** An engine whose next call of a method waits before it reaches the rows. */
  function pausing(engine: SkillEngine, method: 'put' | 'retire') {
    const reached = deferred()
    const resumed = deferred()
    let isFirst = true
    const paused = async (...call: never[]) => {
      if (isFirst) {
        isFirst = false
        reached.resolve()
        await resumed.promise
      }
      return (engine[method] as (...call: never[]) => Promise<void>)(...call)
    }
    return {
      engine: { ...engine, [method]: paused } as SkillEngine,
      reached: reached.promise,
      resume: resumed.resolve,
    }
  }
  function many(count: number, verb: string): Record<string, string> {
    const numbers = Array.from({ length: count }, (_, index) => index)
    const file = (at: number) => skill(`${verb}-${at}`, `Knows how to ${verb} number ${at}.`)
    return Object.fromEntries(numbers.map(at => [`${verb}-${at}/SKILL.md`, file(at)]))
  }

  it.each(['put', 'retire'] as const)(
    '[BY-15] a publisher that slept an hour in %s and was taken over leaves no rows to readers, and fails',
    async method => {
      const { engine, files, options } = nothing()
      const shared = many(5, 'share')
      await publishToEngine(memory({ ...shared, ...many(2, 'age') }), options)
      const paused = pausing(engine, method)
      const sleeping = memory({ ...shared, ...many(13, 'sleep') })
      const slow = publishToEngine(sleeping, { ...options, engine: paused.engine })
      const failed = expect(slow).rejects.toMatchObject({ code: 'conflict' })
      await paused.reached
      const next = memory({ ...shared, ...many(15, 'wake') })
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_700_000 })
      try {
        expect(await publishToEngine(next, options)).toMatchObject({ revision: 2, skills: 20 })
        paused.resume()
        await failed
      } finally {
        vi.useRealTimers()
      }
      const names = async () => {
        await using library = await openEngineLibrary({ engine, files })
        return (await library.list()).map(({ name }) => name)
      }
      const expected = Object.keys({ ...shared, ...many(15, 'wake') }).map(
        path => path.split('/')[0],
      )
      expect((await names()).sort()).toEqual(expected.sort())
      // Publishing the same again removes what the slow one left.
      await publishToEngine(next, options)
      expect((await names()).sort()).toEqual(expected)
      const current = (await engine.scan({ limit: 99 })).rows.filter(
        ({ until }) => until === undefined,
      )
      expect(current).toHaveLength(20)
      expect(await publishToEngine(next, options)).toMatchObject({ added: 0, retired: 0 })
    },
  )

  it('[BY-15] publishing the same again restores rows that were lost, and removes others', async () => {
    const { engine, options } = nothing()
    await publishToEngine(memory(two), options)
    const [lost, hidden] = (await engine.scan({ limit: 9 })).rows.map(({ row }) => row)
    await engine.remove([lost as string])
    await engine.retire([hidden as string], 1)
    expect(await publishToEngine(memory(two), options)).toMatchObject({ revision: 2, added: 2 })
    await using library = await openEngineLibrary(options)
    expect(library.snapshot.skills).toHaveLength(2)
  })

  it.each([
    ['a day ahead', 86_400_000],
    ['ten years ahead', 315_360_000_000],
    ['a day behind', -86_400_000],
  ])('[BY-15] an interrupted publish of a clock %s is taken over', async (_, offset) => {
    const { engine, options } = nothing()
    const stop = new AbortController()
    const stopped = { ...engine, put: async () => stop.abort() }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offset })
    await fails(
      publishToEngine(memory(two), { ...options, engine: stopped, signal: stop.signal }),
      'aborted',
    )
    vi.useRealTimers()
    const other = memory({ 'tea/SKILL.md': skill('tea', 'Brews tea.') })
    expect(await publishToEngine(other, options)).toMatchObject({ revision: 1, skills: 1 })
  })
})
