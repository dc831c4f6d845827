import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../bench/random.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { createSegmentBuilder } from '../../src/search/index/build.js'
import { mergeSegments } from '../../src/search/index/merge.js'
import { openSegment, type Segment } from '../../src/search/index/open.js'
import { createVectorsWriter } from '../../src/search/index/vectors.js'
import { loadCorpusStatistics } from '../../src/search/match/corpus-statistics.js'
import { cosineOf, nearestByVector, quantizeQuery } from '../../src/search/match/vector-scan.js'
import type { SkillModel } from '../../src/search/model/skill-model.js'
import { packedFiles } from '../packed-files.js'
import { toy } from '../toy-model.js'

const FILES = {
  'ppt/SKILL.md': '---\nname: ppt\ndescription: Makes a deck for talks\n---\n',
  'travel/SKILL.md': '---\nname: travel\ndescription: Books an airline seat\n---\n',
  'accounts/SKILL.md': '---\nname: accounts\ndescription: Checks each bill\n---\n',
}
const names = async (library: SkillLibrary, message: string): Promise<string[]> =>
  (await library.search(message)).matches.map(({ name }) => name)
const packed = async (embedder?: SkillModel) =>
  memory(await packedFiles(memory(FILES), embedder ? { embedder } : {}))
const FUN = { 'fun/SKILL.md': '---\nname: fun\ndescription: Tells a joke\n---\n' }

describe('words and meaning', () => {
  it('[BY-1] finds a skill that shares no word with the message and gives meaning as the reason', async () => {
    await using words = await openLibrary(FILES)
    expect(await names(words, 'keynote')).toEqual([])
    await using both = await openLibrary(FILES, { embedder: toy() })
    const { matches, model } = await both.search('keynote')
    expect(matches[0]).toMatchObject({
      name: 'ppt',
      reason: 'close in meaning',
      signals: { terms: [] },
    })
    expect(matches[0]?.signals.similarity).toBeCloseTo(1, 2)
    expect(model).toBe('hybrid/1 toy')
    expect((await both.search('keynote', { language: 'zh' })).matches[0]?.reason).toBe('含义相近')
  })

  it('[BY-1] ranks by words and meaning together', async () => {
    await using library = await openLibrary(FILES, { embedder: toy() })
    expect((await names(library, 'a ticket for my talks'))[0]).toBe('ppt')
    expect((await names(library, 'a ticket to fly'))[0]).toBe('travel')
    const { signals, rank } = await library.explain('a ticket to fly', 'travel')
    expect(rank).toBe(1)
    expect(signals.similarity).toBeGreaterThan(0.9)
  })

  it('[BY-1] a packed library uses its stored vectors', async () => {
    await using library = await openLibrary(await packed(toy()), {
      embedder: Promise.resolve(toy()),
    })
    expect(library.snapshot.diagnostics).toEqual([])
    expect(await names(library, 'keynote')).toEqual(['ppt'])
  })

  it('[BY-1] a packed library without vectors, or with those of another model, reports it and ranks by words', async () => {
    for (const source of [await packed(), await packed(toy('other'))]) {
      await using library = await openLibrary(source, { embedder: toy() })
      expect(library.snapshot.diagnostics).toMatchObject([
        { code: 'vectors-missing', severity: 'warning' },
      ])
      expect(await names(library, 'keynote')).toEqual([])
      expect(await names(library, 'airline')).toEqual(['travel'])
      await using words = await openLibrary(source)
      const { model, matches } = await library.search('an airline ticket')
      expect([model, matches]).toEqual([
        'lexical/1',
        (await words.search('an airline ticket')).matches,
      ])
    }
  })

  it('[BY-1] a skill without a vector is scored by words, even if other skills have vectors', async () => {
    const source = [await packed(), memory(FUN, { name: 'own' })]
    await using library = await openLibrary(source, { embedder: toy() })
    await using words = await openLibrary(source)
    const [found] = (await library.search('book an airline ticket')).matches
    const [expected] = (await words.search('book an airline ticket')).matches
    expect([found?.name, found?.signals.similarity]).toEqual(['travel', 0])
    expect(found?.score).toBeGreaterThan(0.5 * (expected?.score ?? 0))
  })

  it('[BY-1] finds new skills by meaning and no longer finds removed ones', async () => {
    const source = memory(FILES)
    await using library = await openLibrary(source, { embedder: toy() })
    await source.write({ put: FUN, remove: ['ppt/SKILL.md'] })
    await library.refresh()
    expect(await names(library, 'keynote')).toEqual([])
    expect(await names(library, 'joke joke')).toEqual(['fun'])
    expect(await names(library, 'receipt')).toEqual(['accounts'])
  })

  it('[BY-1] nearest neighbors respect the filter', async () => {
    await using library = await openLibrary(FILES, { embedder: toy() })
    const source = library.snapshot.skills[0]?.origin as string
    expect((await library.search('keynote', { origins: ['other'] })).matches).toEqual([])
    expect((await library.search('keynote', { origins: [source] })).matches).toHaveLength(1)
  })
})

describe('merged segments', () => {
  const segment = (space: string | undefined, ...descriptions: string[]) => {
    const builder = createSegmentBuilder(space === undefined ? {} : { embedder: toy(space) })
    for (const description of descriptions)
      builder.add({ name: 'one', description, tags: [], body: '' })
    return openSegment(builder.finish()) as Segment
  }

  it('[BY-1] keep the vectors of live skills', () => {
    const parts = [
      { segment: segment('toy', 'slides', 'flight'), dead: new Set([0]) },
      { segment: segment('toy', 'invoice'), dead: new Set<number>() },
    ]
    const merged = openSegment(mergeSegments(parts)) as Segment
    expect(merged.vectors).toEqual(segment('toy', 'flight', 'invoice').vectors)
  })

  it('[BY-1] have no vectors if a part has none, or those of another model', () => {
    for (const other of [undefined, 'other']) {
      const parts = [segment('toy', 'slides'), segment(other, 'invoice')]
      const merged = mergeSegments(parts.map(segment => ({ segment, dead: new Set<number>() })))
      expect((openSegment(merged) as Segment).vectors).toBeUndefined()
    }
  })
})

it.each([40, 2_000, 14_000])(
  '[BY-1] nearestByVector finds the same skills as a full scan: %d skills, some dead',
  count => {
    const random = randomFrom(5)
    const gauss = (): number =>
      Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random())
    const dimensions = 128
    const unit = (vector: Float32Array): Float32Array => {
      const length = Math.hypot(...vector)
      return vector.map(value => value / length)
    }
    const centers = Array.from({ length: 80 }, () =>
      Float32Array.from({ length: dimensions }, gauss),
    )
    const near = (): Float32Array => {
      const center = centers[Math.floor(random() * centers.length)] as Float32Array
      return unit(center.map(value => value + 0.8 * gauss()))
    }
    const writer = createVectorsWriter('toy', dimensions)
    for (let skill = 0; skill < count; skill++)
      writer.add(skill % 10 === 3 ? new Float32Array(dimensions) : near())
    const vectors = writer.finish()
    const alive = (skill: number): boolean => skill % 7 !== 0
    for (let round = 0; round < 20; round++) {
      const query = near()
      const numbers = quantizeQuery(query)
      const all = Array.from({ length: count }, (_, skill) => ({
        skill,
        cosine: cosineOf(numbers, vectors, skill),
      }))
      const wanted = all
        .filter(({ skill }) => alive(skill) && skill % 10 !== 3)
        .sort((a, b) => b.cosine - a.cosine)
      const found = nearestByVector(query, [{ vectors, isLive: alive }], 50)
      expect(found.map(({ skill }) => skill)).toEqual(wanted.slice(0, 50).map(({ skill }) => skill))
    }
  },
)

it('[BY-1] the idf of the corpus is the same before and after the counts are unpacked', async () => {
  const { idf } = await loadCorpusStatistics()
  // 39 is a step of the table, and a word that may stand in it.
  const terms = ['use', 'skill', 'pdf', '39', 'zzzz', '用', '工具', '魑', 'us', 'se t']
  const first = terms.map(idf)
  expect(first[0]).toBeLessThan(first[2] as number)
  expect(first[2]).toBeLessThan(first[4] as number)
  expect(first[5]).toBeLessThan(first[7] as number)
  expect(first.slice(8)).not.toContain(first[0])
  for (let asked = 0; asked < 1_000; asked++) idf('use')
  expect(terms.map(idf)).toEqual(first)
})

describe('a model that cannot be loaded', () => {
  const failure = new Error('offline')
  const without = (message: string): SkillModel => ({
    ...toy(),
    prepare: async texts => {
      if (JSON.stringify(texts).includes(message)) throw failure
    },
  })

  it('[BY-1] leaves the library searching by words and reports it', async () => {
    await using library = await openLibrary(FILES, { embedder: Promise.reject(failure) })
    const message = expect.stringContaining('offline')
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'model-unavailable', message }])
    expect(await library.search('deck')).toMatchObject({
      model: 'lexical/1',
      matches: [{ name: 'ppt' }],
    })
    await library.refresh()
    expect(library.snapshot.diagnostics).toHaveLength(1)
    await expect(
      openLibrary(FILES, { embedder: Promise.reject(failure), strict: true }),
    ).rejects.toThrow('offline')
  })

  const filled =
    (number: number) =>
    (_: unknown, into: Float32Array = new Float32Array(toy().dimensions)) =>
      into.fill(number)
  it.each<[string, Partial<SkillModel>]>([
    ['NaN', { vectorOf: filled(Number.NaN), skillVector: filled(Number.NaN) }],
    ['infinity', { vectorOf: filled(Number.POSITIVE_INFINITY) }],
    ['skills of NaN', { skillVector: filled(Number.NaN) }],
    ['vectors that are too short', { vectorOf: () => new Float32Array(3) }],
    ['no vectors', { vectorOf: () => undefined as unknown as Float32Array }],
    ['no dimensions', { dimensions: 0 }],
    ['NaN dimensions', { dimensions: Number.NaN }],
  ])('[BY-1] or that gives %s does not join, and is reported', async (_, broken) => {
    await using library = await openLibrary(FILES, { embedder: { ...toy(), ...broken } })
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'model-unavailable' }])
    expect(await library.search('deck')).toMatchObject({
      model: 'lexical/1',
      matches: [{ name: 'ppt' }],
    })
  })

  it('[BY-1] or breaks later: a message or skill with NaN is matched by words', async () => {
    const model = toy()
    const breaks = (text: string) => text.includes('deck')
    const breaking: SkillModel = {
      ...model,
      vectorOf: (text, into) =>
        breaks(text) ? filled(Number.NaN)(text, into) : model.vectorOf(text, into),
      skillVector: (one, into) =>
        breaks(one.description) ? into.fill(Number.NaN) : model.skillVector(one, into),
    }
    await using library = await openLibrary(FILES, { embedder: breaking })
    for (const message of ['deck', 'a deck for talks', 'keynote', 'airline']) {
      const { matches, served } = await library.search(message)
      for (const number of [served, ...matches.map(({ score }) => score)])
        expect(number >= 0 && number <= 1).toBe(true)
    }
    expect((await library.search('deck')).matches[0]?.name).toBe('ppt')
    expect((await library.search('flight')).matches[0]?.name).toBe('travel')
  })

  it('[BY-1] in part: messages that need that part are answered by words', async () => {
    await using library = await openLibrary(FILES, { embedder: without('keynote') })
    expect(library.snapshot.diagnostics).toEqual([])
    const [matches, byWords] = [[{ name: 'ppt' }], { model: 'lexical/1', complete: false }]
    expect(await library.search('keynote deck')).toMatchObject({ ...byWords, matches })
    expect(await library.search('deck')).toMatchObject({
      model: 'hybrid/1 toy',
      complete: true,
      matches,
    })
    expect((await library.explain('keynote deck', 'ppt')).rank).toBe(1)
  })

  it('[BY-1] in part: skills that need that part are found by words, and it is reported', async () => {
    await using library = await openLibrary(FILES, { embedder: without('Books') })
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'model-unavailable' }])
    expect((await library.search('seat')).matches[0]?.name).toBe('travel')
    await expect(openLibrary(FILES, { embedder: without('Books'), strict: true })).rejects.toThrow(
      'offline',
    )
  })
})
