import { expect, it } from 'vitest'
import { searchTraces } from '../trace/runner.js'

it('[BY-41] [BY-6] leaves a store in IndexedDB that equals a library rebuilt from its files', async () => {
  expect(await searchTraces({ world: 'store in IndexedDB', seed: 41, traces: 5 })).toBeGreaterThan(
    0,
  )
})
