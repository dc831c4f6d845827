import type { SessionOptions } from '../../agent/session/options.js'
import type { MessageLanguage } from '../../library/enrich/languages.js'
import type { Diagnostic } from '../../skill/diagnostics.js'

/** Options of `createMcpServer`. */
export interface McpServerOptions {
  /**
   * Name and version that the server reports to clients.
   * @default { name: 'skillshelf', version: '0.3.0' } (the version of this package)
   */
  info?: { name: string; version: string; title?: string } | undefined
  /**
   * Options of the session behind the server, such as its dialect. Skills that a client opens stay open until the server closes.
   * @default {}
   */
  session?: SessionOptions | undefined
  /**
   * How long clients of protocol 2026-07-28 may cache lists, skills and files, in milliseconds, and whether a shared cache may keep them.
   * @default { ttlMs: 0, cacheScope: 'private' }; `createHandler` uses its `refreshAfter`, and `public` unless reads need a token
   */
  cacheHint?: { ttlMs?: number; cacheScope?: 'public' | 'private' } | undefined
  /**
   * Asks the model of the client for messages that find the skills, as `library.enrich` does, if the library is local and the client offers
   * sampling (up to protocol 2025-11-25, over a connection that lasts). Each request uses tokens of the client.
   * @default undefined (never asks)
   */
  enrich?: McpEnrichOptions | undefined
}

/** Options of `enrich` of `createMcpServer`. */
export interface McpEnrichOptions {
  /**
   * Languages of the messages.
   * @default ['en']
   */
  languages?: readonly MessageLanguage[] | undefined
  /**
   * Messages of each language, 1 to 7.
   * @default 6 in English, 4 in others
   */
  count?: number | undefined
  /**
   * Called for each skill that gets no messages.
   * @default console.warn
   */
  onFailure?: ((failure: Diagnostic) => void) | undefined
  /** Called once, when every skill was asked for, or with the error that ended it. */
  onEnd?: ((end: { kept: number; failed: number } | Error) => void) | undefined
}
