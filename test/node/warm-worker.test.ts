import { expect, it } from 'vitest'
import { buildWorker } from './engine-worker-world.js'

it('[BY-16] a Worker is warm before its first request, with and without a model', async () => {
  // workerd fails to start the script if it does at module scope what Workers forbid there.
  await using worker = await buildWorker('test/workerd/warm-worker.ts').start()
  expect(await (await worker.fetch('')).json()).toEqual([true, true])
})
