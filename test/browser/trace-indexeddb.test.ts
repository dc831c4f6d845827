import { describe, expect, it } from 'vitest'
import { failOperations, PATHS } from '../trace/failing.js'
import { searchTraces } from '../trace/runner.js'

const world = 'store in IndexedDB'

it('[BY-41] [BY-6] leaves a store in IndexedDB that equals a library rebuilt from its files', async () => {
  expect(await searchTraces({ world, seed: 41, traces: 3 })).toBeGreaterThan(0)
})

describe('operations on a store in IndexedDB fail', () => {
  // A merge takes half a minute. In other places, test/unit tries it.
  const paths = Object.keys(PATHS).filter(name => name !== 'change many times')
  it.each(paths)('[BY-41] [BY-6] %s is whole or not made, and works the next time', name =>
    failOperations(world, name),
  )
})
