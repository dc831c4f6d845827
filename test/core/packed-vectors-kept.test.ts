import { describe, expect, it } from 'vitest'
import type { Progress } from '../../src/core/progress.js'
import { cached, memory, openLibrary } from '../../src/exports/index.js'
import { skillStore } from '../../src/exports/store.js'
import { readCatalog } from '../../src/library/catalog/packed-catalog.js'
import { readPackedVectors } from '../../src/search/index/packed-vectors.js'
import type { Embedder } from '../../src/search/model/skill-model.js'
import type { SkillSource } from '../../src/source/source.js'
import { fails } from '../fails.js'
import { packFiles } from '../packed-files.js'
import {
  FILES,
  fileOf,
  type Packed,
  packed,
  RIGHT,
  skill,
  upgrade,
  visit,
} from './packed-vectors-world.js'
import { toy } from './toy-embedder.js'

describe('packing', () => {
  it('[BY-35] reports skills that are embedded, closes a model that it loaded, and can be aborted', async () => {
    const model = toy()
    const seen: Progress[] = []
    await packFiles(FILES, 'skills', {
      encoder: async ({ onProgress } = {}) => {
        onProgress?.({ phase: 'load', done: 1, total: 2 })
        return model
      },
      onProgress: progress => seen.push(progress),
    })
    expect(seen.filter(({ phase }) => phase === 'load' || phase === 'embed')).toEqual([
      { phase: 'load', done: 1, total: 2 },
      ...[1, 2, 3].map(done => ({ phase: 'embed', done, total: 3 })),
    ])
    expect(model.closed).toBe(true)

    const abort = new AbortController()
    const other = toy()
    const aborting = packFiles(FILES, 'skills', {
      encoder: other,
      signal: abort.signal,
      onProgress: ({ phase, done }) => phase === 'embed' && done === 1 && abort.abort(),
    })
    await fails(aborting, 'aborted')
    expect([other.read.document.length, other.closed]).toEqual([1, false])
  })

  it('[BY-35] stops with a model that is broken, and writes nothing', async () => {
    const broken: Partial<Embedder>[] = [
      { embed: async texts => new Float32Array(texts.length * 8) },
      { embed: async texts => new Float32Array(texts.length * 8).fill(Number.NaN) },
      { embed: async () => new Float32Array(3) },
      { dimensions: 12 },
    ]
    for (const more of broken)
      await fails(packFiles(FILES, 'skills', { encoder: toy(more) }), 'model-failed')
  })

  it('[BY-35] changes neither the segment nor the bytes of the skills', async () => {
    const { files } = await packed()
    const without = await packFiles(FILES, 'skills')
    const { [fileOf(files)]: vectors, 'skillshelf.json': _, ...rest } = files
    const { 'skillshelf.json': __, ...plain } = without
    expect(rest).toEqual(plain)
    expect(vectors?.length).toBeGreaterThan(3 * (8 + 4 + 8))
  })
})

describe('a store', () => {
  const read = async (source: SkillSource, path: string): Promise<Packed[string]> =>
    ((await source.read(path)) as { bytes: Packed[string] }).bytes
  /** The files of vectors. Each has one for every skill of its segment. */
  const namedIn = async (source: SkillSource): Promise<string[]> => {
    const { segments } = await readCatalog(await read(source, 'skillshelf.json'), 'catalog')
    const names: string[] = []
    for (const { vectors, skills } of segments) {
      const file = vectors?.file as string
      expect(readPackedVectors(await read(source, file))?.skills.filter(Boolean)).toHaveLength(
        skills,
      )
      names.push(file)
    }
    return names
  }

  it('[BY-35] embeds what is installed or edited, and merges it with the segments', async () => {
    const model = toy()
    const skills = skillStore(memory({}, { name: 'skills' }), { encoder: model, keepOld: true })
    await skills.install(FILES)
    expect(model.read.document).toHaveLength(4)
    await skills.install(FILES)
    await skills.edit('ppt', { put: { 'notes.md': 'Notes.' } })
    expect(await namedIn(skills)).toHaveLength(2)
    expect(model.read.document).toHaveLength(4)
    await skills.edit('travel', { put: { 'SKILL.md': skill('travel', 'Finds a ticket') } })
    expect(model.read.document.slice(4)).toEqual(['travel. Finds a ticket'])
    for (let at = 0; at < 12; at++)
      await skills.install({ 'SKILL.md': skill(`more-${at}`, `Prints a receipt ${at}`) })
    await skills.remove('more-3')
    expect(model.read.document).toHaveLength(17)
    const names = await namedIn(skills)
    expect(names.length).toBeLessThan(10)
    const { embedded, found, problems } = await visit(skills)
    expect(problems).toEqual([])
    // One skill of each segment is compared. One of them has a message.
    expect(embedded.length).toBe(names.length + 1)
    expect(found.flight).toEqual(['travel'])
    expect(found.keynote).toEqual(['ppt'])

    const before = ((await skills.list?.()) ?? []).map(({ path }) => path)
    expect(before.filter(path => path.endsWith('.vec')).length).toBeGreaterThan(names.length)
    await skills.sweep({ olderThan: 0 })
    const after = ((await skills.list?.()) ?? []).map(({ path }) => path)
    expect(after.filter(path => path.endsWith('.vec')).sort()).toEqual([...names].sort())
    expect((await visit(skills)).problems).toEqual([])
  })

  it('[BY-35] adds vectors to skills that it had without them', async () => {
    const source = memory({}, { name: 'skills' })
    await skillStore(source).install(FILES)
    const { changed } = await skillStore(source, { encoder: toy() }).install(FILES)
    expect(changed).toHaveLength(3)
    const { embedded, problems } = await visit(source)
    expect([embedded.length, problems]).toEqual([1, []])
  })

  it('[BY-35] keeps the vectors of a packed library that is installed', async () => {
    const target = skillStore(memory({}, { name: 'skills' }))
    await target.install(memory((await packed()).files))
    const { embedded, problems } = await visit(target)
    expect([embedded.length, problems]).toEqual([1, []])
  })
})

describe('an offline copy', () => {
  it('[BY-35] keeps the vectors that were read, and a whole one fetches them', async () => {
    const { files } = await packed()
    for (const whole of [false, true]) {
      const target = memory()
      let online = true
      const host = memory(files, { name: 'skills' })
      const source = (): SkillSource => ({
        name: 'skills',
        read: async (path, options) => {
          if (!online) throw new Error('no network')
          return host.read(path, options)
        },
      })
      const open = () => cached(source(), target, { maxBytes: 0, whole })
      if (whole) {
        await using library = await openLibrary(open(), { embedder: false })
        expect(library.snapshot.skills).toHaveLength(3)
        await expect.poll(() => target.read(fileOf(files))).toBeDefined()
      } else expect((await visit(open())).problems).toEqual([])
      online = false
      const { embedded, found } = await visit(open())
      expect([embedded.length, found]).toEqual([1, RIGHT])
    }
  })

  it('[BY-35] removes the vectors of an older pack', async () => {
    const { files } = await packed()
    const host = memory(files, { name: 'skills' })
    const target = memory()
    await visit(cached(host, target))
    expect(await target.read(fileOf(files))).toBeDefined()
    const next = await packed({ ...FILES, 'joke/SKILL.md': skill('joke', 'Tells jokes') })
    await host.write({ put: next.files })
    const source = cached(host, target)
    await using library = await openLibrary(source, { embedder: false })
    await library.refresh()
    await expect.poll(() => target.read(fileOf(files))).toBeUndefined()
    await upgrade(library, toy())
    expect(await target.read(fileOf(next.files))).toBeDefined()
  })
})
