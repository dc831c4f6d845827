import mjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url'
import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url'
import { bundled } from '../../../src/embed/bundled/browser.js'
import type { EmbedderLoader } from '../../../src/embed/types.js'
import { openLibrary } from '../../../src/exports/index.js'
import { threadEmbedder } from '../../../src/exports/thread.js'
import type { TransformersOptions } from '../../../src/exports/transformers.js'
import { keepAsking } from './asking.js'
import { MARKS } from './marks.js'
import { MEANWHILE } from './messages.js'
import { tell } from './tell.js'
import type { UpgradeTimes } from './told.js'
import { watchThread } from './watch.js'

/** How long the page is watched before, for comparison. */
const QUIET = 3_000

const absolute = (address: string): string => new URL(address, location.href).href
const minilm = threadEmbedder<TransformersOptions>({
  worker: () => new Worker(new URL('./shelf.worker.ts', import.meta.url), { type: 'module' }),
  model: 'all-MiniLM-L6-v2',
  models: '/models/',
  wasm: { mjs: absolute(mjs), wasm: absolute(wasm) },
})

tell(async (): Promise<UpgradeTimes> => {
  const library = await openLibrary('/skills/', { embedder: bundled() })
  for (const message of MEANWHILE) await library.match(message)
  const asking = keepAsking(library)

  let watching = watchThread()
  performance.mark(MARKS[0])
  await new Promise(resolve => setTimeout(resolve, QUIET))
  const before = await watching(asking.take())

  let read = 0
  let loaded = 0
  let loading = Promise.resolve(before)
  watching = watchThread()
  performance.mark(MARKS[1])
  const start = performance.now()
  const counting: EmbedderLoader = async given => {
    const model = await minilm(given)
    loaded = performance.now() - start
    loading = watching(asking.take())
    watching = watchThread()
    performance.mark(MARKS[2])
    return {
      ...model,
      async embed(texts, options) {
        if (options?.kind !== 'query') read += texts.length
        return model.embed(texts, options)
      },
    }
  }
  const failures: string[] = []
  const joined = await library.upgrade(counting, {
    ...(location.search === '?cache' ? {} : { cache: false }),
    onFailure: ({ message }) => failures.push(message),
  })
  const ready = performance.now() - start
  performance.mark(MARKS[3])
  asking.stop()
  const embedding = await watching(asking.take())
  if (!joined) throw new Error(failures.join('; '))

  const after: number[] = []
  let model = ''
  for (const message of [...MEANWHILE, ...MEANWHILE]) {
    const asked = performance.now()
    model = (await library.match(message)).model
    after.push(performance.now() - asked)
  }
  const skills = library.snapshot.skills.length
  return { before, loading: await loading, embedding, loaded, ready, skills, read, after, model }
})
