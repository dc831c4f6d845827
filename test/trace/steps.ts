import fc from 'fast-check'
import { FAILURES, type Fault } from './run.js'
import {
  type Change,
  change,
  FOLDERS,
  foldersOf,
  isPossible,
  MESSAGES,
  type Tree,
} from './skills.js'

/** One thing that somebody does to a library. */
export type Action =
  | { do: 'change'; change: Change }
  /** Reads the sources of the open library again. */
  | { do: 'refresh' }
  /** Opens all skills and reads their files. */
  | { do: 'ask' }
  | { do: 'learn'; message: string; folder: string }
  | { do: 'forget'; folder: string }
  /** Something that only this world has: see `World.also`. */
  | { do: 'also'; number: number }
  /** Closes the library and opens it again. */
  | { do: 'reopen' }

/** Actions at the same time, of which one operation may fail. */
export interface Step {
  actions: readonly Action[]
  fault?: Fault | undefined
}

const folder = fc.constantFrom(...FOLDERS)
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 12, arbitrary: change.map((change): Action => ({ do: 'change', change })) },
  { weight: 4, arbitrary: fc.constant<Action>({ do: 'refresh' }) },
  { weight: 3, arbitrary: fc.constant<Action>({ do: 'ask' }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...MESSAGES), folder)
      .map(([message, folder]): Action => ({ do: 'learn', message, folder })),
  },
  { weight: 1, arbitrary: folder.map((folder): Action => ({ do: 'forget', folder })) },
  { weight: 4, arbitrary: fc.nat(3).map((number): Action => ({ do: 'also', number })) },
  { weight: 1, arbitrary: fc.constant<Action>({ do: 'reopen' }) },
)
const fault: fc.Arbitrary<Fault> = fc.record({
  operation: fc.integer({ min: 1, max: 20 }),
  failure: fc.constantFrom(...FAILURES),
})

export const step: fc.Arbitrary<Step> = fc.record({
  actions: fc.oneof(
    { weight: 3, arbitrary: fc.array(action, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(action, { minLength: 2, maxLength: 3 }) },
  ),
  fault: fc.option(fault, { nil: undefined, freq: 4 }),
})

/** The changes of a step that can be made at the same time. */
export function changesOf({ actions }: Step, tree: Tree): Change[] {
  const taken = new Set<string>()
  return actions.flatMap(action => {
    if (action.do !== 'change' || !isPossible(tree, action.change)) return []
    const roots = foldersOf(action.change).map(path => path.split('/')[0] as string)
    if (roots.some(root => taken.has(root))) return []
    for (const root of roots) taken.add(root)
    return [action.change]
  })
}

/** A step on one line. */
export function describeStep({ actions, fault }: Step): string {
  const parts = actions.map(action => {
    if (action.do !== 'change') return Object.values(action).join(' ')
    const { kind, folder, ...rest } = action.change
    return `${kind} ${folder} ${JSON.stringify(rest)}`
  })
  const failing = fault ? ` [operation ${fault.operation}: ${fault.failure}]` : ''
  return `${parts.join(' & ')}${failing}`
}
