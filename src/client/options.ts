import type { AbortOptions } from '../library/types.js'
import type { HttpOptions } from '../source/http/http.js'
import type { Patience } from '../source/retry.js'

/** `signal` ends the connecting; later calls have their own. */
export interface ConnectOptions
  extends Patience,
    AbortOptions,
    Pick<HttpOptions, 'fetch' | 'headers' | 'credentials' | 'maxBytes'> {
  /** Shown as a bearer token, to the address's own origin alone. A function is asked before each call. */
  token?: string | (() => string | Promise<string>) | undefined
  /**
   * Gets what is done behind an answer, on platforms that end what nobody waits for: `waitUntil` of `cloudflare:workers`. Default: it is
   * done without.
   */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined
}
