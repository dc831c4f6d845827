import { errorMessage, SkillshelfError } from '../../core/errors.js'

/** An event that ends a worker. `message` is set if its script threw. */
export interface FatalEvent {
  readonly type: string
  readonly message?: string
  preventDefault?(): void
}

/** `close` fires in runtimes that report that the other end of a port is gone. */
export const FATAL_EVENTS = ['error', 'messageerror', 'close'] as const

const RETRY = 'load or call again to start a new worker'

/** @param ready True if the worker has answered before. */
export function fatalEventError({ type, message }: FatalEvent, ready: boolean): SkillshelfError {
  if (type === 'messageerror')
    return threadError('A message of the worker could not be read', 'use the same build in page and worker')
  if (type === 'close') return threadError('The port to the worker was closed', RETRY)
  if (ready) return threadError(`The worker crashed${message ? `: ${message}` : ''}`, RETRY)
  if (message) return threadError(`The script of the worker failed: ${message}`, 'it failed before it was ready')
  return threadError(
    'The script of the worker could not be loaded',
    "check its URL and those it imports, and the page's Content Security Policy",
  )
}

export function terminatedError(): SkillshelfError {
  return threadError('The worker was terminated', RETRY)
}

export function startTimeoutError(milliseconds: number): SkillshelfError {
  return threadError(
    `The worker was not ready within ${milliseconds} ms`,
    'its script must call serveEmbedder or serveMatcher; set startTimeout to wait longer',
  )
}

export function creationError(error: unknown): SkillshelfError {
  const hint = 'the script must have the origin of the page'
  return new SkillshelfError(
    'thread-failed',
    `The worker could not be created: ${errorMessage(error)}`,
    { hint },
    error,
  )
}

function threadError(message: string, hint: string): SkillshelfError {
  return new SkillshelfError('thread-failed', message, { hint })
}
