import { describe, expect, it, vi } from 'vitest'
import {
  createHandler,
  memoryEngine,
  openEngineLibrary,
  publishToEngine,
  type SkillEngine,
} from '../../src/exports/server.js'
import { memory } from '../../src/source/memory.js'
import type { SkillSource } from '../../src/source/source.js'

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`
const two = {
  'pdf/SKILL.md': skill('pdf', 'Reads PDF files.'),
  'chart/SKILL.md': skill('chart', 'Draws bar charts.'),
}

/** A source with a file that exists and cannot be read. */
function broken(files: Readonly<Record<string, string>>, path: string): SkillSource {
  const source = memory(files)
  return {
    ...source,
    async read(wanted, options) {
      if (wanted === path) throw new Error('the disk failed')
      return source.read(wanted, options)
    },
  }
}

const named = (library: string): SkillEngine => ({ ...memoryEngine(), name: 'engine.example', library })

describe('publishing to an engine', () => {
  it('[BY-15] an empty library opens with allowEmpty and finds the first revision', async () => {
    const engine = memoryEngine()
    const files = memory()
    // An engine has no collection before the first publish.
    const failing = { ...engine, candidates: () => Promise.reject(new Error('no collection')) }
    await expect(openEngineLibrary({ engine, files })).rejects.toMatchObject({ code: 'source-not-found' })
    await using library = await openEngineLibrary({ engine: failing, files, allowEmpty: true })
    expect(await library.match('read a PDF')).toMatchObject({ matches: [], abstained: 'empty-library' })
    expect([library.count, await library.list(), library.snapshot.skills]).toEqual([0, [], []])
    await expect(library.get('pdf')).rejects.toMatchObject({ code: 'skill-not-found' })
    expect(await library.refresh()).toMatchObject({ added: [] })
    failing.candidates = engine.candidates as never
    await publishToEngine(memory(two), { engine, files })
    expect((await library.refresh()).added).toEqual(['memory/chart', 'memory/pdf'])
    expect((await library.match('read a PDF file')).matches[0]?.name).toBe('pdf')
  })

  it('[BY-15] a dry run counts rows and writes nothing', async () => {
    const engine = memoryEngine()
    const files = memory()
    const options = { engine, files, library: 'a' }
    expect(await publishToEngine(memory(two), { ...options, dryRun: true })).toMatchObject({
      library: 'a',
      revision: 1,
      skills: 2,
      added: 2,
      retired: 0,
    })
    expect(await files.list?.()).toEqual([])
    await publishToEngine(memory(two), options)
    const before = await files.read('skillshelf.json')
    const changed = { 'pdf/SKILL.md': skill('pdf', 'Reads and signs PDF files.') }
    expect(await publishToEngine(memory(changed), { ...options, dryRun: true })).toMatchObject({
      revision: 2,
      skills: 1,
      added: 1,
      retired: 2,
    })
    expect(await files.read('skillshelf.json')).toEqual(before)
    expect((await engine.scan({ limit: 10 })).rows.map(({ until }) => until)).toEqual([undefined, undefined])
  })

  it('[BY-15] complete refuses a source with an unreadable skill, and one without skills', async () => {
    const engine = memoryEngine()
    const files = memory()
    const options = { engine, files, library: 'a', complete: true }
    await publishToEngine(memory(two), options)
    await expect(publishToEngine(broken(two, 'pdf/SKILL.md'), options)).rejects.toMatchObject({
      code: 'source-failed',
      message: expect.stringContaining('the disk failed'),
    })
    await expect(publishToEngine(memory(), options)).rejects.toMatchObject({ code: 'source-not-found' })
    expect((await openEngineLibrary({ engine, files })).count).toBe(2)
    expect(await publishToEngine(broken(two, 'pdf/SKILL.md'), { ...options, complete: false })).toMatchObject({
      skills: 1,
      retired: 1,
    })
  })

  it('[BY-15] an engine of another library is refused', async () => {
    const files = memory()
    const engine = named('a')
    await expect(publishToEngine(memory(two), { engine, files, library: 'b' })).rejects.toMatchObject({
      code: 'invalid-input',
    })
    expect((await publishToEngine(memory(two), { engine, files })).library).toBe('a')
    await expect(openEngineLibrary({ engine: named('b'), files })).rejects.toMatchObject({
      code: 'format',
      message: expect.stringContaining('holds the library a, but the engine engine.example searches b'),
    })
    expect((await openEngineLibrary({ engine, files })).count).toBe(2)
  })

  it('[BY-15] a publish restores rows that the engine lost, and a head that the files lost', async () => {
    const engine = memoryEngine()
    const files = memory()
    for (const description of ['Reads PDF files.', 'Signs PDF files.', 'Prints PDF files.'])
      await publishToEngine(memory({ 'pdf/SKILL.md': skill('pdf', description) }), { engine, files, library: 'a' })
    const last = memory({ 'pdf/SKILL.md': skill('pdf', 'Prints PDF files.') })
    const find = async (options: { engine: SkillEngine; files: SkillSource }) =>
      (await (await openEngineLibrary(options)).match('print a PDF file')).matches[0]?.name

    const fresh = memoryEngine()
    expect(await publishToEngine(last, { engine: fresh, files, library: 'a' })).toMatchObject({ revision: 4, added: 1 })
    expect(await find({ engine: fresh, files })).toBe('pdf')
    expect(await publishToEngine(last, { engine: fresh, files, library: 'a' })).toMatchObject({ revision: 4, added: 0 })

    const empty = memory()
    expect(await publishToEngine(last, { engine, files: empty, library: 'a' })).toMatchObject({ revision: 1, added: 1 })
    expect(await find({ engine, files: empty })).toBe('pdf')
  })

  it('[BY-15] a server that was idle for half an hour answers from the current revision', async () => {
    const engine = memoryEngine()
    const files = memory()
    await publishToEngine(memory(two), { engine, files, library: 'a' })
    const handler = createHandler({
      library: openEngineLibrary({ engine, files }),
      engine: { library: 'a', files },
    })
    const find = async () => {
      const response = await handler.fetch(new Request('http://localhost/v1/match?message=draw+a+bar+chart'))
      const { matches } = (await response.json()) as { matches: { name: string }[] }
      return matches.map(({ name }) => name)
    }
    expect(await find()).toEqual(['chart'])
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now })
    try {
      await publishToEngine(memory({ 'pdf/SKILL.md': two['pdf/SKILL.md'] }), { engine, files, library: 'a' })
      expect(await find()).toEqual(['chart'])
      vi.setSystemTime(now + 31 * 60_000)
      expect(await find()).toEqual([])
    } finally {
      vi.useRealTimers()
    }
  })
})
