import fc from 'fast-check'
import { expect } from 'vitest'
import { FAILURES, type Failure, type Fault } from './run.js'
import type { Tree } from './skills.js'
import type { Action, Step } from './steps.js'
import { runTrace } from './trace.js'
import { WORLDS } from './worlds.js'

const skillFile = (name: string, word: string): string =>
  `---\nname: ${name}\ndescription: Brews ${word} in a pot.\n---\nServe ${word}.\n`
const put = (folder: string, files: Tree): Action => ({
  do: 'change',
  change: { kind: 'put', folder, files },
})
const edit = (word: string): Action => ({
  do: 'change',
  change: { kind: 'edit', folder: 'tea', put: { 'notes.md': word }, remove: [] },
})
const one = (...actions: Action[]): Step => ({ actions })

/** Two skills that share a file. */
const START = [
  one(put('tea', { 'SKILL.md': skillFile('tea', 'oolong'), 'notes.md': 'shared' })),
  one(put('map', { 'SKILL.md': skillFile('map', 'routes'), 'data/rows.txt': 'shared' })),
  one({ do: 'refresh' }),
]
/** Each adds a segment, until there are so many that the next change merges them. */
const SEGMENTS = Array.from({ length: 9 }, (_, index) => one(edit(`edit ${index}`)))

/** The steps before, and the one of which each operation fails. */
interface Path {
  before: readonly Step[]
  step: Step
}

export const PATHS: Readonly<Record<string, Path>> = {
  open: { before: START, step: one({ do: 'reopen' }) },
  refresh: { before: [...START, one(edit('later'))], step: one({ do: 'refresh' }) },
  'publish or install': {
    before: START,
    step: one(put('pdf', { 'SKILL.md': skillFile('pdf', 'forms') })),
  },
  remove: { before: START, step: one({ do: 'change', change: { kind: 'remove', folder: 'map' } }) },
  'change many times': { before: [...START, ...SEGMENTS], step: one(edit('last')) },
  'what else it has': {
    before: [...START, one(edit('later'))],
    step: one({ do: 'also', number: 0 }),
  },
  'open skills': { before: START, step: one({ do: 'ask' }) },
  learn: { before: START, step: one({ do: 'learn', message: 'the usual', folder: 'tea' }) },
}

async function take(world: string, steps: readonly Step[]): Promise<number> {
  const [order] = fc.sample(fc.scheduler(), { seed: 1, numRuns: 1 })
  if (!order) throw new Error('There is no scheduler')
  return runTrace(WORLDS[world] as (typeof WORLDS)[string], steps, { order, seed: 1 })
}

function failureOf(operation: number): Failure {
  return FAILURES[operation % FAILURES.length] as Failure
}

/**
 * Takes a path once for each operation of its last step, which fails. What the library answers afterwards is checked by the trace.
 * @param everyWay Each operation fails in every way, not in one that its number chooses.
 */
export async function failEachOperation(
  world: string,
  { before, step }: Path,
  { everyWay = false } = {},
): Promise<void> {
  const count = await take(world, [...before, step])
  for (let operation = 1; operation <= count; operation++) {
    for (const failure of everyWay ? FAILURES : [failureOf(operation)]) {
      const fault: Fault = { operation, failure }
      const failed = take(world, [...before, { ...step, fault }])
      await failed.catch(error => expect.fail(`${failure} of ${operation}: ${error.stack}`))
    }
  }
}
