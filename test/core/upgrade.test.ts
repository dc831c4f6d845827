import { describe, expect, it, vi } from 'vitest'
import type { Progress } from '../../src/core/progress.js'
import { memory, openLibrary, type SkillLibrary, SkillshelfError } from '../../src/exports/index.js'
import type { LocalLibrary, UpgradeOptions } from '../../src/library/api/skill-library.js'
import { NO_WORDS } from '../../src/search/match/score.js'
import { supportsLanguages } from '../../src/search/model/script-parts.js'
import type {
  Embedder,
  EmbedderLoader,
  EmbedOptions,
  VectorCache,
} from '../../src/search/model/skill-model.js'
import { deferred } from '../deferred.js'
import { memoryCache } from './enrich-world.js'
import { TOY_DIMENSIONS as DIMENSIONS, type Toy, toy } from './toy-embedder.js'

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n`
const FILES = {
  'ppt/SKILL.md': skill('ppt', 'Makes a deck for talks'),
  'travel/SKILL.md': skill('travel', 'Books an airline seat'),
  'accounts/SKILL.md': skill('accounts', 'Checks each bill. Do NOT use for a flight'),
}
/** Private to one test, because pages keep vectors between tests. */
const upgrade = (
  library: LocalLibrary,
  model: Embedder | EmbedderLoader,
  options: UpgradeOptions = {},
) => library.upgrade(model, { cache: false, ...options })
/** A toy that waits, or throws, before it embeds. */
function delayed(before: (kind: EmbedOptions['kind']) => Promise<void>): Toy {
  const model = toy()
  return {
    ...model,
    embed: async (texts, options = {}) => {
      await before(options.kind)
      return model.embed(texts, options)
    },
  }
}
const loadsToy =
  (model = toy()): EmbedderLoader =>
  async ({ onProgress } = {}) => {
    onProgress?.({ phase: 'load', done: 10, total: 20, item: 'onnx/model.onnx' })
    return model
  }
const found = async (library: SkillLibrary, message: string): Promise<string[]> =>
  (await library.search(message)).matches.map(({ name }) => name)

it('[CARD-2] [BY-1] the option `embedder` takes an embedder too, which joins the open library', async () => {
  const model = toy()
  const loader: EmbedderLoader = async () => model
  for (const embedder of [model, loader]) {
    await using library = await openLibrary(memory(FILES), { embedder })
    const best = async () => {
      const { matches, model } = await library.search('keynote')
      return [matches[0]?.name, model]
    }
    await expect.poll(best).toEqual(['ppt', expect.stringContaining('toy/1')])
  }
})

describe('library.upgrade', () => {
  it('[BY-1] the embedder finds by meaning, and the result names it', async () => {
    await using library = await openLibrary(FILES)
    expect(await library.search('keynote')).toMatchObject({ model: 'lexical/1', matches: [] })
    const model = toy()
    expect(await upgrade(library, model)).toBe(true)
    const result = await library.search('keynote')
    expect(result).toMatchObject({ model: 'hybrid/1 toy/1', matches: [{ name: 'ppt' }] })
    expect(result.matches[0]?.signals.similarity).toBeCloseTo(1, 2)
    expect((await library.explain('keynote', 'ppt')).rank).toBe(1)
    expect(model.read.query).toEqual(['keynote', 'keynote'])
    const texts = [
      'accounts. Checks each bill.',
      'ppt. Makes a deck for talks',
      'travel. Books an airline seat',
    ]
    expect(model.read.document.sort()).toEqual(texts)
  })

  it('[BY-1] the current matcher answers until every skill is embedded', async () => {
    const gate = deferred()
    const model = delayed(() => gate.promise)
    await using library = await openLibrary(FILES)
    const upgraded = upgrade(library, model)
    expect(await library.search('deck')).toMatchObject({
      model: 'lexical/1',
      matches: [{ name: 'ppt' }],
    })
    expect(model.read.query).toEqual([])
    gate.resolve()
    expect(await upgraded).toBe(true)
    expect((await library.search('deck')).model).toBe('hybrid/1 toy/1')
  })

  it('[BY-1] [BY-4] the embedder gets messages in its languages only', async () => {
    await using library = await openLibrary(FILES)
    const model = toy()
    await upgrade(library, model)
    expect((await library.search('请做 deck 演示文稿')).model).toBe('lexical/1')
    const message = 'please make a nice deck about my trip to the city of 北京'
    expect((await library.search(message)).model).toBe('hybrid/1 toy/1')
    expect((await library.search('12345')).model).toBe('lexical/1')
    expect(model.read.query).toEqual([message])
  })

  it('[BY-1] onProgress reports bytes, then skills', async () => {
    await using library = await openLibrary(FILES)
    const seen: Progress[] = []
    await upgrade(library, loadsToy(), { onProgress: progress => seen.push(progress) })
    expect(seen).toEqual([
      { phase: 'load', done: 10, total: 20, item: 'onnx/model.onnx' },
      { phase: 'embed', done: 3, total: 3 },
    ])
  })

  it.each(['load', 'embed'] as const)(
    '[BY-1] an error of onProgress in phase %s propagates unchanged',
    async phase => {
      await using library = await openLibrary(FILES)
      const error = new RangeError('the bar is gone')
      const model = toy()
      const failures: unknown[] = []
      const joining = upgrade(library, loadsToy(model), {
        onProgress: progress => {
          if (progress.phase === phase) throw error
        },
        onFailure: failure => failures.push(failure),
      })
      await expect(joining).rejects.toBe(error)
      expect(failures).toEqual([])
      expect(model.closed).toBe(phase === 'embed')
      expect(await library.search('keynote')).toMatchObject({ model: 'lexical/1' })
      expect(await upgrade(library, toy())).toBe(true)
    },
  )

  it('[BY-1] only changed skills without a cached vector are embedded', async () => {
    const source = memory(FILES)
    const cache = memoryCache()
    const model = toy()
    const read = deferred()
    await using library = await openLibrary(source)
    await upgrade(library, model, {
      cache,
      onProgress: ({ done, total }) =>
        model.read.document.length > 3 && done === total && read.resolve(),
    })
    await source.write({ put: { 'travel/SKILL.md': skill('travel', 'Finds a ticket') } })
    await library.refresh()
    await read.promise
    expect(model.read.document.slice(3)).toEqual(['travel. Finds a ticket'])
    await expect.poll(async () => (await library.search('flight')).model).toBe('hybrid/1 toy/1')
    expect(await found(library, 'flight')).toEqual(['travel'])

    await using again = await openLibrary(source)
    const second = toy()
    expect(await upgrade(again, second, { cache })).toBe(true)
    expect(second.read.document).toEqual([])
    expect(await found(again, 'flight')).toEqual(['travel'])
    await using other = await openLibrary(source)
    const third = toy({ id: 'toy/2' })
    await upgrade(other, third, { cache })
    expect(third.read.document).toHaveLength(3)
  })

  it('[BY-1] messages of a skill in the languages of the embedder are embedded beside its description, eight of them', async () => {
    const messages = Array.from({ length: 12 }, (_, index) => `ticket ${index}`)
    const foreign = '给发布会做幻灯片'
    const withMessages = (...some: string[]): string =>
      `---\nname: ppt\ndescription: Makes a deck for talks\nmessages: ${JSON.stringify(some)}\n---\n`
    await using library = await openLibrary({ 'ppt/SKILL.md': withMessages(foreign, ...messages) })
    const cache = memoryCache()
    const model = toy()
    await upgrade(library, model, { cache })
    expect(model.read.document).toEqual([
      'ppt. Makes a deck for talks',
      [0, 2, 3, 5, 6, 8, 9, 11].map(index => messages[index]).join('\n'),
    ])
    // Half of the vector is that of the messages.
    for (const message of ['keynote', 'flight']) {
      const { matches } = await library.search(message)
      expect(matches[0]?.signals.similarity).toBeCloseTo(Math.SQRT1_2, 2)
    }
    await using changed = await openLibrary({ 'ppt/SKILL.md': withMessages('a receipt') })
    await upgrade(changed, model, { cache })
    expect(model.read.document.slice(2)).toEqual(['ppt. Makes a deck for talks', 'a receipt'])
    await using same = await openLibrary({ 'ppt/SKILL.md': withMessages('a receipt') })
    await upgrade(same, model, { cache })
    expect(model.read.document).toHaveLength(4)
  })

  it('[BY-1] a cache that fails or returns invalid vectors is ignored', async () => {
    const full = new Error('QuotaExceededError')
    const caches: VectorCache[] = [
      { get: () => Promise.reject(full), put: () => Promise.reject(full) },
      { get: async () => [], put: () => Promise.reject(full) },
      { get: async keys => keys.map(() => new Uint8Array(3)), put: async () => undefined },
    ]
    for (const cache of caches) {
      await using library = await openLibrary(FILES)
      expect(await upgrade(library, toy(), { cache })).toBe(true)
      expect(await found(library, 'keynote')).toEqual(['ppt'])
    }
  })

  it('[BY-1] an embedder that cannot be loaded is reported once, and the library works without it', async () => {
    await using library = await openLibrary(FILES)
    const onFailure = vi.fn()
    const failed = async (): Promise<Embedder> => {
      throw new SkillshelfError('model-failed', 'There is no network')
    }
    expect(await upgrade(library, failed, { onFailure })).toBe(false)
    expect(onFailure.mock.calls).toEqual([
      [
        expect.objectContaining({
          code: 'model-unavailable',
          message: expect.stringContaining('There is no network'),
        }),
      ],
    ])
    expect(await library.search('deck')).toMatchObject({
      model: 'lexical/1',
      matches: [{ name: 'ppt' }],
    })
    expect(await upgrade(library, toy(), { onFailure })).toBe(true)
    expect(onFailure).toHaveBeenCalledTimes(1)
  })

  it('[BY-1] an embedder that crashes is reported once, and the library works without it', async () => {
    for (const kind of ['document', 'query'] as const) {
      await using library = await openLibrary(FILES)
      const onFailure = vi.fn()
      const crashing = delayed(async asked => {
        if (asked === kind) throw new SkillshelfError('thread-failed', 'The worker crashed')
      })
      expect(await upgrade(library, crashing, { onFailure })).toBe(kind === 'query')
      for (let time = 0; time < 2; time++)
        expect(await library.search('deck')).toMatchObject({
          model: 'lexical/1',
          matches: [{ name: 'ppt' }],
        })
      expect(onFailure).toHaveBeenCalledTimes(1)
    }
  })

  it('[BY-1] vectors of the wrong length are refused', async () => {
    const models: Embedder[] = [
      toy({ embed: async () => new Float32Array(5) }),
      toy({ dimensions: 12, embed: async texts => new Float32Array(texts.length * 12) }),
    ]
    for (const model of models) {
      await using library = await openLibrary(FILES)
      const onFailure = vi.fn()
      expect(await upgrade(library, model, { onFailure })).toBe(false)
      expect(onFailure).toHaveBeenCalledTimes(1)
    }
  })

  /** An embedder whose answers are changed. `batch` counts the calls of each kind. */
  const changed = (
    change: (vectors: Float32Array, at: { kind: string; batch: number }) => unknown,
  ): Toy => {
    const model = toy()
    const batches: Record<string, number> = {}
    return {
      ...model,
      async embed(texts, options = {}) {
        const { kind = 'document' } = options
        batches[kind] = (batches[kind] ?? 0) + 1
        const vectors = await model.embed(texts, options)
        const result = change(vectors, { kind, batch: batches[kind] })
        return (result === undefined ? vectors : result) as Float32Array
      },
    }
  }
  const withNumber = (number: number) => (vectors: Float32Array) =>
    void vectors.set([number], vectors.length - 1)
  const CALIBRATION = { served: {}, first: { intercept: Number.NaN } } as unknown as NonNullable<
    Embedder['calibration']
  >
  /** Embedders that are broken, and when it shows: at the skills or at the first message. */
  const BROKEN: [string, Embedder, shows: 'skills' | 'messages' | 'later'][] = [
    ['gives NaN', changed(vectors => vectors.fill(Number.NaN)), 'skills'],
    ['gives one NaN', changed(withNumber(Number.NaN)), 'skills'],
    ['gives infinity', changed(withNumber(Number.POSITIVE_INFINITY)), 'skills'],
    ['gives minus infinity', changed(withNumber(Number.NEGATIVE_INFINITY)), 'skills'],
    ['gives numbers that overflow', changed(withNumber(3.4e38)), 'skills'],
    ['gives zeros', changed(vectors => vectors.fill(0)), 'skills'],
    ['gives minus zeros', changed(vectors => vectors.fill(-0)), 'skills'],
    ['gives nothing', changed(() => null), 'skills'],
    ['gives an object', changed(() => ({})), 'skills'],
    ['gives texts', changed(vectors => Array.from(vectors, () => 'a')), 'skills'],
    ['gives vectors that are too short', changed(vectors => vectors.slice(1)), 'skills'],
    [
      'gives vectors that are too long',
      changed(vectors => Float32Array.of(...vectors, 0)),
      'skills',
    ],
    [
      'gives NaN in its second batch',
      changed((v, { batch }) => (batch > 1 ? v.fill(Number.NaN) : v)),
      'skills',
    ],
    [
      'gives NaN for messages',
      changed((v, { kind }) => (kind === 'query' ? v.fill(Number.NaN) : v)),
      'messages',
    ],
    [
      'gives short vectors for messages',
      changed((v, { kind }) => (kind === 'query' ? v.slice(4) : v)),
      'messages',
    ],
    [
      'gives zeros once its skills are embedded',
      changed((v, { batch, kind }) => (kind === 'query' || batch > 2 ? v.fill(0) : v)),
      'messages',
    ],
    [
      'gives NaN for the second message',
      changed((v, { batch, kind }) => (kind === 'query' && batch > 1 ? v.fill(Number.NaN) : v)),
      'later',
    ],
    ['has no dimensions', toy({ dimensions: 0, embed: async () => new Float32Array(0) }), 'skills'],
    ['has NaN dimensions', toy({ dimensions: Number.NaN }), 'skills'],
    ['has infinite dimensions', toy({ dimensions: Number.POSITIVE_INFINITY }), 'skills'],
    ['has a cosine of unrelated texts that is NaN', toy({ unrelated: Number.NaN }), 'skills'],
    ['has a cosine of unrelated texts of 1', toy({ unrelated: 1 }), 'skills'],
    ['has a calibration with NaN', toy({ calibration: CALIBRATION }), 'skills'],
  ]

  it.each(BROKEN)(
    '[BY-1] an embedder that %s does not join, which is reported once',
    async (_, model, shows) => {
      const more = Array.from({ length: 17 }, (_, index) => [
        `s${index}/SKILL.md`,
        skill(`s${index}`, `Invoice ${index}`),
      ])
      await using library = await openLibrary({ ...FILES, ...Object.fromEntries(more) })
      const onFailure = vi.fn()
      const cache = memoryCache()
      expect(await upgrade(library, model, { onFailure, cache })).toBe(shows !== 'skills')
      if (shows === 'later') expect((await library.search('keynote')).model).toBe('hybrid/1 toy/1')
      for (let time = 0; time < 2; time++) {
        const result = await library.search('deck')
        expect(result).toMatchObject({ model: 'lexical/1', matches: [{ name: 'ppt' }] })
        for (const { score } of result.matches) expect(score >= 0 && score <= 1).toBe(true)
      }
      expect(onFailure.mock.calls).toMatchObject([[{ code: 'model-unavailable' }]])
      // Nothing of it stays in the cache, which a good embedder of this name reads.
      expect(await upgrade(library, toy(), { cache })).toBe(true)
      expect(await found(library, 'keynote')).toEqual(['ppt'])
    },
  )

  it('[BY-1] texts without a meaning for the embedder are found by words, and it stays', async () => {
    await using library = await openLibrary({
      ...FILES,
      'odd/SKILL.md': skill('odd', 'Xyzzy plugh'),
    })
    const onFailure = vi.fn()
    expect(await upgrade(library, toy(), { onFailure })).toBe(true)
    expect(await found(library, 'xyzzy')).toEqual(['odd'])
    expect(await found(library, 'keynote')).toEqual(['ppt'])
    expect(onFailure).not.toHaveBeenCalled()
  })

  it('[BY-1] a message with a vector of another length than 1 is as near as with one of length 1', async () => {
    await using library = await openLibrary(FILES)
    const similarity = async (factor: number) => {
      await upgrade(
        library,
        changed((vectors, { kind }) =>
          kind === 'query' ? vectors.map(one => one * factor) : vectors,
        ),
      )
      return (await library.search('keynote')).matches[0]?.signals.similarity
    }
    const plain = await similarity(1)
    for (const factor of [1e-12, 40, 1e12])
      expect(await similarity(factor)).toBeCloseTo(plain ?? 0, 4)
  })

  it.each<[string, (bytes: Uint8Array) => unknown]>([
    ['NaN', bytes => new DataView(bytes.buffer).setFloat32(0, Number.NaN, true)],
    ['infinity', bytes => new DataView(bytes.buffer).setFloat32(0, Number.POSITIVE_INFINITY, true)],
    ['a length of 1000', bytes => new DataView(bytes.buffer).setFloat32(0, 8, true)],
    ['a negative scale', bytes => new DataView(bytes.buffer).setFloat32(0, -1 / 127, true)],
    ['zeros', bytes => bytes.fill(0)],
    ['numbers of 0', bytes => bytes.fill(0, 4)],
    ['a byte too few', bytes => bytes.slice(1)],
    ['another type', bytes => [...bytes]],
  ])('[BY-1] a cached vector with %s is embedded again', async (_, damage) => {
    const cache = memoryCache()
    await using library = await openLibrary(FILES)
    await upgrade(library, toy(), { cache })
    for (const [key, bytes] of cache.held) {
      const copy = bytes.slice()
      const result = damage(copy)
      cache.held.set(
        key,
        Array.isArray(result) || (result as Uint8Array)?.length < bytes.length
          ? (result as Uint8Array)
          : copy,
      )
    }
    const model = toy()
    expect(await upgrade(library, model, { cache })).toBe(true)
    expect(model.read.document).toHaveLength(3)
    expect(await found(library, 'keynote')).toEqual(['ppt'])
  })

  it('[BY-1] a message does not wait longer than the timeout', async () => {
    await using library = await openLibrary(FILES)
    const answer = deferred()
    let calls = 0
    const model = delayed(async kind => {
      if (kind !== 'query') return
      calls++
      await answer.promise
    })
    await upgrade(library, model, { timeout: 1 })
    expect(await library.search('deck')).toMatchObject({
      model: 'lexical/1',
      matches: [{ name: 'ppt' }],
    })
    expect((await library.search('bill')).model).toBe('lexical/1')
    expect(calls).toBe(1)
    answer.resolve()
    await expect.poll(async () => (await library.search('bill')).model).toBe('hybrid/1 toy/1')
  })

  it('[BY-1] aborting during loading or embedding closes the embedder', async () => {
    await using library = await openLibrary(FILES)
    const loading = new AbortController()
    const waiting = upgrade(library, () => new Promise<Embedder>(() => undefined), {
      signal: loading.signal,
    })
    loading.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' })

    const reading = new AbortController()
    const model = toy({
      embed: async () => {
        reading.abort()
        return new Promise<Float32Array>(() => undefined)
      },
    })
    await expect(upgrade(library, model, { signal: reading.signal })).rejects.toMatchObject({
      code: 'aborted',
    })
    expect(model.closed).toBe(true)
    expect((await library.search('deck')).model).toBe('lexical/1')
  })

  it('[BY-1] a second embedder replaces the first, and closing the library closes it', async () => {
    const library = await openLibrary(FILES)
    const [first, second] = [toy(), toy({ id: 'toy/2' })]
    const never = upgrade(library, () => new Promise<Embedder>(() => undefined))
    await upgrade(library, first)
    expect(await never).toBe(false)
    await upgrade(library, second)
    expect(first.closed).toBe(true)
    expect((await library.search('deck')).model).toBe('hybrid/1 toy/2')
    await library.close()
    expect(second.closed).toBe(true)
    await expect(upgrade(library, first)).rejects.toMatchObject({ code: 'closed' })
  })

  it('[BY-1] without a calibration, the bundled model gives the score', async () => {
    const calibration = {
      served: { ...NO_WORDS, wish: 0, intercept: 9, similarity: 0 },
      first: {
        intercept: 0,
        margin: 0,
        rivals: 0,
        coverage: 0,
        similarity: 0,
        foreign: 0,
        unspaced: 0,
      },
    }
    await using library = await openLibrary(FILES)
    const served = async () => (await library.search('airline seat')).served
    const byWords = await served()
    await upgrade(library, toy())
    expect(await served()).toBeCloseTo(byWords, 5)
    await upgrade(library, toy({ id: 'toy/2', calibration }))
    expect(await served()).toBeCloseTo(1 / (1 + Math.exp(-9)), 5)
  })

  it('[BY-1] similarity counts from the cosine of unrelated texts', async () => {
    await using library = await openLibrary(FILES)
    const { embed } = toy()
    const lifted = async (texts: readonly string[]): Promise<Float32Array> =>
      (await embed(texts)).map(
        (value, at) => (at % DIMENSIONS === DIMENSIONS - 1 ? 2 : value) / Math.sqrt(5),
      )
    await upgrade(library, toy({ id: 'toy/a', embed: lifted }))
    expect(await found(library, 'keynote')).toHaveLength(3)
    await upgrade(library, toy({ id: 'toy/b', embed: lifted, unrelated: 0.85 }))
    expect(await found(library, 'keynote')).toEqual(['ppt'])
  })

  it('a value that is not an embedder is rejected', async () => {
    await using library = await openLibrary(FILES)
    await expect(upgrade(library, {} as Embedder)).rejects.toMatchObject({ code: 'invalid-input' })
  })
})

it.each<[languages: 'all' | string[], text: string, covered: boolean]>([
  ['all', '你好', true],
  [['en'], 'Make slides', true],
  [['en'], 'résumé', true],
  [['en'], '做一个PPT', false],
  [['en'], 'Сделай слайды', false],
  [['en'], '', false],
  [['en'], 'Hazme una presentación para la reunión', false],
  [['en', 'es'], 'Hazme una presentación para la reunión', true],
  [['zh'], '做一个演示', true],
  [['zh'], 'スライドを作って', false],
  [['ja'], 'スライドを作って', true],
  [['ko'], '발표 자료', true],
  [['en', 'ru'], 'Сделай PDF', true],
  [['no such language!'], 'text', false],
])('[BY-4] an embedder of %j covers “%s”: %s', (languages, text, covered) => {
  expect(supportsLanguages(languages)(text)).toBe(covered)
})
