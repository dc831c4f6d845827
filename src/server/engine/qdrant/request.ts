import type { AbortOptions } from '../../../core/abort.js'
import {
  asSkillshelfError,
  isSkillshelfError,
  SkillshelfError,
  throwIfAborted,
} from '../../../core/errors.js'
import { parseJson } from '../../../core/plain-data.js'
import { readBody } from '../../../source/http/response.js'
import { shouldRetryResponse, withRetries } from '../../../source/http/retry.js'

export interface QdrantConnection {
  /** Name shown in errors. */
  name: string
  url: string
  apiKey: string | undefined
  fetch: typeof fetch
  timeout: number
}

export interface QdrantRequest extends AbortOptions {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  body?: unknown
  /** Writes are repeated after a temporary failure; reads have no time for it. */
  retries?: number
}

const WRITE_TIMEOUT = 60_000
const BACKOFF = 500
/** Bytes. 150 candidates have 3 MB. */
const MAX_ANSWER = 32 * 1_048_576

/** Sends a request, returns the `result`. @throws `source-failed` if the server is unreachable, slow or answers with an error, `aborted` */
export async function requestQdrant(
  { name, url, apiKey, fetch, timeout }: QdrantConnection,
  { method, path, body, retries = 0, signal }: QdrantRequest,
): Promise<unknown> {
  const failed = (
    problem: string,
    details: { status?: number } = {},
    cause?: unknown,
  ): SkillshelfError =>
    new SkillshelfError('source-failed', `${name} ${problem}`, { subject: name, ...details }, cause)
  try {
    const { response, text } = await withRetries(
      async attempt => {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: {
            'content-type': 'application/json',
            ...(apiKey === undefined ? {} : { 'api-key': apiKey }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          // A redirect could send the key elsewhere.
          redirect: 'manual',
          signal: attempt,
        })
        const limits = { url: name, maxBytes: MAX_ANSWER, signal: attempt, restartTimeout() {} }
        const bytes = await readBody(response, limits)
        return { response, text: new TextDecoder().decode(bytes) }
      },
      shouldRetryResponse,
      {
        maxRetries: retries,
        backoff: BACKOFF,
        timeout: retries > 0 ? Math.max(timeout, WRITE_TIMEOUT) : timeout,
      },
      signal,
    )
    if (!response.ok) {
      throw failed(`answered ${response.status}: ${problemOf(text)}`, { status: response.status })
    }
    return (JSON.parse(text) as { result?: unknown }).result
  } catch (error) {
    throwIfAborted(signal)
    if (isSkillshelfError(error, 'too-large')) {
      throw failed(`answered with more than ${MAX_ANSWER} bytes`, {}, error)
    }
    if (isSkillshelfError(error)) throw error
    // The abort of an attempt that timed out is not the caller's.
    if (error instanceof Error && error.name === 'AbortError') {
      throw failed('did not answer', {}, error)
    }
    throw asSkillshelfError(error, 'source-failed', `${name} could not be reached`, {
      subject: name,
    })
  }
}

function problemOf(text: string): string {
  // A proxy answers in HTML.
  const answer = parseJson(text) as { status?: { error?: unknown } } | null | undefined
  const error = answer?.status?.error
  return (typeof error === 'string' ? error : text).slice(0, 300)
}
