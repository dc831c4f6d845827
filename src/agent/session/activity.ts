import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { reportUncaught } from '../../library/events.js'
import { toolName } from './allowed-tools.js'
import type { Session, SessionActivity } from './types.js'

type Start = Pick<SessionActivity, 'type' | 'skill' | 'path' | 'tool'>
type Details = Partial<Omit<SessionActivity, 'type' | 'startedAt' | 'duration'>>

/** The listeners of a session. */
export interface Activities {
  /** @throws SkillshelfError `invalid-input` for any other event, or a listener that is not a function */
  on(event: 'activity', listener: (activity: SessionActivity) => void): () => void
  /** Runs an action, and reports it if there are listeners. */
  run<Result>(start: Start, action: () => Result, describe: (result: Awaited<Result>) => Details): Result
}

/** Creates the listeners of a session. */
export function createActivities(): Activities {
  const listeners = new Set<(activity: SessionActivity) => void>()
  const emit = (activity: SessionActivity): void => {
    for (const listener of [...listeners]) {
      try {
        listener(activity)
      } catch (error) {
        reportUncaught(error)
      }
    }
  }
  return {
    on(event, listener) {
      if (event !== 'activity')
        throw new SkillshelfError(
          'invalid-input',
          `Unknown event ${JSON.stringify(event)}. The only event is "activity".`,
        )
      if (typeof listener !== 'function')
        throw new SkillshelfError('invalid-input', 'The listener of "activity" must be a function')
      // The same function may listen twice.
      const own = (activity: SessionActivity): void => listener(activity)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    run(start, action, describe) {
      if (listeners.size === 0) return action()
      const startedAt = Date.now()
      const begin = performance.now()
      const end = (details: Details): void =>
        emit({ ...start, startedAt, duration: performance.now() - begin, ...details })
      const fail = (error: unknown): never => {
        end({ error: isSkillshelfError(error) ? error.code : error instanceof Error ? error.name : 'Error' })
        throw error
      }
      try {
        const result = action()
        if (result instanceof Promise)
          return result.then(value => {
            end(describe(value))
            return value
          }, fail) as typeof result
        end(describe(result as Awaited<typeof result>))
        return result
      } catch (error) {
        return fail(error)
      }
    },
  }
}

/** Makes the methods of a session report what they do. */
export function reportActivities(session: Session, { run }: Activities): void {
  const { prepare, load, loadReference, read, unload, prune, rehydrate, countTokens } = session
  Object.assign(session, {
    prepare: (...args) =>
      run(
        { type: 'prepare' },
        () => prepare(...args),
        ({ system, tail, matches, loaded }) => ({
          tokens: countTokens(system) + countTokens(tail),
          matches: matches.map(({ id, score }) => ({ id, score })),
          skills: loaded,
        }),
      ),
    load: (...args) =>
      run(
        { type: 'load', skill: args[0] },
        () => load(...args),
        ({ skill, status, tokens, unloaded }) => ({
          skill: skill.id,
          tokens: status === 'loaded' ? tokens : 0,
          skills: unloaded,
        }),
      ),
    loadReference: (...args) =>
      run(
        { type: 'load-reference', skill: args[0], path: args[1] },
        () => loadReference(...args),
        result => ({
          skill: result.skill.id,
          path: result.file.path,
          tokens: result.status === 'loaded' ? result.tokens : 0,
          skills: result.unloaded,
        }),
      ),
    read: (...args) =>
      run(
        { type: 'read', skill: args[0], path: args[1] },
        () => read(...args),
        ({ skill, path }) => ({ skill, path }),
      ),
    unload: skill =>
      run(
        { type: 'unload', skill },
        () => unload(skill),
        closed => (closed ? { skill: closed.skill.id, tokens: closed.tokens } : {}),
      ),
    rehydrate: messages =>
      run(
        { type: 'rehydrate' },
        () => rehydrate(messages),
        ({ missing, text }) => ({
          skills: missing,
          tokens: countTokens(text),
        }),
      ),
    prune: ((tools: readonly unknown[], nameOf: (tool: unknown) => string = toolName) =>
      run(
        { type: 'prune' },
        () => prune(tools, nameOf),
        left => ({
          tools: Array.isArray(left) ? left.map(nameOf) : Object.keys(left),
        }),
      )) as Session['prune'],
  } satisfies Partial<Session>)
}
