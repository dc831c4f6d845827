import { expose, wrap } from 'comlink'
import { type AbortOptions, MAX_DELAY } from '../../core/abort.js'
import {
  asSkillshelfError,
  errorMessage,
  SkillshelfError,
  throwIfAborted,
} from '../../core/errors.js'
import {
  type Call,
  type Calls,
  onLockReleased,
  type PageSide,
  type ThreadOptions,
  unpackError,
  type WorkerLike,
  type WorkerSide,
} from './protocol.js'

/** One worker, from its start to its end. */
export interface Thread<All extends Calls<All>> {
  /** True while it accepts calls. */
  readonly alive: boolean
  /** Calls the worker. Calls arrive in order, once the worker is ready; `input` is created when it is sent. */
  call<Name extends keyof All & string>(
    name: Name,
    input: () => All[Name]['input'],
    options?: AbortOptions & { onProgress?: ((step: All[Name]['step']) => void) | undefined },
  ): Promise<All[Name]['output']>
  /** Ends the worker at once. Pending and later calls fail with this error. */
  end(error: SkillshelfError): void
  /** Ends the worker after its call `close`. Pending and later calls fail with `closed`. */
  close(message: string): Promise<void>
}

/** A call without an answer yet. */
interface PendingCall {
  fail(error: unknown): void
  onProgress(step: unknown): void
}

const START_TIMEOUT = 60_000
/** Timeout of the call `close`, in milliseconds. */
const CLOSE_TIMEOUT = 5_000

/** An event that ends a worker. `message` is set if its script threw. */
interface FatalEvent {
  readonly type: string
  readonly message?: string
  preventDefault?(): void
}

/** `close` fires in runtimes that report that the other end of a port is gone. */
const FATAL_EVENTS = ['error', 'messageerror', 'close'] as const
const RETRY = 'load or call again to start a new worker'

/** Starts a worker that answers these calls. */
export function startThread<All extends Calls<All> & { close: Call<undefined, undefined> }>({
  worker: create,
  startTimeout = START_TIMEOUT,
}: ThreadOptions): Thread<All> {
  const worker = createWorker(create)
  const pending = new Map<number, PendingCall>()
  let calls = 0
  let ready = false
  let ended = false
  let refusal: SkillshelfError | undefined
  let stopWatching = (): void => {}
  let resolveReady = (): void => {}
  const whenReady = new Promise<void>(resolve => {
    resolveReady = resolve
  })
  const failAll = (error: SkillshelfError): void => {
    for (const { fail } of [...pending.values()]) fail(error)
  }
  const end = (error: SkillshelfError): void => {
    if (ended) return
    ended = true
    refusal ??= error
    clearTimeout(timer)
    stopWatching()
    for (const type of FATAL_EVENTS) worker.removeEventListener(type, onFatalEvent)
    failAll(error)
    if (terminate) terminate.call(worker)
    else worker.close?.()
  }
  const onFatalEvent = (event: FatalEvent): void => {
    // Pending calls report the error. Without any, it stays an uncaught error of the page.
    if (pending.size > 0) event.preventDefault?.()
    end(fatalEventError(event, ready))
  }
  for (const type of FATAL_EVENTS) worker.addEventListener(type, onFatalEvent)
  // A page that terminates the worker is noticed at once, also before the worker is ready and where there are no locks.
  const { terminate } = worker
  if (terminate) worker.terminate = () => end(threadError('The worker was terminated', RETRY))
  const endLate = (): void => {
    const hint =
      'its script must call serveEmbedder or serveMatcher; set startTimeout to wait longer'
    end(threadError(`The worker was not ready within ${startTimeout} ms`, hint))
  }
  const timer = setTimeout(endLate, Math.min(startTimeout, MAX_DELAY))

  const side: PageSide = {
    hello(lock) {
      if (ended) return
      clearTimeout(timer)
      if (lock) {
        stopWatching = onLockReleased(lock, () =>
          end(threadError('The worker was terminated', RETRY)),
        )
      }
      ready = true
      resolveReady()
    },
    progress: (number, step) => pending.get(number)?.onProgress(step),
  }
  expose(side, worker)
  const remote = wrap<WorkerSide>(worker)

  const ask: Thread<All>['call'] = (name, input, { signal, onProgress } = {}) =>
    new Promise((resolve, reject) => {
      const number = ++calls
      let sent = false
      const settle = (): void => {
        pending.delete(number)
        signal?.removeEventListener('abort', abort)
      }
      const fail = (error: unknown): void => {
        if (!pending.has(number)) return
        settle()
        if (sent) void remote.cancel(number)
        reject(error)
      }
      const abort = (): void =>
        fail(new SkillshelfError('aborted', 'The operation was aborted', {}, signal?.reason))
      const report = (step: unknown): void => {
        try {
          onProgress?.(step as never)
        } catch (error) {
          fail(error)
        }
      }
      const send = async (): Promise<void> => {
        await whenReady
        if (!pending.has(number)) return
        sent = true
        const answer = await remote.call(number, name, input())
        settle()
        if ('error' in answer) reject(unpackError(answer.error))
        else resolve(answer.value)
      }
      signal?.addEventListener('abort', abort)
      pending.set(number, { fail, onProgress: report })
      send().catch(error =>
        fail(asSkillshelfError(error, 'invalid-input', 'Only plain data can be sent to a worker')),
      )
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
      const alreadyEnded = refusal !== undefined
      const closed = new SkillshelfError('closed', message)
      refusal = closed
      if (alreadyEnded) return
      failAll(closed)
      const timeout = setTimeout(() => end(closed), CLOSE_TIMEOUT)
      // If `close` fails, the worker is ended anyway.
      if (ready) await ask('close', () => undefined).catch(() => {})
      clearTimeout(timeout)
      end(closed)
    },
  }
}

function createWorker(create: () => WorkerLike): WorkerLike {
  try {
    return create()
  } catch (error) {
    const hint =
      typeof Worker === 'undefined'
        ? 'there are no Web Workers here: use it in this process, such as transformers({ … })'
        : 'the script must have the origin of the page'
    throw threadError(`The worker could not be created: ${errorMessage(error)}`, hint, error)
  }
}

/** @param ready True if the worker has answered before. */
function fatalEventError({ type, message: text }: FatalEvent, ready: boolean): SkillshelfError {
  // Only V8 says that an error is uncaught.
  const message = text?.replace(/^Uncaught /, '')
  if (type === 'messageerror') {
    return threadError(
      'A message of the worker could not be read',
      'use the same build in page and worker',
    )
  }
  if (type === 'close') return threadError('The port to the worker was closed', RETRY)
  if (ready) return threadError(`The worker crashed${message ? `: ${message}` : ''}`, RETRY)
  if (message) {
    return threadError(
      `The script of the worker failed: ${message}`,
      'it failed before it was ready',
    )
  }
  return threadError(
    'The script of the worker could not be loaded',
    "check its URL and those it imports, and the page's Content Security Policy",
  )
}

function threadError(message: string, hint: string, cause?: unknown): SkillshelfError {
  return new SkillshelfError('thread-failed', message, { hint }, cause)
}
