import { type Endpoint, expose, transfer, wrap } from 'comlink'
import { asSkillshelfError, SkillshelfError } from '../core/errors.js'
import type { Answer, Calls, PageSide, WorkerSide } from './calls.js'
import { packError } from './envelope.js'
import { holdLock } from './lock.js'
import type { WorkerLike } from './types.js'

export type Handlers<All extends Calls<All>> = {
  [Name in keyof All]: (
    input: All[Name]['input'],
    /** The signal fires when the caller's does. */
    context: { signal: AbortSignal; onProgress: (step: All[Name]['step']) => void },
  ) => Promise<All[Name]['output']>
}

/** Answers the calls of a page. `what` begins the message of errors that are not of this library. */
export function serve<All extends Calls<All>>(handlers: Handlers<All>, what: string, scope?: WorkerLike): void {
  const endpoint = (scope ?? globalThis) as Endpoint
  const page = wrap<PageSide>(endpoint)
  const running = new Map<number, AbortController>()

  const side: WorkerSide = {
    async call(number, name, input) {
      const stop = new AbortController()
      running.set(number, stop)
      const onProgress = (step: unknown): void => void page.progress(number, step)
      try {
        if (!Object.hasOwn(handlers, name)) throw notServed(name)
        return answerOf(await handlers[name as keyof All](input, { signal: stop.signal, onProgress }))
      } catch (error) {
        return { error: packError(asSkillshelfError(error, 'model-failed', what)) }
      } finally {
        running.delete(number)
      }
    },
    cancel: number => running.get(number)?.abort(),
  }
  expose(side, endpoint)
  // Who is at the other end of a port may have other locks.
  if (scope) void page.hello()
  else void holdLock().then(lock => page.hello(lock))
}

/** Vectors are moved, not copied; one that is part of something larger is cut out first. */
function answerOf(value: unknown): Answer {
  if (!(value instanceof Float32Array)) return { value }
  const whole = value.byteLength === value.buffer.byteLength ? value : value.slice()
  return transfer({ value: whole }, [whole.buffer as ArrayBuffer])
}

function notServed(name: string): SkillshelfError {
  return new SkillshelfError('thread-failed', `The worker does not know the call "${name}"`, {
    hint: 'threadEmbedder goes with serveEmbedder, threadMatcher with serveMatcher',
  })
}
