import { openLibrary } from '../../../src/exports/index.js'
import { threadEmbedder } from '../../../src/exports/thread.js'
import type { TransformersOptions } from '../../../src/exports/transformers.js'
import { bundled } from '../../../src/search/model/bundled/package.js'
import type { EmbedderLoader } from '../../../src/search/model/skill-model.js'
import { watchMainThread } from './main-thread.js'
import { LOAD_MESSAGES } from './messages.js'
import { startQueryLoad } from './query-load.js'
import { report } from './report.js'
import { MARKS, type UpgradeTimes } from './results.js'
import { WASM } from './wasm.js'

/** Time in ms before the upgrade, for comparison. */
const IDLE = 3_000

const parameters = new URLSearchParams(location.search)
const transformer = threadEmbedder<TransformersOptions>({
  worker: () => new Worker(new URL('./embedder.worker.ts', import.meta.url), { type: 'module' }),
  model: parameters.get('model') ?? undefined,
  models: '/models/',
  wasm: WASM,
})

report(async (): Promise<UpgradeTimes> => {
  const library = await openLibrary(`/${parameters.get('library') ?? 'skills'}/`, {
    embedder: bundled(),
  })
  for (const message of LOAD_MESSAGES) await library.match(message)
  const load = startQueryLoad(library)

  let watching = watchMainThread()
  performance.mark(MARKS[0])
  await new Promise(resolve => setTimeout(resolve, IDLE))
  const before = await watching(load.take())

  let embedded = 0
  let loaded = 0
  let loading = Promise.resolve(before)
  watching = watchMainThread()
  performance.mark(MARKS[1])
  const start = performance.now()
  const countingLoader: EmbedderLoader = async given => {
    const model = await transformer(given)
    loaded = performance.now() - start
    loading = watching(load.take())
    watching = watchMainThread()
    performance.mark(MARKS[2])
    return {
      ...model,
      async embed(texts, options) {
        if (options?.kind !== 'query') embedded += texts.length
        return model.embed(texts, options)
      },
    }
  }
  const failures: string[] = []
  const joined = await library.upgrade(countingLoader, {
    ...(parameters.has('cache') ? {} : { cache: false }),
    onFailure: ({ message }) => failures.push(message),
  })
  const ready = performance.now() - start
  performance.mark(MARKS[3])
  load.stop()
  const embedding = await watching(load.take())
  if (!joined) throw new Error(failures.join('; '))

  const after: number[] = []
  let model = ''
  for (const message of [...LOAD_MESSAGES, ...LOAD_MESSAGES]) {
    const start = performance.now()
    model = (await library.match(message)).model
    after.push(performance.now() - start)
  }
  const skills = library.snapshot.skills.length
  return {
    before,
    loading: await loading,
    embedding,
    loaded,
    ready,
    skills,
    embedded,
    after,
    model,
  }
})
