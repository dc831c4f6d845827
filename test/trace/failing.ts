import fc from 'fast-check'
import { expect } from 'vitest'
import { hash32 } from '../../src/core/text/hash32.js'
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

/** Takes a path, whose last step is checked. Returns the number of operations of that step. */
async function take(world: string, { before, step }: Path): Promise<number> {
  const [order] = fc.sample(fc.scheduler(), { seed: 1, numRuns: 1 })
  if (!order) throw new Error('There is no scheduler')
  return runTrace(WORLDS[world] as (typeof WORLDS)[string], [...before, step], {
    order,
    seed: 1,
    checkFrom: before.length,
  })
}

/** Without `everyWay`, one operation in so many fails. */
const SHARE = 3

/** The operations that fail, and how: in every way, or a share, which begins elsewhere in each world and path. */
function faultsOf(count: number, title: string, everyWay: boolean): Fault[] {
  const operations = Array.from({ length: count }, (_, at) => at + 1)
  if (everyWay) {
    return operations.flatMap(operation => FAILURES.map(failure => ({ operation, failure })))
  }
  const chance = hash32(title)
  const first = chance % Math.min(SHARE, count)
  return operations
    .filter((_, at) => at % SHARE === first)
    .map((operation, at) => ({ operation, failure: failureAt(chance + at) }))
}

function failureAt(index: number): Failure {
  return FAILURES[index % FAILURES.length] as Failure
}

/**
 * Takes a path once for each operation of its last step that fails. What the library answers afterwards is checked by the trace.
 * @param name A key of `PATHS`.
 */
export async function failOperations(
  world: string,
  name: string,
  { everyWay = false } = {},
): Promise<void> {
  const path = PATHS[name] as Path
  const count = await take(world, path)
  for (const fault of faultsOf(count, `${world} ${name}`, everyWay)) {
    const failed = take(world, { ...path, step: { ...path.step, fault } })
    await failed.catch(error =>
      expect.fail(`${fault.failure} of ${fault.operation}: ${error.stack}`),
    )
  }
}
