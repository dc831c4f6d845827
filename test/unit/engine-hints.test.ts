import { afterEach, expect, it, vi } from 'vitest'
import { threadEmbedder } from '../../src/exports/thread.js'
import { transformers } from '../../src/exports/transformers.js'
import { readyWorker } from '../../src/search/thread/transformers-worker.js'

afterEach(() => {
  vi.unstubAllGlobals()
})

it('[BY-40] an encoder without WebAssembly says what is missing, not its files', async () => {
  vi.stubGlobal('WebAssembly', undefined)
  await expect(transformers({ model: 'Xenova/all-MiniLM-L6-v2' })()).rejects.toMatchObject({
    code: 'model-failed',
    message: expect.stringContaining('needs WebAssembly'),
    details: { hint: expect.stringContaining('allow WebAssembly') },
  })
})

it('[BY-40] a thread without Web Workers, as in Node, says what to use instead', async () => {
  vi.stubGlobal('Worker', undefined)
  const load = threadEmbedder({ worker: readyWorker, model: 'Xenova/all-MiniLM-L6-v2' })
  await expect(load()).rejects.toMatchObject({
    code: 'thread-failed',
    details: { hint: expect.stringContaining('no Web Workers') },
  })
})
