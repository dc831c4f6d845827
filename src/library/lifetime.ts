import type { AbortOptions } from '../core/abort.js'
import { lazy } from '../core/concurrency.js'
import { SkillshelfError, throwIfAborted } from '../core/errors.js'
import type { LibraryChange } from './catalog/catalog-entry.js'

type Listener = (change: LibraryChange) => void

/** Whether a library is open, and its listeners. */
export interface Lifetime {
  readonly isClosed: boolean
  /** Aborted when the library is closed. Created on first use: Workers forbid it at module scope. */
  readonly closing: () => AbortSignal
  /** @throws SkillshelfError `closed`, `aborted` */
  check(options?: AbortOptions): void
  /** Returns a function that removes the listener. @throws SkillshelfError `invalid-input` if `event` is not `change` */
  on(event: string, listener: Listener): () => void
  /** Calls every listener. As for DOM events, the error of a listener is reported as an uncaught error. */
  emit(change: LibraryChange): void
  /** Returns `false` if the library was closed before. */
  close(): boolean
}

export function createLifetime(): Lifetime {
  const listeners = new Set<Listener>()
  const controller = lazy(() => new AbortController())
  let isClosed = false
  return {
    get isClosed() {
      return isClosed
    },
    closing: () => controller().signal,
    check({ signal } = {}) {
      if (isClosed) throw new SkillshelfError('closed', 'The library was closed')
      throwIfAborted(signal)
    },
    on(event, listener) {
      if (event !== 'change')
        throw new SkillshelfError(
          'invalid-input',
          `Unknown event ${JSON.stringify(event)}. The only event is "change".`,
        )
      if (typeof listener !== 'function')
        throw new SkillshelfError('invalid-input', 'The listener of "change" must be a function')
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    emit(change) {
      for (const listener of [...listeners]) {
        try {
          listener(change)
        } catch (error) {
          reportUncaught(error)
        }
      }
    },
    close() {
      if (isClosed) return false
      isClosed = true
      listeners.clear()
      controller().abort()
      return true
    },
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
