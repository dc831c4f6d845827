import type { Scheduler } from 'fast-check'
import { vi } from 'vitest'
import { randomFrom } from '../../bench/random.js'
import { SkillshelfError } from '../../src/core/errors.js'

/**
 * How an operation fails:
 *
 * - `error`: it is not performed
 * - `full`: the same, because there is no room
 * - `lost`: it is performed, but its answer does not arrive
 * - `short`: its answer is cut off
 * - `hang`: it does not answer until its caller aborts; a write, and what cannot be aborted, is given up by the platform after a while
 * - `crash`: it is performed, and the program ends before the answer
 */
export const FAILURES = ['error', 'full', 'lost', 'short', 'hang', 'crash'] as const
export type Failure = (typeof FAILURES)[number]

/** The operation of a step that fails, from 1. */
export interface Fault {
  operation: number
  failure: Failure
}

/** The kind of an operation: a failure fits some of them. */
export type Kind = 'read' | 'write'

interface Operation<T> {
  kind: Kind
  name: string
  perform: () => Promise<T>
  signal: AbortSignal | undefined
}

/** What a run takes from its seed beside its steps: the order of operations, chance, the time, and the operation that fails. */
export interface Run {
  /** Performs an operation when its turn comes. Its answer has a turn of its own. */
  operation<T>(
    kind: Kind,
    name: string,
    perform: () => Promise<T>,
    signal?: AbortSignal | undefined,
  ): Promise<T>
  /** Lets operations take turns until work has ended, then until nothing is left to do. */
  settle<T>(work: () => Promise<T>): Promise<T>
  /** The same, where an operation may fail. Returns the number of its operations. Work that hangs is aborted. */
  withFault(
    fault: Fault | undefined,
    work: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<{ operations: number; crashed: boolean }>
  /** Performs the operations of work at once, without turns and failures. */
  quietly<T>(work: () => Promise<T>): Promise<T>
  /** Moves the clock. */
  pass(milliseconds: number): void
  end(): void
}

const { setTimeout: wait } = globalThis
const { setImmediate: next } = globalThis as { setImmediate?: (call: () => void) => unknown }
const pause = (): Promise<void> => new Promise(resolve => (next ? next(resolve) : wait(resolve, 0)))
/** Milliseconds of the real clock without anything to do: then the next timer fires, and later work hangs. */
const UNTIL_TIMER = 10
const UNTIL_HANG = 60_000
/** Milliseconds after which a platform gives up. */
const PATIENCE = 600_000
/** A program that ended does nothing any more. */
const never = (): Promise<never> => new Promise(() => undefined)

/** Work of the platform that takes a while: reads and writes that are performed, hashes and signatures. */
let busy = 0
async function whileBusy<T>(perform: () => Promise<T>): Promise<T> {
  busy++
  try {
    return await perform()
  } finally {
    busy--
  }
}
// Once, for all runs of a process.
const subtle = globalThis.crypto.subtle as unknown as Record<
  string,
  (...args: unknown[]) => Promise<unknown>
>
for (const name of ['digest', 'sign', 'verify', 'importKey', 'exportKey']) {
  const original = subtle[name]?.bind(subtle)
  if (original) subtle[name] = (...args) => whileBusy(() => original(...args))
}

const { DecompressionStream: platformInflater } = globalThis

const START = Date.parse('2026-01-01T00:00:00Z')

/** @param order Chooses the operation that is next. */
export function startRun(order: Scheduler, seed: number): Run {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: START })
  const random = vi.spyOn(Math, 'random').mockImplementation(randomFrom(seed))
  // Inflating is work of the platform that nothing waits for by name: without it, the package inflates by itself.
  Reflect.deleteProperty(globalThis, 'DecompressionStream')
  let isQuiet = false
  let operations = 0
  let fault: Fault | undefined
  /** Counts programs: operations of one that crashed never answer. */
  let program = 0
  let onCrash = (): void => undefined
  let onHang = (): void => undefined

  const fails = async <T>(
    failure: Failure,
    { kind, name, perform, signal }: Operation<T>,
  ): Promise<T> => {
    if (failure === 'error') throw new Error(`${name} failed`)
    if (failure === 'full') {
      throw new SkillshelfError('storage-full', `There is no room for ${name}`)
    }
    if (failure === 'hang') {
      onHang()
      return new Promise((_, reject) => {
        const stop = (): void => reject(new Error(`${name} did not answer in time`))
        if (!signal || kind === 'write') setTimeout(stop, PATIENCE)
        if (signal?.aborted) stop()
        signal?.addEventListener('abort', stop, { once: true })
      })
    }
    const answer = await perform()
    if (failure === 'lost') throw new Error(`${name} did not answer`)
    if (failure === 'crash') {
      program++
      // Neither do its timers.
      vi.clearAllTimers()
      onCrash()
      return never()
    }
    if (PACKED.test(name)) return cutOff(answer)
    throw new Error(`${name} was cut off`)
  }

  /** Waits until the platform has nothing to do. Returns whether it had. */
  const idle = async (): Promise<boolean> => {
    await pause()
    const wasBusy = busy > 0
    while (busy > 0) await pause()
    await pause()
    return wasBusy || busy > 0
  }

  const run: Run = {
    async operation(kind, name, perform, signal) {
      if (isQuiet) return whileBusy(perform)
      const own = program
      await order.schedule(Promise.resolve(), name)
      if (own !== program) return never()
      operations++
      const failure =
        fault?.operation === operations && fits(fault.failure, kind) ? fault.failure : undefined
      const answer = failure
        ? await fails(failure, { kind, name, perform: () => whileBusy(perform), signal })
        : await whileBusy(perform)
      await order.schedule(Promise.resolve(), `answer to ${name}`)
      return own === program ? answer : never()
    },
    async settle(work) {
      let isDone = false
      const running = work().finally(() => {
        isDone = true
      })
      running.catch(() => undefined)
      let since = performance.now()
      for (;;) {
        // What the platform has just done may have more to do: the clock does not pass meanwhile.
        if (await idle()) since = performance.now()
        const waited = performance.now() - since
        if (order.count() > 0) await order.waitOne()
        else if (isDone) return running
        else if (waited > UNTIL_TIMER && vi.getTimerCount() > 0) {
          await vi.advanceTimersToNextTimerAsync()
        } else if (waited > UNTIL_HANG) {
          throw new Error('It hangs: nothing is left to do, and it has not ended')
        } else continue
        since = performance.now()
      }
    },
    async withFault(next, work) {
      const controller = new AbortController()
      operations = 0
      fault = next
      let crashed = false
      try {
        await run.settle(() => {
          const crash = new Promise<void>(resolve => {
            onCrash = () => {
              crashed = true
              resolve()
            }
          })
          onHang = () => controller.abort()
          return Promise.race([work(controller.signal), crash])
        })
      } finally {
        fault = undefined
        onCrash = () => undefined
        onHang = () => undefined
      }
      return { operations, crashed }
    },
    async quietly(work) {
      isQuiet = true
      try {
        return await run.settle(work)
      } finally {
        isQuiet = false
      }
    },
    pass(milliseconds) {
      vi.setSystemTime(Date.now() + milliseconds)
    },
    end() {
      random.mockRestore()
      vi.useRealTimers()
      Object.assign(globalThis, { DecompressionStream: platformInflater })
    },
  }
  return run
}

/** A short answer is one of a read, and a place is full for a write. */
function fits(failure: Failure, kind: Kind): boolean {
  if (failure === 'short') return kind === 'read'
  return failure !== 'full' || kind === 'write'
}

/** Files whose digest is known, so that a short answer is one that is noticed. */
const PACKED = /files\/|\.seg|\.bin|skillshelf\.json/

/** The first half of the bytes of an answer. */
function cutOff<T>(answer: T): T {
  const { bytes } = (answer ?? {}) as { bytes?: unknown }
  if (!(bytes instanceof Uint8Array)) return answer
  return { ...answer, bytes: bytes.slice(0, bytes.length / 2) }
}
