import mjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url'
import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url'
import { expect, it } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { threadEmbedder } from '../../src/exports/thread.js'
import { resolveModel, type TransformersOptions } from '../../src/search/model/transformers/presets.js'

const skill = (name: string, description: string): string => `---\nname: ${name}\ndescription: ${description}\n---\n`
const FILES = {
  'book-flight/SKILL.md': skill('book-flight', 'Book airline tickets: dates, seats, luggage'),
  'deep_research/SKILL.md': skill('deep_research', '深度调研：搜索、阅读并写出研究报告'),
  'invoice/SKILL.md': skill('invoice', 'Check invoices against orders and tax rules'),
}

it('[CARD-2] [BY-1] skillshelf-encoder runs in a Web Worker, from files of this host alone, and finds skills in other languages', async () => {
  const requests: string[] = []
  new PerformanceObserver(list => requests.push(...list.getEntries().map(({ name }) => name))).observe({
    type: 'resource',
  })
  const { traits, dtype } = resolveModel({})
  const load = threadEmbedder<TransformersOptions>({
    worker: () => new Worker(new URL('./minilm.worker.ts', import.meta.url), { type: 'module' }),
    ...traits,
    dtype,
    model: 'encoder',
    models: new URL('../../model/', import.meta.url).href,
    wasm: { mjs, wasm },
    browserCache: false,
  })
  await using library = await openLibrary(FILES)
  expect(await library.upgrade(load, { cache: false, timeout: 60_000 })).toBe(true)
  for (const message of [
    '飞东京的座位还有吗',
    'Wann geht mein Flieger nach Tokio?',
    'Нужен билет на самолёт',
    '東京行きの飛行機',
  ])
    expect((await library.search(message)).matches[0]?.name).toBe('book-flight')
  expect((await library.search('I want a report on what rivals do, with sources')).matches[0]?.name).toBe(
    'deep_research',
  )
  expect(requests.filter(url => new URL(url).origin !== location.origin)).toEqual([])
})
