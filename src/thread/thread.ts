import { type Endpoint, expose, wrap } from 'comlink'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../core/errors.js'
import type { Call, Calls, PageSide, WorkerSide } from './calls.js'
import { deathOf, LAST_EVENTS, type LastEvent, notMade, terminated, tooLate } from './death.js'
import { unpackError } from './envelope.js'
import { onceFree } from './lock.js'
import type { ThreadOptions, WorkerLike } from './types.js'

/** One worker, from its start to its end. */
export interface Thread<All extends Calls<All>> {
  /** Whether it still takes calls. */
  readonly alive: boolean
  /** Asks the worker. Calls reach it in their order, once it serves; `input` is made as it is sent. */
  call<Name extends keyof All & string>(
    name: Name,
    input: () => All[Name]['input'],
    options?: {
      signal?: AbortSignal | undefined
      onProgress?: ((step: All[Name]['step']) => void) | undefined
    },
  ): Promise<All[Name]['output']>
  /** Ends the worker at once: what waits fails with this error, as do later calls. */
  end(error: SkillshelfError): void
  /** Ends the worker after its call `close`: what waits fails with `closed`, as do later calls. */
  close(message: string): Promise<void>
}

/** A call that waits for its answer. */
interface Waiting {
  fail(error: unknown): void
  onProgress(step: unknown): void
}

const START_TIMEOUT = 60_000
/** Milliseconds that a worker has to close what it holds. */
const CLOSE_TIMEOUT = 5_000
/** A timer fires at once when it is given more. */
const LONGEST = 2 ** 31 - 1

/** Starts a worker that serves these calls. */
export function startThread<All extends Calls<All> & { close: Call<undefined, undefined> }>({
  worker: make,
  startTimeout = START_TIMEOUT,
}: ThreadOptions): Thread<All> {
  const worker = made(make)
  const waiting = new Map<number, Waiting>()
  let calls = 0
  let serving = false
  let ended = false
  let refusal: SkillshelfError | undefined
  let unwatch = (): void => {}
  let serves = (): void => {}
  const hello = new Promise<void>(resolve => {
    serves = resolve
  })

  const failAll = (error: SkillshelfError): void => {
    for (const { fail } of [...waiting.values()]) fail(error)
  }
  const end = (error: SkillshelfError): void => {
    if (ended) return
    ended = true
    refusal ??= error
    clearTimeout(timer)
    unwatch()
    for (const type of LAST_EVENTS) worker.removeEventListener(type, onLastEvent)
    failAll(error)
    if (worker.terminate) worker.terminate()
    else worker.close?.()
  }
  const onLastEvent = (event: LastEvent): void => {
    // Those who wait are told; with nobody waiting it stays an error of the page.
    if (waiting.size > 0) event.preventDefault?.()
    end(deathOf(event, serving))
  }
  for (const type of LAST_EVENTS) worker.addEventListener(type, onLastEvent)
  const timer = setTimeout(() => end(tooLate(startTimeout)), Math.min(startTimeout, LONGEST))

  const side: PageSide = {
    hello(lock) {
      if (ended) return
      clearTimeout(timer)
      if (lock) unwatch = onceFree(lock, () => end(terminated()))
      serving = true
      serves()
    },
    progress: (number, step) => waiting.get(number)?.onProgress(step),
  }
  expose(side, worker as Endpoint)
  const remote = wrap<WorkerSide>(worker as Endpoint)

  const ask: Thread<All>['call'] = (name, input, { signal, onProgress } = {}) =>
    new Promise((resolve, reject) => {
      const number = ++calls
      let sent = false
      const settle = (): void => {
        waiting.delete(number)
        signal?.removeEventListener('abort', abort)
      }
      const fail = (error: unknown): void => {
        if (!waiting.has(number)) return
        settle()
        if (sent) void remote.cancel(number)
        reject(error)
      }
      const abort = (): void => fail(new SkillshelfError('aborted', 'The operation was aborted', {}, signal?.reason))
      const told = (step: unknown): void => {
        try {
          onProgress?.(step as never)
        } catch (error) {
          fail(error)
        }
      }
      const send = async (): Promise<void> => {
        await hello
        if (!waiting.has(number)) return
        sent = true
        const answer = await remote.call(number, name, input())
        settle()
        if ('error' in answer) reject(unpackError(answer.error))
        else resolve(answer.value)
      }
      signal?.addEventListener('abort', abort)
      waiting.set(number, { fail, onProgress: told })
      send().catch(error => fail(asSkillshelfError(error, 'invalid-input', 'Only plain data crosses to a worker')))
    })

  return {
    get alive() {
      return !refusal
    },
    async call(name, input, options) {
      if (refusal) throw refusal
      throwIfAborted(options?.signal)
      return ask(name, input, options)
    },
    end,
    async close(message) {
      const over = refusal !== undefined
      const closed = new SkillshelfError('closed', message)
      refusal = closed
      if (over) return
      failAll(closed)
      const timeout = setTimeout(() => end(closed), CLOSE_TIMEOUT)
      // What cannot be closed goes with its worker.
      if (serving) await ask('close', () => undefined).catch(() => {})
      clearTimeout(timeout)
      end(closed)
    },
  }
}

function made(make: () => WorkerLike): WorkerLike {
  try {
    return make()
  } catch (error) {
    throw notMade(error)
  }
}
