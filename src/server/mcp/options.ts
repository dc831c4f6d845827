import type { SessionOptions } from '../../agent/session/options.js'
import type { OptionNames } from '../../core/text/option-names.js'

/** Options of `createMcpServer`. */
export interface McpServerOptions {
  /** Name and version that the server reports. @default { name: 'skillshelf', version: '0.3.0' } (the version of this package) */
  info?: { name: string; version: string; title?: string } | undefined
  /** Options of the session, such as its dialect. Skills that a client opens stay open until the server closes. @default {} */
  session?: SessionOptions | undefined
  /**
   * How long clients of protocol 2026-07-28 may cache lists, skills and files, in milliseconds, and whether a shared cache may keep them.
   * @default { ttlMs: 0, cacheScope: 'private' }; `createHandler` uses its `refreshAfter`, and `public` unless reads need a token
   */
  cacheHint?: { ttlMs?: number; cacheScope?: 'public' | 'private' } | undefined
}

export const MCP_OPTIONS = {
  info: 1,
  session: 1,
  cacheHint: 1,
} satisfies OptionNames<McpServerOptions>
