import { type ErrorData, SkillshelfError } from '../../core/errors.js'

/** The common part of a Web Worker and a MessagePort. */
export interface WorkerLike {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void
  addEventListener(type: string, listener: (event: { readonly type: string }) => void): void
  removeEventListener(type: string, listener: (event: { readonly type: string }) => void): void
  /** Opens a port. */
  start?(): void
  /** Closes a port. */
  close?(): void
  /** Ends a worker. */
  terminate?(): void
}

export interface ThreadOptions {
  /** Creates the worker. Called for each start, including the restart after a crash. */
  worker: () => WorkerLike
  /** Timeout for the worker to load its script and become ready, in milliseconds. @default 60000 */
  startTimeout?: number | undefined
}

/** A call that a worker answers: its input, output and progress steps, all of them plain data. */
export interface Call<Input, Output, Step = never> {
  input: Input
  output: Output
  step: Step
}

export type Calls<All> = { [Name in keyof All]: Call<unknown, unknown, unknown> }

export type Answer = { value: unknown } | { error: SentError }

/** The worker, as the page calls it. The number of a call identifies it for cancellation and progress. */
export interface WorkerSide {
  call(number: number, name: string, input: unknown): Promise<Answer>
  cancel(number: number): void
}

/** The page, as the worker calls it. */
export interface PageSide {
  /** The worker is ready. It holds `lock` until it ends. */
  hello(lock?: string): void
  progress(number: number, step: unknown): void
}

/** An error as plain data. Comlink alone would drop its code, details and cause. */
export type SentError = (ErrorData | { name: string; message: string }) & { cause?: SentError }

/** Maximum causes followed, because a chain can be circular. */
const MAX_DEPTH = 8

export function packError(error: unknown, depth = MAX_DEPTH): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, cause } = error
  return {
    ...(error instanceof SkillshelfError ? error.toJSON() : { name, message }),
    ...(cause === undefined || depth === 0 ? {} : { cause: packError(cause, depth - 1) }),
  }
}

export function unpackError({ cause, ...sent }: SentError): Error {
  const error = 'code' in sent ? SkillshelfError.from(sent) : new Error(sent.message)
  if ('name' in sent) define(error, 'name', sent.name)
  if (cause) define(error, 'cause', unpackError(cause))
  return error
}

/** Non-enumerable, as the Error constructor defines it. */
function define(error: Error, key: 'name' | 'cause', value: unknown): void {
  Object.defineProperty(error, key, { value, configurable: true, writable: true })
}

// terminate() and self.close() fire no event, but they release the locks of the worker.

/** Holds a lock until this worker ends, and returns its name; `undefined` without Web Locks. */
export async function holdLock(): Promise<string | undefined> {
  const manager = lockManager()
  if (!manager) return undefined
  const name = `skillshelf ${crypto.randomUUID()}`
  return new Promise(resolve => {
    const holdForever = (): Promise<never> => {
      resolve(name)
      return new Promise(() => {})
    }
    manager.request(name, holdForever).catch(() => resolve(undefined))
  })
}

/** Calls back when a lock is released. Returns a function that stops waiting. */
export function onLockReleased(name: string, callback: () => void): () => void {
  const stop = new AbortController()
  lockManager()
    ?.request(name, { signal: stop.signal }, callback)
    .catch(() => {})
  return () => stop.abort()
}

/** Missing in Node 20 and in insecure contexts. */
function lockManager(): LockManager | undefined {
  return (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks
}
