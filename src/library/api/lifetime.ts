import type { AbortOptions } from '../../core/abort.js'
import { lazy } from '../../core/concurrency.js'
import { invalidInput, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import type { LibraryChange } from '../catalog/catalog-entry.js'

/** Whether a library is open, and the listeners of its changes. Every part of a library shares one. */
export interface Lifetime extends Pick<Listeners<LibraryChange>, 'on' | 'emit'> {
  readonly isClosed: boolean
  /** Aborted when the library is closed. Created on first use: Workers forbid it at module scope. */
  closing(): AbortSignal
  /** Throws if the library is closed, or a call of it is aborted. @throws SkillshelfError `closed`, `aborted` */
  check(options?: AbortOptions): void
  /** Removes the listeners and aborts `closing`. Returns `false` if the library was closed before. */
  close(): boolean
}

/** The listeners of one event. */
export interface Listeners<Value> {
  readonly listeners: Set<(value: Value) => void>
  /** Returns a function that removes the listener. @throws SkillshelfError `invalid-input` if `event` is another one */
  on(event: string, listener: (value: Value) => void): () => void
  /** Calls every listener. As for DOM events, the error of a listener is reported as an uncaught error. */
  emit(value: Value): void
}

export function createLifetime(): Lifetime {
  const { on, emit, listeners } = createListeners<LibraryChange>('change')
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
    on,
    emit,
    close() {
      if (isClosed) return false
      isClosed = true
      listeners.clear()
      controller().abort()
      return true
    },
  }
}

/** @param name The event that they listen to. */
export function createListeners<Value>(name: string): Listeners<Value> {
  const listeners = new Set<(value: Value) => void>()
  return {
    listeners,
    on(event, listener) {
      if (event !== name) {
        throw invalidInput(`Unknown event ${JSON.stringify(event)}. The only event is "${name}".`)
      }
      if (typeof listener !== 'function') {
        throw invalidInput(`The listener of "${name}" must be a function`)
      }
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    emit(value) {
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
  if (typeof globalThis.reportError === 'function') {
    globalThis.reportError(error)
    return
  }
  // Node has no `reportError`.
  queueMicrotask(() => {
    throw error
  })
}
