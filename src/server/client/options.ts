import type { AbortOptions } from '../../core/abort.js'
import type { HttpOptions, RetryOptions } from '../../source/http/options.js'

/** Options of `connectLibrary`. `signal` aborts the connection attempt; later calls take their own. */
export interface ConnectOptions
  extends RetryOptions,
    AbortOptions,
    Pick<HttpOptions, 'fetch' | 'headers' | 'credentials' | 'maxBytes'> {
  /**
   * Bearer token, sent only to the address's own origin. A function is called before each request.
   * @default undefined No token is sent.
   */
  token?: string | (() => string | Promise<string>) | undefined
  /**
   * Receives work that continues after a call returns. Pass `waitUntil` of `cloudflare:workers` on platforms that cancel such work.
   * @default undefined
   */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined
}
