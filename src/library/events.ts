import { SkillshelfError } from '../core/errors.js'
import type { LibraryChange } from './catalog/types.js'

type Listener = (change: LibraryChange) => void

/**
 * Adds a listener for the `change` event of a library. Returns a function that removes it.
 * @throws SkillshelfError `invalid-input` for any other event, or a listener that is not a function
 */
export function listen(listeners: Set<Listener>, event: string, listener: Listener): () => void {
  if (event !== 'change')
    throw new SkillshelfError('invalid-input', `Unknown event ${JSON.stringify(event)}. The only event is "change".`)
  if (typeof listener !== 'function')
    throw new SkillshelfError('invalid-input', 'The listener of "change" must be a function')
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Calls every listener. As for DOM events, the error of a listener is reported as an uncaught error. */
export function emit(listeners: Iterable<Listener>, change: LibraryChange): void {
  for (const listener of [...listeners]) {
    try {
      listener(change)
    } catch (error) {
      reportUncaught(error)
    }
  }
}

/** Reports an error of a callback that no caller waits for. */
export function reportUncaught(error: unknown): void {
  if (typeof globalThis.reportError === 'function') globalThis.reportError(error)
  // Node has no `reportError`.
  else
    queueMicrotask(() => {
      throw error
    })
}
