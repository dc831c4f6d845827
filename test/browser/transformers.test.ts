import mjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url'
import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url'
import { beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { openLibrary, type Progress } from '../../src/exports/index.js'
import { threadEmbedder, threadMatcher } from '../../src/exports/thread.js'
import type { TransformersOptions } from '../../src/exports/transformers.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import type { Embedder, EmbedderLoader } from '../../src/search/model/skill-model.js'

const models = inject('models')
const MODEL = 'Xenova/all-MiniLM-L6-v2'

const FILES_OF_MODEL = {
  model: 'all-MiniLM-L6-v2',
  models,
  wasm: { mjs, wasm },
  browserCache: false as const,
}

const workers: Worker[] = []
const minilm = (options: Partial<TransformersOptions> = {}): EmbedderLoader =>
  threadEmbedder<TransformersOptions>({
    worker: () => {
      const worker = new Worker(new URL('./minilm.worker.ts', import.meta.url), { type: 'module' })
      workers.push(worker)
      return worker
    },
    ...FILES_OF_MODEL,
    ...options,
  })

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n`
const FILES = {
  'book-flight/SKILL.md': skill('book-flight', 'Book airline tickets: dates, seats, luggage'),
  'deep_research/SKILL.md': skill('deep_research', '深度调研：搜索、阅读并写出研究报告'),
  'invoice/SKILL.md': skill('invoice', 'Check invoices against orders and tax rules'),
}

describe.skipIf(!models)(
  `all-MiniLM-L6-v2 in a Web Worker${models ? '' : ' (../shared/models is missing)'}`,
  () => {
    let model: Embedder
    const seen: Progress[] = []
    beforeAll(async () => {
      model = await minilm()({ onProgress: progress => seen.push(progress) })
    })
    beforeEach(() => {
      workers.length = 0
    })

    it('[CARD-2] embeds by WASM, with progress by bytes', async () => {
      expect(model).toMatchObject({
        id: `transformers/${MODEL}/q8`,
        dimensions: 384,
        languages: ['en'],
      })
      expect(seen.at(-1)?.done).toBe(seen.at(-1)?.total)
      expect(seen.at(-1)?.total).toBeGreaterThan(20_000_000)
      expect(seen.length).toBeGreaterThan(2)
      const vectors = await model.embed([
        'book a flight',
        'reserve an airplane ticket',
        'fry an egg',
      ])
      const row = (at: number) => vectors.subarray(at * 384, (at + 1) * 384)
      const near = (a: number, b: number): number =>
        row(a).reduce((sum, value, at) => sum + value * (row(b)[at] ?? 0), 0)
      expect(near(0, 0)).toBeCloseTo(1, 4)
      expect(near(0, 1)).toBeGreaterThan(near(0, 2) + 0.3)
    })

    it('[CARD-2] [BY-1] works with the matcher in a worker of its own, and rejects after it is closed', async () => {
      const worker = () =>
        new Worker(new URL('./matcher.worker.ts', import.meta.url), { type: 'module' })
      const library = await openLibrary(FILES, { matcher: threadMatcher({ worker }) })
      expect(await library.upgrade(model, { cache: false, timeout: 60_000 })).toBe(true)
      const { matches, model: ranked } = await library.search('I must get to Tokyo by plane')
      expect(ranked).toBe(`hybrid/1 transformers/${MODEL}/q8`)
      expect(matches[0]?.name).toBe('book-flight')
      expect((await library.search('帮我调研AI市场')).model).toBe('lexical/1')
      await library.close()
      await model.close?.()
      await expect(model.embed(['text'])).rejects.toMatchObject({ code: 'closed' })
    })

    it('[CARD-2] [BY-1] upgrades a library in use, which answers without it until all skills are embedded', async () => {
      await using library = await openLibrary(FILES, { embedder: bundled() })
      const message = 'I must get to Tokyo by plane'
      const before = await library.search(message)
      expect(before.model).toMatch(/^hybrid\/1 skillshelf/)
      const seen: Progress[] = []
      const onProgress = (progress: Progress) => seen.push(progress)
      const upgraded = library.upgrade(minilm(), { cache: false, timeout: 60_000, onProgress })
      expect((await library.search(message)).model).toBe(before.model)
      expect(await upgraded).toBe(true)
      expect(seen.map(({ phase }) => phase)).toContain('load')
      expect(seen.at(-1)).toEqual({ phase: 'embed', done: 3, total: 3 })
      const after = await library.search(message)
      expect(after.model).toBe(`hybrid/1 transformers/${MODEL}/q8`)
      expect(after.matches[0]).toMatchObject({ name: 'book-flight' })
      expect((await library.search('帮我调研AI市场')).model).toBe(before.model)
    })

    it('[CARD-2] [BY-1] continues without it when the worker dies, reports that once, and accepts another, which falls back to WASM if WebGPU cannot run it', async () => {
      await using library = await openLibrary(FILES)
      const onFailure = vi.fn()
      expect(await library.upgrade(minilm(), { cache: false, timeout: 60_000, onFailure })).toBe(
        true,
      )
      workers[0]?.terminate()
      const byWords = { model: 'lexical/1', matches: [{ name: 'book-flight' }] }
      for (let time = 0; time < 2; time++)
        expect(await library.search('airline')).toMatchObject(byWords)
      expect(onFailure).toHaveBeenCalledTimes(1)
      const another = minilm({ device: 'webgpu' })
      expect(await library.upgrade(another, { cache: false, timeout: 60_000, onFailure })).toBe(
        true,
      )
      expect((await library.search('airline')).model).toBe(`hybrid/1 transformers/${MODEL}/q8`)
      expect(workers).toHaveLength(2)
    })

    it('[CARD-2] [BY-1] continues without a model that is missing or does not match its digest', async () => {
      const wrong: Partial<TransformersOptions>[] = [
        { models: '/no-such-folder/' },
        { digests: { 'onnx/model_quantized.onnx': `sha256:${'0'.repeat(64)}` } },
        { wasm: { mjs: '/none.mjs', wasm: '/none.wasm' } },
      ]
      for (const options of wrong) {
        await using library = await openLibrary(FILES)
        const onFailure = vi.fn()
        expect(
          await library.upgrade(minilm(options), { cache: false, timeout: 60_000, onFailure }),
        ).toBe(false)
        expect(onFailure.mock.calls).toMatchObject([[{ code: 'model-unavailable' }]])
        expect((await library.search('airline')).matches[0]?.name).toBe('book-flight')
      }
    })

    it('[CARD-2] can be canceled while it loads', async () => {
      await using library = await openLibrary(FILES)
      const abort = new AbortController()
      const options = {
        cache: false,
        signal: abort.signal,
        onProgress: () => abort.abort(),
      } as const
      const upgraded = library.upgrade(minilm(), options)
      await expect(upgraded).rejects.toMatchObject({ code: 'aborted' })
      expect((await library.search('airline')).model).toBe('lexical/1')
    })
  },
)
