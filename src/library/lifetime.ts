import type { AbortOptions } from '../core/abort.js'
import { lazy } from '../core/concurrency.js'
import { invalidInput, SkillshelfError, throwIfAborted } from '../core/errors.js'
import type { LibraryChange } from './catalog/catalog-entry.js'

export type Lifetime = ReturnType<typeof createLifetime>

/** Whether a library is open, and its listeners. */
export function createLifetime() {
  const { on, emit, listeners } = createListeners<LibraryChange>('change')
  const controller = lazy(() => new AbortController())
  let isClosed = false
  return {
    get isClosed(): boolean {
      return isClosed
    },
    /** Aborted when the library is closed. Created on first use: Workers forbid it at module scope. */
    closing: (): AbortSignal => controller().signal,
    /** @throws SkillshelfError `closed`, `aborted` */
    check({ signal }: AbortOptions = {}): void {
      if (isClosed) throw new SkillshelfError('closed', 'The library was closed')
      throwIfAborted(signal)
    },
    on,
    emit,
    /** Returns `false` if the library was closed before. */
    close(): boolean {
      if (isClosed) return false
      isClosed = true
      listeners.clear()
      controller().abort()
      return true
    },
  }
}

export function createListeners<Value>(name: string) {
  const listeners = new Set<(value: Value) => void>()
  return {
    listeners,
    /** Returns a function that removes the listener. @throws SkillshelfError `invalid-input` if `event` is another one */
    on(event: string, listener: (value: Value) => void): () => void {
      if (event !== name) throw invalidInput(`Unknown event ${JSON.stringify(event)}. The only event is "${name}".`)
      if (typeof listener !== 'function') throw invalidInput(`The listener of "${name}" must be a function`)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Calls every listener. As for DOM events, the error of a listener is reported as an uncaught error. */
    emit(value: Value): void {
      for (const listener of [...listeners]) {
        try {
          listener(value)
        } catch (error) {
          reportUncaught(error)
        }
      }
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
