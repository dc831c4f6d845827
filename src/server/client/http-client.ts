import { type AbortOptions, abortable, linkedController } from '../../core/abort.js'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { tryDecode } from '../../core/paths.js'
import type { ReadFileOptions } from '../../library/api/backend.js'
import { parseAddress } from '../../source/http/address.js'
import type { HttpOptions, RetryOptions } from '../../source/http/options.js'
import { createFetcher, rangeHeader } from '../../source/http/request.js'
import { contentRange, mediaTypeOf } from '../../source/http/response.js'
import {
  bearerHeader,
  type Reply,
  requestWithRetries,
  responseError,
  unexpectedResponse,
} from './request.js'
import { matchesShape, type Shape } from './response-shapes.js'

/** Options of `connectLibrary`. `signal` aborts the connection attempt; later calls take their own. */
export interface ConnectOptions
  extends RetryOptions,
    AbortOptions,
    Pick<HttpOptions, 'fetch' | 'headers' | 'credentials' | 'maxBytes'> {
  /** Bearer token, sent only to the address's own origin. A function is called before each request. @default undefined No token is sent. */
  token?: string | (() => string | Promise<string>) | undefined
  /** Receives work that outlives a call: `waitUntil` of `cloudflare:workers` where platforms cancel such work. @default undefined */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined
}

/** Requests to a skillshelf server, with retries. Paths are percent-encoded and relative to the address. */
export interface HttpClient {
  /** Address of the server, with a slash at its end. */
  readonly address: string
  /** Requests JSON and checks its shape. @throws the server's error; `source-failed`, `not-allowed`, `too-large`, `aborted`, `closed` */
  json<T>(path: string, request: JsonRequest): Promise<TaggedData<T>>
  /** Requests JSON; `undefined` if it still has this ETag. @throws as `json` */
  jsonIfChanged<T>(
    tag: string | undefined,
    path: string,
    request: JsonRequest,
  ): Promise<TaggedData<T> | undefined>
  /** Requests a file or a range of it. @throws as `json` */
  bytes(path: string, options: ReadFileOptions): Promise<FileResponse>
  /** Aborts requests in progress. Later ones fail with `closed`. */
  close(): void
}

interface JsonRequest extends AbortOptions {
  shape: Shape
  /** Sent as JSON by POST. */
  body?: unknown
}

export interface TaggedData<T> {
  data: T
  /** Its ETag. */
  tag: string | undefined
}

interface FileResponse {
  url: string
  bytes: Uint8Array<ArrayBuffer>
  /** Decoded value of a header; `undefined` if it is missing or malformed. */
  header(name: string): string | undefined
  /** Range that was sent; missing for the whole file. `unknown`: the server has no such range, or does not report it. */
  part?: { offset: number; total: number } | 'unknown'
}

interface RequestOptions<T> {
  body?: unknown
  headers?: Record<string, string> | undefined
  condition?: Record<string, string> | undefined
  signal: AbortSignal | undefined
  /** Status outside 2xx that `read` takes too. */
  acceptedStatus?: number | undefined
  read(reply: Reply): T
}

const NOT_MODIFIED = 304
const RANGE_NOT_SATISFIABLE = 416

/** @throws SkillshelfError `invalid-input` */
export function createHttpClient(address: string | URL, options: ConnectOptions): HttpClient {
  const { base } = parseAddress(address)
  const { maxBytes } = options
  const closing = new AbortController()

  const request = async <T>(
    path: string,
    { body, headers, condition = {}, signal, acceptedStatus, read }: RequestOptions<T>,
  ): Promise<T> => {
    const url = base.href + path
    const { controller, unlink } = linkedController(signal, closing.signal)
    const run = async (): Promise<T> => {
      const content = body === undefined ? {} : { body: JSON.stringify(body) }
      const contentType = body === undefined ? {} : { 'content-type': 'application/json' }
      const ownHeaders = { ...options.headers, ...(await bearerHeader(options.token)) }
      const ask = createFetcher(base, { ...options, headers: ownHeaders })
      return requestWithRetries({
        send: attempt =>
          ask({
            url,
            headers: { ...headers, ...contentType },
            condition,
            signal: attempt,
            ...content,
          }),
        accepts: response => response.ok || response.status === acceptedStatus,
        read,
        error: reply => responseError(url, reply),
        maxBytes,
        retry: options,
        signal: controller.signal,
      })
    }
    try {
      if (closing.signal.aborted) throw closedError()
      throwIfAborted(signal)
      return await abortable(run(), controller.signal)
    } catch (error) {
      if (closing.signal.aborted) throw closedError()
      throwIfAborted(signal)
      throw asSkillshelfError(error, 'source-failed', `${url} could not be read`, {
        subject: url,
        hint: 'check the address, the network and CORS',
      })
    } finally {
      unlink()
    }
  }

  const jsonIfChanged = <T>(
    tag: string | undefined,
    path: string,
    { body, signal, shape }: JsonRequest,
  ) =>
    request<TaggedData<T> | undefined>(path, {
      body,
      ...(tag === undefined
        ? {}
        : { condition: { 'if-none-match': tag }, acceptedStatus: NOT_MODIFIED }),
      signal,
      read({ url, response, bytes }) {
        if (response.status === NOT_MODIFIED) return undefined
        if (mediaTypeOf(response) !== 'application/json') throw unexpectedResponse(url, response)
        // Not `parseJson`: an incomplete body is retried.
        const data = JSON.parse(new TextDecoder().decode(bytes))
        if (!matchesShape(data, shape)) throw unexpectedResponse(url, response)
        return { data, tag: response.headers.get('etag') ?? undefined }
      },
    })

  return {
    address: base.href,
    jsonIfChanged,
    // A request without a tag is always answered with data.
    json: <T>(path: string, json: JsonRequest) =>
      jsonIfChanged(undefined, path, json) as Promise<TaggedData<T>>,
    bytes: (path, { range, signal }) =>
      request<FileResponse>(path, {
        headers: rangeHeader(range),
        signal,
        acceptedStatus: RANGE_NOT_SATISFIABLE,
        read({ url, response, bytes }) {
          const part = contentRange(response)
          // The server percent-encodes names and paths, because headers hold ASCII only.
          const header = (name: string): string | undefined => {
            const value = response.headers.get(name)
            return value === null ? undefined : tryDecode(value)
          }
          if (part !== 'unknown' && header('skill-id') === undefined) {
            throw unexpectedResponse(url, response)
          }
          return { url, bytes, header, ...(part ? { part } : {}) }
        },
      }),
    close: () => closing.abort(),
  }
}

function closedError(): SkillshelfError {
  return new SkillshelfError('closed', 'The library was closed')
}
