import { expect, it } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { type WorkersAiLike, workersAi } from '../../src/search/model/workers-ai.js'

/**
 * A fake of the AI binding, which cannot run here: an axis for each topic, so that it shows how the binding is called and what becomes of its
 * vectors. It says nothing of how well the real model finds.
 */
function fakeWorkersAi(answer?: (texts: string[]) => object): WorkersAiLike & { calls: string[][] } {
  const topics = [/deck|keynote|slides/, /kettle|tea/, /ledger|invoice/]
  const calls: string[][] = []
  return {
    calls,
    async run(model, { text, truncate_inputs }) {
      expect([model, truncate_inputs]).toEqual(['@cf/baai/bge-m3', true])
      calls.push(text)
      const vectorOf = (one: string): number[] =>
        Array.from({ length: 1024 }, (_, at) => (topics[at]?.test(one) ? 3 : at === 1_000 ? 0.1 : 0))
      return answer?.(text) ?? { shape: [text.length, 1024], data: text.map(vectorOf), pooling: 'cls' }
    },
  }
}

it('[BY-1] Workers AI (fake): unit vectors, a hundred texts per call, no blank texts', async () => {
  const ai = fakeWorkersAi()
  const texts = ['tea', ' ', ...Array.from({ length: 200 }, (_, at) => `slides ${at}`)]
  const progress: number[] = []
  const vectors = await workersAi(ai).embed(texts, { onProgress: ({ done }) => progress.push(done) })
  expect(ai.calls.map(({ length }) => length)).toEqual([100, 100, 1])
  expect(progress).toEqual([100, 200, 201])
  const [first, blank, second] = [0, 1, 2].map(at => vectors.subarray(at * 1024, (at + 1) * 1024)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ]
  expect(Math.hypot(...first)).toBeCloseTo(1, 6)
  expect(first.indexOf(Math.max(...first))).toBe(1)
  expect(second.indexOf(Math.max(...second))).toBe(0)
  expect([...blank]).toEqual(new Array(1024).fill(0))
})

it('[BY-1] Workers AI (fake) upgrades a library, which then finds a skill that shares no word with the message', async () => {
  await using library = await openLibrary({
    'slides/SKILL.md': '---\nname: slides\ndescription: Makes slides.\n---\nDo it.\n',
    'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\n---\nBoil.\n',
    'invoice/SKILL.md': '---\nname: invoice\ndescription: Checks an invoice.\n---\nCompare.\n',
  })
  expect((await library.search('put the kettle on')).matches.map(({ name }) => name)).not.toContain('tea')
  expect(await library.upgrade(workersAi(fakeWorkersAi()))).toBe(true)
  const { matches, model } = await library.search('put the kettle on')
  expect([matches[0]?.name, model]).toEqual(['tea', 'hybrid/1 workers-ai/@cf/baai/bge-m3'])
})

it.each<[string, (texts: string[]) => object]>([
  ['nothing', () => ({})],
  ['too few', () => ({ data: [] })],
  ['others', texts => ({ data: texts.map(() => [1, 2, 3]) })],
  [
    'an error',
    () => {
      throw new Error('3040: Capacity temporarily exceeded')
    },
  ],
])('[BY-9] Workers AI (fake) that returns %s causes a model-failed error', async (_, answer) => {
  await expect(workersAi(fakeWorkersAi(answer)).embed(['tea'])).rejects.toMatchObject({ code: 'model-failed' })
})

it('[BY-9] Workers AI (fake) that never answers can be aborted', async () => {
  const never: WorkersAiLike = { run: () => new Promise(() => {}) }
  const stop = new AbortController()
  const waiting = workersAi(never).embed(['tea'], { signal: stop.signal })
  stop.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
})

it('fits the binding as Cloudflare types it', () => {
  const typed = (ai: import('@cloudflare/workers-types').Ai) => workersAi(ai)
  expect(typed).toBeTypeOf('function')
})
