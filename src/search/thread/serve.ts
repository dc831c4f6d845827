import { type Endpoint, expose, transfer, wrap } from 'comlink'
import { isShared } from '../../core/bytes.js'
import { asSkillshelfError, SkillshelfError } from '../../core/errors.js'
import {
  type Answer,
  type Calls,
  holdLock,
  type PageSide,
  packError,
  type WorkerLike,
  type WorkerSide,
} from './protocol.js'

export type Handlers<All extends Calls<All>> = {
  [Name in keyof All]: (
    input: All[Name]['input'],
    /** `signal` aborts when the caller's does. */
    context: { signal: AbortSignal; onProgress: (step: All[Name]['step']) => void },
  ) => Promise<All[Name]['output']>
}

/** Answers the calls of a page. @param failure Message prefix of errors that are not a SkillshelfError. */
export function serve<All extends Calls<All>>(
  handlers: Handlers<All>,
  failure: string,
  scope?: WorkerLike,
): void {
  const endpoint = (scope ?? globalThis) as Endpoint
  const page = wrap<PageSide>(endpoint)
  const running = new Map<number, AbortController>()

  const side: WorkerSide = {
    async call(number, name, input) {
      const stop = new AbortController()
      running.set(number, stop)
      const onProgress = (step: unknown): void => {
        void page.progress(number, step)
      }
      try {
        if (!Object.hasOwn(handlers, name)) throw unknownCall(name)
        return toAnswer(
          await handlers[name as keyof All](input, { signal: stop.signal, onProgress }),
        )
      } catch (error) {
        return { error: packError(asSkillshelfError(error, 'model-failed', failure)) }
      } finally {
        running.delete(number)
      }
    },
    cancel: number => running.get(number)?.abort(),
  }
  expose(side, endpoint)
  // A MessagePort peer may not share our lock manager.
  if (scope) void page.hello()
  else void holdLock().then(lock => page.hello(lock))
}

/** Transfers vectors instead of copying them. A view on a larger buffer or on shared memory, as of WebAssembly threads, is copied first. */
function toAnswer(value: unknown): Answer {
  if (!(value instanceof Float32Array)) return { value }
  const vectors =
    value.byteLength === value.buffer.byteLength && !isShared(value) ? value : value.slice()
  return transfer({ value: vectors }, [vectors.buffer as ArrayBuffer])
}

function unknownCall(name: string): SkillshelfError {
  return new SkillshelfError('thread-failed', `The worker does not support the call "${name}"`, {
    hint: 'use threadEmbedder with serveEmbedder, and threadMatcher with serveMatcher',
  })
}
