import {
  asSkillshelfError,
  invalidInput,
  isSkillshelfError,
  SkillshelfError,
  throwIfAborted,
} from '../../core/errors.js'
import { parseUrl } from '../../core/parse-url.js'
import { parseJson } from '../../core/plain-data.js'
import { parseAddress } from '../../source/http/address.js'
import type { HttpResponse, RetryOptions } from '../../source/http/options.js'
import { parseRetryAfter, type Retry, shouldRetryResponse } from '../../source/http/retry.js'
import { bearerHeader, type Reply, requestWithRetries, responseError } from './request.js'
import { matchesShape, type Shape } from './response-shapes.js'

export interface ServerRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  /** Of the response. */
  shape: Shape
  body?: Uint8Array<ArrayBuffer> | string | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

/** Another writer may hold the store for a while, and uploads on slow lines take time. */
const RETRY: RetryOptions = { maxRetries: 4, timeout: 120_000 }
const UNKNOWN_HOST = ['ENOTFOUND', 'EAI_AGAIN']
const NETWORK_HINT = 'check the address and the network'

/** Sends requests with the write token of a server. All are retried, so they must be idempotent. @throws SkillshelfError `invalid-input` */
export function createServerRequest(
  address: string,
  token: string,
  signal: AbortSignal | undefined,
): { base: URL; request<T>(request: ServerRequest): Promise<{ data: T; response: HttpResponse }> } {
  const base = serverUrl(address)
  const request = async <T>({ method, path, shape, body, headers }: ServerRequest) => {
    const url = base.href + path
    const allHeaders = { ...(await bearerHeader(token)), accept: 'application/json', ...headers }
    const send = async (attempt: AbortSignal): Promise<Pick<Reply, 'response' | 'url'>> => {
      try {
        // `fetch` would follow a redirect without the token, or with GET.
        const init = { method, headers: allHeaders, signal: attempt, redirect: 'manual' as const }
        return { response: await fetch(url, body ? { ...init, body } : init), url }
      } catch (error) {
        if (UNKNOWN_HOST.includes((fetchCause(error) as { code?: string }).code ?? '')) {
          throw new SkillshelfError('source-failed', `Host ${base.host} not found`, {
            hint: NETWORK_HINT,
          })
        }
        throw error
      }
    }
    return requestWithRetries({
      send,
      accepts: response => response.ok,
      read({ bytes, response }) {
        const data = parseJson(bytes)
        if (!matchesShape(data, shape)) throw notWritable(base)
        return { data: data as T, response }
      },
      error: reply => publishError(base, reply),
      shouldRetry,
      retry: RETRY,
      signal,
    }).catch((error: unknown) => {
      throwIfAborted(signal)
      throw asSkillshelfError(
        fetchCause(error),
        'source-failed',
        `${base.href} could not be reached`,
        {
          hint: NETWORK_HINT,
        },
      )
    })
  }
  return { base, request }
}

function serverUrl(address: string): URL {
  const url = parseUrl(address)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw invalidInput(
      `"${address}" is not the address of a server`,
      'use an address such as https://skills.example.com/',
    )
  }
  return parseAddress(url).base
}

/** A conflict means that another writer is active: it ends. */
function shouldRetry(reply: Reply): Retry | undefined {
  const { status, headers } = reply.response
  return status === 409
    ? { delay: parseRetryAfter(headers.get('retry-after')) }
    : shouldRetryResponse(reply)
}

function publishError(base: URL, reply: Reply): SkillshelfError {
  const { status, headers } = reply.response
  if (status === 401) {
    return new SkillshelfError('not-allowed', `${base.href} rejected the token`, {
      status,
      hint: 'use the write token of the server',
    })
  }
  const location = status >= 300 && status < 400 ? headers.get('location') : null
  if (location !== null) {
    return new SkillshelfError('source-failed', `${base.href} redirects to ${location}`, {
      hint: 'use that address instead',
    })
  }
  const error = responseError(base.href, reply)
  return error.code === 'source-failed' && (status === 404 || status === 405)
    ? notWritable(base)
    : error
}

function notWritable(base: URL): SkillshelfError {
  return new SkillshelfError(
    'source-failed',
    `${base.href} is not a skillshelf server that accepts uploads`,
    {
      hint: 'use the address of a skillshelf Worker; for a static host run `skillshelf pack` and upload its output',
    },
  )
}

/** `fetch` reports only that it failed; its cause has the reason. */
function fetchCause(error: unknown): unknown {
  const { cause } = error as { cause?: unknown }
  return !isSkillshelfError(error) && cause instanceof Error ? cause : error
}
