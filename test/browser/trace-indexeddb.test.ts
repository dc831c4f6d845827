import { describe, expect, it } from 'vitest'
import { failEachOperation, PATHS } from '../trace/failing.js'
import { searchTraces } from '../trace/runner.js'

const world = 'store in IndexedDB'

it('[BY-41] [BY-6] leaves a store in IndexedDB that equals a library rebuilt from its files', async () => {
  expect(await searchTraces({ world, seed: 41, traces: 5 })).toBeGreaterThan(0)
})

describe('every operation on a store in IndexedDB fails once', () => {
  // A merge takes half a minute. In other places, test/unit tries it.
  const { 'change many times': _, ...paths } = PATHS
  it.each(Object.entries(paths))(
    '[BY-41] [BY-6] %s is whole or not made, and works the next time',
    (_, path) => failEachOperation(world, path),
  )
})
