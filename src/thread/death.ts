import { errorMessage, SkillshelfError } from '../core/errors.js'

/** An event that ends a worker. `message` is there where its script threw. */
export interface LastEvent {
  readonly type: string
  readonly message?: string
  preventDefault?(): void
}

/** `close`: the other end of a port is gone, where the runtime tells so. */
export const LAST_EVENTS = ['error', 'messageerror', 'close'] as const

const AGAIN = 'load or ask again: that starts a new one'

/** Why a worker is of no use any more. `serving`: whether it ever was. */
export function deathOf({ type, message }: LastEvent, serving: boolean): SkillshelfError {
  if (type === 'messageerror')
    return failed('A message of the worker could not be read', 'take page and worker from one build')
  if (type === 'close') return failed('The port to the worker was closed', AGAIN)
  if (serving) return failed(`The worker crashed${message ? `: ${message}` : ''}`, AGAIN)
  if (message) return failed(`The script of the worker failed: ${message}`, 'it failed before it served')
  return failed(
    'The script of the worker could not be loaded',
    'its address, and each that it imports, must lead to a script that the policy of the page allows',
  )
}

export function terminated(): SkillshelfError {
  return failed('The worker was terminated', AGAIN)
}

export function tooLate(milliseconds: number): SkillshelfError {
  return failed(
    `The worker did not serve within ${milliseconds} ms`,
    'its script must call serveEmbedder or serveMatcher; startTimeout gives it longer',
  )
}

export function notMade(error: unknown): SkillshelfError {
  const message = errorMessage(error)
  const hint = 'its script must be of the origin of the page'
  return new SkillshelfError('thread-failed', `The worker could not be made: ${message}`, { hint }, error)
}

function failed(message: string, hint: string): SkillshelfError {
  return new SkillshelfError('thread-failed', message, { hint })
}
