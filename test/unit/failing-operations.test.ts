import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EVERYTHING } from '../samples.js'
import { FAILURES, type Failure, type Fault } from '../trace/run.js'
import type { Tree } from '../trace/skills.js'
import type { Action, Step } from '../trace/steps.js'
import { runTrace } from '../trace/trace.js'
import { WORLDS } from '../trace/worlds.js'

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
const PATHS: readonly [name: string, before: readonly Step[], step: Step][] = [
  ['open', START, one({ do: 'reopen' })],
  ['refresh', [...START, one(edit('later'))], one({ do: 'refresh' })],
  ['publish or install', START, one(put('pdf', { 'SKILL.md': skillFile('pdf', 'forms') }))],
  ['remove', START, one({ do: 'change', change: { kind: 'remove', folder: 'map' } })],
  ['change many times', [...START, ...SEGMENTS], one(edit('last'))],
  ['what else it has', [...START, one(edit('later'))], one({ do: 'also', number: 0 })],
  ['open skills', START, one({ do: 'ask' })],
  ['learn', START, one({ do: 'learn', message: 'the usual', folder: 'tea' })],
]

async function take(world: string, steps: readonly Step[]): Promise<number> {
  const [order] = fc.sample(fc.scheduler(), { seed: 1, numRuns: 1 })
  if (!order) throw new Error('There is no scheduler')
  return runTrace(WORLDS[world] as (typeof WORLDS)[string], steps, { order, seed: 1 })
}

/** Each operation fails in one way, chosen by its number, and with `TEST_EVERYTHING` in every way. */
function failuresOf(operation: number): readonly Failure[] {
  return EVERYTHING ? FAILURES : [FAILURES[operation % FAILURES.length] as Failure]
}

/** They read as 'pieces in R2' and 'copy of pieces' do. */
const ALIKE = ['pieces', 'whole copy of pieces']
const CASES = Object.keys(WORLDS)
  .filter(world => EVERYTHING || !ALIKE.includes(world))
  .flatMap(world => PATHS.map(([path, before, step]) => ({ world, path, before, step })))

describe('every operation fails once', () => {
  it.each(CASES)(
    '[BY-41] $world: $path is whole or not made, and works the next time',
    async ({ world, before, step }) => {
      const count = await take(world, [...before, step])
      for (let operation = 1; operation <= count; operation++) {
        for (const failure of failuresOf(operation)) {
          const fault: Fault = { operation, failure }
          const failed = take(world, [...before, { ...step, fault }])
          await failed.catch(error => expect.fail(`${failure} of ${operation}: ${error.stack}`))
        }
      }
    },
  )
})
