import type { OnProgress } from '../../core/progress.js'
import type { ByteStream } from '../source.js'

/** Timeout and retries of requests. */
export interface RetryOptions {
  /** Retries after a temporary failure: no response, an incomplete body, status 408, 429 or 5xx. @default 2 */
  maxRetries?: number | undefined
  /** Delay in milliseconds before the first retry. It doubles with each retry. A `Retry-After` header takes precedence. @default 250 */
  backoff?: number | undefined
  /** Timeout per attempt in milliseconds. It restarts after every 64 KiB received. @default 30000 */
  timeout?: number | undefined
}

/** Options of `http`. */
export interface HttpOptions extends RetryOptions {
  /** First part of the skills' ids. @default The last part of the URL's path without its file extension, or the host. */
  name?: string | undefined
  /** The `fetch` implementation. @default globalThis.fetch */
  fetch?: ((url: string, init: HttpRequest) => Promise<HttpResponse>) | undefined
  /** Request headers, such as `authorization`. Sent to the URL's own origin only, also after a redirect. */
  headers?: Readonly<Record<string, string>> | undefined
  /** The `credentials` mode of requests to the URL's own origin. */
  credentials?: 'omit' | 'same-origin' | 'include' | undefined
  /**
   * Other origins that files may come from, such as `https://cdn.example.com`. `'any'` allows every https origin, and http if the URL
   * itself is http. It excludes hosts of a private network, such as `localhost` or `10.0.0.1`, unless the URL is one.
   * @default 'any'
   */
  origins?: 'any' | readonly string[] | undefined
  /** Maximum bytes of one file. @default 268435456 (256 MiB) */
  maxBytes?: number | undefined
  /** Called for each chunk received, with phase `download` and the URL as `item`. `total` is the declared length. */
  onProgress?: OnProgress | undefined
}

/** The request options passed to `fetch`. Every platform's `RequestInit` accepts them. */
export interface HttpRequest {
  /** @default 'GET' */
  method?: 'POST'
  body?: string
  headers: Record<string, string>
  signal?: AbortSignal
  redirect?: 'manual' | 'follow'
  /** Finds out whether a host answers at all. */
  mode?: 'no-cors'
  cache?: 'no-cache'
  credentials?: 'omit' | 'same-origin' | 'include'
}

/** The used part of a `Response`. Every platform's `Response` fits. */
export interface HttpResponse {
  readonly ok: boolean
  readonly status: number
  /** `opaqueredirect` for a redirect whose target the browser hides. */
  readonly type?: string
  /** Whether `fetch` followed a redirect to `url`. If not, `url` may be that of a proxy. */
  readonly redirected?: boolean
  readonly url?: string
  readonly headers: { get(name: string): string | null }
  /** Read as a stream where the platform supports it, so that reading can stop early. */
  readonly body?: (Partial<ByteStream> & { cancel(): Promise<unknown> }) | null
  arrayBuffer(): Promise<ArrayBuffer>
}
