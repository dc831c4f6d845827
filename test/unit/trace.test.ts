import { describe, expect, it } from 'vitest'
import { found } from '../trace/found.js'
import { searchTraces } from '../trace/runner.js'
import { WORLDS } from '../trace/worlds.js'

/** Set by `npm run trace`: a campaign, or one trace again. */
const campaign = process.env['TRACE']
const {
  minutes = 0,
  world: only,
  seed: first = Math.floor(Math.random() * 2 ** 31),
  path,
} = JSON.parse(campaign ?? '{}') as {
  minutes?: number
  world?: string
  seed?: number
  path?: string
}
const names = only === undefined ? Object.keys(WORLDS) : [only]
const TITLE = '[BY-41] leaves a library that equals one rebuilt from its files'

describe.skipIf(campaign !== undefined)('any order of steps, and any failing operation', () => {
  it.each(Object.keys(WORLDS))(`${TITLE}: %s`, async world => {
    expect(await searchTraces({ world, seed: 41, traces: 5 })).toBeGreaterThan(0)
  })

  it.each(found)(`${TITLE}: %s, seed %i`, async (world, seed, traces) => {
    expect(await searchTraces({ world, seed, traces })).toBeGreaterThan(0)
  })
})

it.skipIf(campaign === undefined)(
  'a campaign',
  async () => {
    const end = performance.now() + minutes * 60_000
    let steps = 0
    let seed = first
    const failures: string[] = []
    do {
      for (const world of names) {
        try {
          steps += await searchTraces({ world, seed, traces: 20, path })
        } catch (error) {
          const { message, cause } = error as Error
          failures.push(`${world}\n${message}${cause instanceof Error ? cause.stack : cause}`)
          console.log(failures.at(-1))
        }
      }
      seed++
    } while (performance.now() < end)
    console.log(`${steps} steps, seeds ${first} to ${seed - 1}, ${failures.length} found`)
    expect(failures).toEqual([])
  },
  Number.POSITIVE_INFINITY,
)
