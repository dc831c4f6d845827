import { expect, it } from 'vitest'
import { searchTraces } from '../trace/runner.js'

it('[BY-41] leaves a library that equals one rebuilt from its files: store in IndexedDB', async () => {
  const search = { world: 'store in IndexedDB', traces: 4 }
  for (const seed of [41, 42]) expect(await searchTraces({ ...search, seed })).toBeGreaterThan(0)
})
