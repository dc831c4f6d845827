import { asSkillshelfError, SkillshelfError } from '../../core/errors.js'
import type { HttpResponse, RetryOptions } from '../../source/http/options.js'
import { readBody } from '../../source/http/response.js'
import { type Retry, shouldRetryResponse, withRetries } from '../../source/http/retry.js'

/** Response with its body read. */
export interface Reply {
  response: HttpResponse
  /** Address after redirects. */
  url: string
  bytes: Uint8Array<ArrayBuffer>
}

export interface RetriedRequest<T> {
  /** Sends one attempt. */
  send(signal: AbortSignal): Promise<Pick<Reply, 'response' | 'url'>>
  /** Whether `read` takes this response. Others are errors. */
  accepts(response: HttpResponse): boolean
  /** Returns the result. An error other than a `SkillshelfError` is retried: the body may be incomplete. */
  read(reply: Reply): T
  /** Error of a response that is not accepted and not worth another attempt. */
  error(reply: Reply): Error
  /** Whether to retry a response. Default: 408, 429 and 5xx except 501. */
  shouldRetry?: ((reply: Reply) => Retry | undefined) | undefined
  /** Maximum bytes of the body. Default 256 MiB. */
  maxBytes?: number | undefined
  retry: RetryOptions
  signal: AbortSignal | undefined
}

/** Sends a request until it succeeds, fails for good, or no retries are left. */
export async function requestWithRetries<T>(request: RetriedRequest<T>): Promise<T> {
  const { send, accepts, read, error, shouldRetry = shouldRetryResponse, maxBytes, retry, signal } = request
  const attempt = async (
    attemptSignal: AbortSignal,
    restartTimeout: () => void,
  ): Promise<Reply & { result?: { value: T } }> => {
    const { response, url } = await send(attemptSignal)
    const body = await readBody(response, { url, maxBytes, signal: attemptSignal, restartTimeout })
    const reply = { response, url, bytes: body ?? new Uint8Array() }
    return accepts(response) ? { ...reply, result: { value: read(reply) } } : reply
  }
  const reply = await withRetries(attempt, shouldRetry, retry, signal)
  if (!reply.result) throw error(reply)
  return reply.result.value
}

/**
 * Creates the `Authorization` header of a bearer token.
 * @throws SkillshelfError `invalid-input` for characters that a header cannot hold, `not-allowed` if the token function fails
 */
export async function bearerHeader(
  token: string | (() => string | Promise<string>) | undefined,
): Promise<Record<string, string>> {
  if (token === undefined) return {}
  const value = typeof token === 'function' ? await callToken(token) : token
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value))
    throw new SkillshelfError('invalid-input', '`token` must consist of visible ASCII characters', {
      hint: 'pass the token without "Bearer"',
    })
  return { authorization: `Bearer ${value}` }
}

async function callToken(token: () => string | Promise<string>): Promise<string> {
  try {
    return await token()
  } catch (error) {
    throw asSkillshelfError(error, 'not-allowed', 'The `token` function failed')
  }
}

/** Parses a JSON body; `undefined` if it is not JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
