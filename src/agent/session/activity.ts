import { isSkillshelfError } from '../../core/errors.js'
import { createListeners } from '../../library/api/lifetime.js'
import type { SkillId } from '../../skill/skill.js'

/** One thing that a session did. A `prepare` or `tool` ends after the `load` inside it. */
export interface SessionActivity {
  type: 'prepare' | 'load' | 'load-reference' | 'read' | 'unload' | 'tool' | 'prune' | 'rehydrate'
  /** Start, in milliseconds since 1970. */
  startedAt: number
  /** In milliseconds. */
  duration: number
  /** The skill, by the name or id that was given. After success its id. */
  skill?: SkillId
  /** Path of a file in the folder of the skill. */
  path?: string
  /** Name of a tool. */
  tool?: string
  /** Tokens that were added to the prompt, or removed by `unload`. */
  tokens?: number
  /** Matches of `prepare`, best first. */
  matches?: readonly { id: SkillId; score: number }[]
  /** `prepare`: skills that it opened. `load`: skills that it closed to make room. `rehydrate`: skills that the conversation lacks. */
  skills?: readonly SkillId[]
  /** Tools that are left after `prune`. */
  tools?: readonly string[]
  /** Code of a `SkillshelfError`, or the name of another error. */
  error?: string
}

type Start = Pick<SessionActivity, 'type' | 'skill' | 'path' | 'tool'>
type Details = Partial<Omit<SessionActivity, 'type' | 'startedAt' | 'duration'>>

/** Reports what a session does. */
export interface Activities {
  /** @throws SkillshelfError `invalid-input` for any other event, or a listener that is not a function */
  on(event: 'activity', listener: (activity: SessionActivity) => void): () => void
  /** Runs an action, and reports it when it ends, if there are listeners. Errors are reported by their code, and thrown. */
  run<Result>(
    start: Start,
    action: () => Result,
    describe: (result: Awaited<Result>) => Details,
  ): Result
}

export function createActivities(): Activities {
  const { on, emit, listeners } = createListeners<SessionActivity>('activity')
  return {
    on(event, listener) {
      // The same function may listen twice.
      return on(event, typeof listener === 'function' ? activity => listener(activity) : listener)
    },
    run<Result>(
      start: Start,
      action: () => Result,
      describe: (result: Awaited<Result>) => Details,
    ): Result {
      if (listeners.size === 0) return action()
      const startedAt = Date.now()
      const begin = performance.now()
      const end = (details: Details): void =>
        emit({ ...start, startedAt, duration: performance.now() - begin, ...details })
      const done = (result: Awaited<Result>): Awaited<Result> => {
        end(describe(result))
        return result
      }
      const fail = (error: unknown): never => {
        end({
          error: isSkillshelfError(error)
            ? error.code
            : error instanceof Error
              ? error.name
              : 'Error',
        })
        throw error
      }
      try {
        const result = action()
        return (
          result instanceof Promise ? result.then(done, fail) : done(result as Awaited<Result>)
        ) as Result
      } catch (error) {
        return fail(error)
      }
    },
  }
}
