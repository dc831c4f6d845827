import mjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url'
import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url'
import { expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import { openLibrary } from '../../src/exports/index.js'
import { threadEmbedder } from '../../src/exports/thread.js'
import {
  resolveModel,
  type TransformersOptions,
} from '../../src/search/model/transformers/presets.js'

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n`
const FILES = {
  'book-flight/SKILL.md': skill('book-flight', 'Book airline tickets: dates, seats, luggage'),
  'deep_research/SKILL.md': skill('deep_research', '深度调研：搜索、阅读并写出研究报告'),
  'invoice/SKILL.md': skill('invoice', 'Check invoices against orders and tax rules'),
}

const MODELS = new URL('../../model/', import.meta.url).href

/** The files of the repository, in a worker. */
function encoder(options: Partial<TransformersOptions>) {
  const { traits, dtype, digests } = resolveModel({})
  return threadEmbedder<TransformersOptions>({
    worker: () => new Worker(new URL('./minilm.worker.ts', import.meta.url), { type: 'module' }),
    ...traits,
    dtype,
    digests,
    model: 'encoder',
    models: MODELS,
    wasm: { mjs, wasm },
    ...options,
  })
}

it('[CARD-2] [BY-1] a file that was changed in the cache of the page, or on the host, is not used', async () => {
  const cache = await caches.open('transformers-cache')
  const address = `${MODELS.replace(/\/$/, '')}/encoder/tokenizer.json`
  await cache.put(address, new Response('{"model":{"type":"BPE","vocab":{},"merges":[]}}'))
  const model = await encoder({})()
  expect(model.dimensions).toBe(384)
  await model.close?.()
  const kept = new Uint8Array(
    (await (await cache.match(address))?.arrayBuffer()) ?? new ArrayBuffer(),
  )
  expect(digestOf(kept)).toBe(resolveModel({}).digests?.['tokenizer.json'])
  // From the cache, without a request that could heal it.
  await (await encoder({})()).close?.()

  const digests = { ...resolveModel({}).digests, 'config.json': `sha256:${'0'.repeat(64)}` }
  for (const browserCache of [true, false])
    await expect(encoder({ digests, browserCache })()).rejects.toMatchObject({
      code: 'model-failed',
      message: expect.stringContaining('config.json does not match its digest'),
    })
  await caches.delete('transformers-cache')
})

it('[CARD-2] [BY-1] skillshelf-encoder runs in a Web Worker, from files of this host alone, and finds skills in other languages', async () => {
  const requests: string[] = []
  new PerformanceObserver(list =>
    requests.push(...list.getEntries().map(({ name }) => name)),
  ).observe({
    type: 'resource',
  })
  const load = encoder({ browserCache: false })
  await using library = await openLibrary(FILES)
  expect(await library.upgrade(load, { cache: false, timeout: 60_000 })).toBe(true)
  for (const message of [
    '飞东京的座位还有吗',
    'Wann geht mein Flieger nach Tokio?',
    'Нужен билет на самолёт',
    '東京行きの飛行機',
  ])
    expect((await library.search(message)).matches[0]?.name).toBe('book-flight')
  expect(
    (await library.search('I want a report on what rivals do, with sources')).matches[0]?.name,
  ).toBe('deep_research')
  expect(requests.filter(url => new URL(url).origin !== location.origin)).toEqual([])
})
