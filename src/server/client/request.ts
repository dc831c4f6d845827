import { errorFromProblem } from '../../core/error-response.js'
import { asSkillshelfError, invalidInput, SkillshelfError } from '../../core/errors.js'
import { parseJson } from '../../core/plain-data.js'
import type { HttpResponse, RetryOptions } from '../../source/http/options.js'
import { mediaTypeOf, readBody } from '../../source/http/response.js'
import { type Retry, shouldRetryResponse, withRetries } from '../../source/http/retry.js'

export interface Reply {
  response: HttpResponse
  /** Address after redirects. */
  url: string
  bytes: Uint8Array<ArrayBuffer>
}

export interface RetriedRequest<T> {
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
  const {
    send,
    accepts,
    read,
    error,
    shouldRetry = shouldRetryResponse,
    maxBytes,
    retry,
    signal,
  } = request
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

/** The header of a bearer token. @throws `invalid-input` for characters that a header cannot hold, `not-allowed` if the function fails */
export async function bearerHeader(
  token: string | (() => string | Promise<string>) | undefined,
): Promise<Record<string, string>> {
  if (token === undefined) return {}
  const value = typeof token === 'function' ? await callToken(token) : token
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
    throw invalidInput(
      '`token` must consist of visible ASCII characters',
      'pass the token without "Bearer"',
    )
  }
  return { authorization: `Bearer ${value}` }
}

async function callToken(token: () => string | Promise<string>): Promise<string> {
  try {
    return await token()
  } catch (error) {
    throw asSkillshelfError(error, 'not-allowed', 'The `token` function failed')
  }
}

const STATUS_HINTS: Readonly<Record<number, string>> = {
  401: 'pass `token`',
  403: 'pass `token`',
  404: 'use the address of a skillshelf server; to open packed files of a static host use `openLibrary`',
  405: 'use the address of a skillshelf server; to open packed files of a static host use `openLibrary`',
}

/** Error of a response that is not a success: the error of the library behind the server, or one from the status. */
export function responseError(
  url: string,
  { response, bytes }: Pick<Reply, 'response' | 'bytes'>,
): SkillshelfError {
  const { status } = response
  const isProblem = mediaTypeOf(response) === 'application/problem+json'
  const problem = isProblem ? errorFromProblem(parseJson(bytes), status) : undefined
  // The server aborted or closed something; the caller did not.
  if (problem?.code === 'aborted' || problem?.code === 'closed') {
    return SkillshelfError.from({ ...problem.toJSON(), code: 'source-failed' })
  }
  if (problem) return problem
  const hint = STATUS_HINTS[status]
  const code = status === 401 || status === 403 ? 'not-allowed' : 'source-failed'
  return new SkillshelfError(code, `${url} answered ${status}`, {
    subject: url,
    status,
    ...(hint ? { hint } : {}),
  })
}

/** Error of a success that does not come from a skillshelf server, such as the sign-in page of a network. */
export function unexpectedResponse(url: string, response: HttpResponse): SkillshelfError {
  const type = mediaTypeOf(response) ?? 'bytes'
  return new SkillshelfError(
    'source-failed',
    `${url} answered with ${type} that no skillshelf server sends`,
    {
      subject: url,
      status: response.status,
      hint: 'check the address, and whether a sign-in page answers in its place',
    },
  )
}
