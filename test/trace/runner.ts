import fc from 'fast-check'
import { describeStep, step } from './steps.js'
import { runTrace } from './trace.js'
import { WORLDS } from './worlds.js'

/** Where a search for traces begins, and what it is about. */
export interface Search {
  /** A key of `WORLDS`. */
  world: string
  seed: number
  /** Number of traces, each of up to 20 steps. */
  traces: number
  /** The trace that failed, as it was printed. Absent: all of the seed. */
  path?: string | undefined
}

/** Runs traces of a seed. Returns the number of steps. @throws Error with the shortest failing trace and the command that runs it again */
export async function searchTraces({ world, seed, traces, path }: Search): Promise<number> {
  const createWorld = WORLDS[world]
  if (!createWorld) throw new Error(`There is no world ${JSON.stringify(world)} here`)
  let count = 0
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: 20, size: 'max' }),
    fc.scheduler(),
    async (steps, order) => {
      count += steps.length
      await runTrace(createWorld, steps, { order, seed })
    },
  )
  const replay = path === undefined ? {} : { path, endOnFailure: true }
  const result = await fc.check(property, {
    seed,
    numRuns: traces,
    // Ends shrinking, in ms. Nothing that runs is interrupted.
    skipAllAfterTimeLimit: 120_000,
    ...replay,
  })
  // Also one that was not shrunk to the end.
  if (result.counterexample) {
    const { counterexample, counterexamplePath, errorInstance } = result
    const command = `npm run trace -- --world ${JSON.stringify(world)} --seed ${seed} --path ${counterexamplePath}`
    const lines = counterexample[0].map((one, index) => `${index + 1}. ${describeStep(one)}`)
    throw new Error(`${lines.join('\n')}\n\n${command}\n`, { cause: errorInstance })
  }
  return count
}
