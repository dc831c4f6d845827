import { abortable, onAbort } from '../core/abort.js'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { placeOf } from '../source/http/address.js'
import { readBody } from '../source/http/body.js'
import { type HttpResponse, MAX_BYTES, mayPass, partOf, rangeHeader, typeOf } from '../source/http/http.js'
import { type Asked, asker } from '../source/http/request.js'
import { patiently } from '../source/retry.js'
import type { ByteRange } from '../source/types.js'
import { bearer } from './bearer.js'
import { failureOf, noShelf } from './failure.js'
import type { ConnectOptions } from './options.js'
import { fits, type Shape } from './shape.js'

/** The server, as the client talks to it: patiently, until it is closed. Paths are relative to its address, and encoded. */
export interface Wire {
  readonly address: string
  /**
   * Data of a shape.
   * @throws SkillshelfError what the server says; `source-failed`, `not-allowed`, `too-large`, `aborted`, `closed`
   */
  json<T>(path: string, question: JsonQuestion): Promise<Told<T>>
  /** `undefined` where this is its tag still. @throws as `json` */
  jsonUnless<T>(tag: string | undefined, path: string, question: JsonQuestion): Promise<Told<T> | undefined>
  /** @throws as `json` */
  bytes(path: string, question: { range?: ByteRange | undefined; signal?: AbortSignal | undefined }): Promise<FilePart>
  /** Ends what is under way. */
  close(): void
}

export interface JsonQuestion {
  shape: Shape
  /** Sent as JSON, by POST. */
  body?: unknown
  signal?: AbortSignal | undefined
}

export interface Told<T> {
  data: T
  tag: string | undefined
}

export interface FilePart {
  url: string
  bytes: Uint8Array<ArrayBuffer>
  header(name: string): string | undefined
  /** Left out: the whole file. `unknown`: there is no such part, or nobody says which it is. */
  part?: { offset: number; total: number } | 'unknown'
}

interface Question<T> {
  body?: unknown
  headers?: Record<string, string>
  condition?: Record<string, string>
  signal: AbortSignal | undefined
  /** A status that is an answer too, beside success. */
  also?: number | undefined
  /** What an answer says. An error that is not of this library may pass with the next try. */
  read(reply: Reply): T
}

interface Reply extends Asked {
  bytes: Uint8Array<ArrayBuffer>
}

/** @throws SkillshelfError `invalid-input` */
export function createWire(address: string | URL, options: ConnectOptions): Wire {
  const { base } = placeOf(address)
  const { maxBytes = MAX_BYTES } = options
  const closing = new AbortController()

  const ask = async <T>(path: string, { signal, condition = {}, also, read, ...question }: Question<T>): Promise<T> => {
    const url = base.href + path
    const stop = new AbortController()
    const forget = [signal, closing.signal].map(one => one && onAbort(one, () => stop.abort(one.reason)))
    const work = async (): Promise<T> => {
      const body = question.body === undefined ? {} : { body: JSON.stringify(question.body) }
      const headers = { ...question.headers, ...('body' in body ? { 'content-type': 'application/json' } : {}) }
      const send = asker(base, { ...options, headers: { ...options.headers, ...(await bearer(options.token)) } })
      const attempt = async (at: AbortSignal, anew: () => void): Promise<Reply & { answer?: { value: T } }> => {
        const asked = await send({ url, headers, condition, signal: at, ...body })
        const { response } = asked
        const reading = { url: asked.url, maxBytes, signal: at, unlessPage: false, anew, onProgress: undefined }
        const reply = { ...asked, bytes: (await readBody(response, reading)) ?? new Uint8Array() }
        return response.ok || response.status === also ? { ...reply, answer: { value: read(reply) } } : reply
      }
      const { answer, response, bytes } = await patiently(attempt, mayPass, options, stop.signal)
      if (!answer) throw failureOf(url, response, bytes)
      return answer.value
    }
    try {
      if (closing.signal.aborted) throw closed()
      throwIfAborted(signal)
      return await abortable(work(), stop.signal)
    } catch (error) {
      if (closing.signal.aborted) throw closed()
      throwIfAborted(signal)
      throw asSkillshelfError(error, 'source-failed', `${url} could not be read`, {
        subject: url,
        hint: 'check the address, the network and CORS',
      })
    } finally {
      for (const one of forget) one?.()
    }
  }

  const jsonUnless: Wire['jsonUnless'] = <T>(tag: string | undefined, path: string, question: JsonQuestion) =>
    ask<Told<T> | undefined>(path, {
      body: question.body,
      ...(tag === undefined ? {} : { condition: { 'if-none-match': tag }, also: NOT_MODIFIED }),
      signal: question.signal,
      read({ url, response, bytes }) {
        if (response.status === NOT_MODIFIED) return undefined
        if (typeOf(response) !== 'application/json') throw noShelf(url, response)
        const data = JSON.parse(new TextDecoder().decode(bytes))
        if (!fits(data, question.shape)) throw noShelf(url, response)
        return { data, tag: response.headers.get('etag') ?? undefined }
      },
    })

  return {
    address: base.href,
    jsonUnless,
    // Without a tag nothing is unchanged.
    json: <T>(path: string, question: JsonQuestion) => jsonUnless(undefined, path, question) as Promise<Told<T>>,
    bytes: (path, { range, signal }) =>
      ask(path, {
        headers: rangeHeader(range),
        signal,
        also: NO_SUCH_RANGE,
        read({ url, response, bytes }) {
          const part = partOf(response)
          const header = (name: string): string | undefined => headerOf(response, name)
          if (part !== 'unknown' && header('skill-id') === undefined) throw noShelf(url, response)
          return { url, bytes, header, ...(part ? { part } : {}) }
        },
      }),
    close: () => closing.abort(),
  }
}

const NOT_MODIFIED = 304
const NO_SUCH_RANGE = 416

/** Names and paths are percent-encoded: a header has no other way to hold them. */
function headerOf({ headers }: HttpResponse, name: string): string | undefined {
  const value = headers.get(name)
  if (value === null) return undefined
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}

function closed(): SkillshelfError {
  return new SkillshelfError('closed', 'The library was closed')
}
