import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { safePath } from '../../core/paths.js'
import { rethrowCallbackError } from '../../core/progress.js'
import type { ByteStream } from '../archive/input.js'
import type { Addressed } from '../kinds.js'
import { type Patience, patiently, retryAfter, type TryAgain } from '../retry.js'
import type { ByteRange, FetchResult, ReadOptions } from '../types.js'
import { isFileAddress, placeOf } from './address.js'
import { readBody } from './body.js'
import { type Asked, asker } from './request.js'

export interface HttpOptions extends Patience {
  /** Default: the last part of the address's path without `.zip` and the like, or its host. */
  name?: string | undefined
  /** Default: the global `fetch`. */
  fetch?: ((url: string, init: HttpRequest) => Promise<HttpResponse>) | undefined
  /** Sent to the address's own origin alone, also when it leads elsewhere. */
  headers?: Readonly<Record<string, string>> | undefined
  /** As `headers`. */
  credentials?: 'omit' | 'same-origin' | 'include' | undefined
  /**
   * Other origins that files may come from, such as `https://cdn.example.com`. Default `any`: all that are https (or http, where the
   * address is) and, by name or number, no machine of a private network (unless the address is one).
   */
  origins?: 'any' | readonly string[] | undefined
  /** Bytes of one file, at most. Default 268,435,456 (256 MiB). */
  maxBytes?: number | undefined
  /** Called as the bytes of a file come in. `total` where the server says how many. */
  onProgress?: ((progress: { url: string; done: number; total?: number }) => void) | undefined
}

/** What is asked of `fetch`: any platform's fits. */
export interface HttpRequest {
  /** Default: GET. */
  method?: 'POST'
  body?: string
  headers: Record<string, string>
  signal?: AbortSignal
  redirect?: 'manual' | 'follow'
  cache?: 'no-cache'
  credentials?: 'omit' | 'same-origin' | 'include'
}

/** What is read of a response: any platform's fits. */
export interface HttpResponse {
  readonly ok: boolean
  readonly status: number
  /** `opaqueredirect`: it leads somewhere that a page is not told. */
  readonly type?: string
  /** Whether it was followed to another address, which is `url`: elsewhere `url` may be that of a proxy. */
  readonly redirected?: boolean
  readonly url?: string
  readonly headers: { get(name: string): string | null }
  /** Read piece by piece where it can be, so that it can be stopped. */
  readonly body?: (Partial<ByteStream> & { cancel(): Promise<unknown> }) | null
  arrayBuffer(): Promise<ArrayBuffer>
}

/** Bytes of one file, where nothing else is said. */
export const MAX_BYTES = 256 * 1024 * 1024

/**
 * An address: a folder on any static host, or a file. `read` reads a path in the folder, which cannot be listed; `fetch` reads any
 * address, relative to the folder, and `''` is the address itself.
 * @throws SkillshelfError `invalid-input`
 */
export function http(address: string | URL, options: HttpOptions = {}): Addressed {
  const { given, base, name } = placeOf(address)
  const { maxBytes = MAX_BYTES, onProgress } = options
  const ask = asker(base, options)
  const urlOf = (path: string): string => base.href + safePath(path).split('/').map(encodeURIComponent).join('/')

  const load = async (
    url: string,
    { ifVersion, range, signal }: ReadOptions,
    byBytes = false,
  ): Promise<FetchResult | 'unchanged' | undefined> => {
    throwIfAborted(signal)
    const attempt = async (at: AbortSignal, anew: () => void): Promise<Answer> => {
      const asked = await ask({ url, headers: rangeHeader(range), condition: condition(ifVersion), signal: at })
      const { response } = asked
      const part = range ? partOf(response) : undefined
      const version = response.headers.get('etag') ?? response.headers.get('last-modified') ?? undefined
      // Single-page hosts answer their start page for whatever is missing.
      const page = typeOf(response) === 'text/html' && !/\.x?html?$/i.test(new URL(url).pathname)
      const same = response.status === 304 || (response.ok && version !== undefined && version === ifVersion)
      const wanted = response.ok && !same && part !== 'unknown' && (byBytes || !page)
      if (!wanted) await response.body?.cancel()
      const bytes = wanted
        ? await readBody(response, { url: asked.url, maxBytes, unlessPage: page, signal: at, anew, onProgress })
        : undefined
      return { ...asked, part, version, same, bytes }
    }
    try {
      const { response, url: found, part, version, same, bytes } = await patiently(attempt, mayPass, options, signal)
      if (same) return 'unchanged'
      if (response.status === 404 || response.status === 410) return undefined
      if (part === 'unknown') return await load(url, signal ? { signal } : {}, byBytes)
      if (!response.ok)
        throw new SkillshelfError('source-failed', `${url} answered ${response.status}`, {
          subject: url,
          status: response.status,
        })
      const type = typeOf(response)
      return (
        bytes && {
          bytes,
          url: found,
          ...(version ? { version } : {}),
          ...(part ? { partial: part } : {}),
          ...(type ? { type } : {}),
        }
      )
    } catch (error) {
      if (signal?.aborted) throwIfAborted(signal)
      rethrowCallbackError(error)
      throw asSkillshelfError(error, 'source-failed', `${url} could not be read`, {
        subject: url,
        hint: 'check the address, the network and CORS',
      })
    }
  }

  return {
    name: options.name ?? name,
    root: path =>
      path !== '' ? urlOf(path) : isFileAddress(given.pathname) ? given.href.replace(/[?#].*$/, '') : base.href,
    async read(path, reading = {}) {
      const found = await load(urlOf(path), reading)
      if (typeof found !== 'object') return found
      const { bytes, version, partial } = found
      return { bytes, ...(version === undefined ? {} : { version }), ...(partial ? { partial } : {}) }
    },
    fetch: async (to, reading = {}) => load(to === '' ? given.href : resolve(to, base), reading, true),
  }
}

interface Answer extends Asked {
  part: ReturnType<typeof partOf>
  version: string | undefined
  /** It has the version that is known. */
  same: boolean
  bytes: Uint8Array<ArrayBuffer> | undefined
}

function condition(ifVersion: string | undefined): Record<string, string> {
  if (!ifVersion) return {}
  return { [/^(?:W\/)?"/.test(ifVersion) ? 'if-none-match' : 'if-modified-since']: ifVersion }
}

export function rangeHeader(range: ByteRange | undefined): Record<string, string> {
  // There is no way to ask for no bytes at all.
  if (!range || range.length === 0) return {}
  return { range: `bytes=${range.offset}-${range.length === undefined ? '' : range.offset + range.length - 1}` }
}

/** Of an answer that is no success: whether it may be one the next time. */
export function mayPass({ response: { status, headers } }: Asked): TryAgain | undefined {
  if (status !== 408 && status !== 429 && (status < 500 || status === 501)) return undefined
  // Where the host says what its clock shows, a date is by that.
  const now = Date.parse(headers.get('date') ?? '')
  return { again: true, after: retryAfter(headers.get('retry-after'), Number.isNaN(now) ? Date.now() : now) }
}

/** Which part a server gave; `'unknown'` where it does not say, or CORS hides it, or there is none: the whole file will do. */
export function partOf({ status, headers }: HttpResponse): { offset: number; total: number } | 'unknown' | undefined {
  if (status !== 206 && status !== 416) return undefined
  const [, offset, total] =
    (status === 206 && /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '')) || []
  return offset === undefined ? 'unknown' : { offset: Number(offset), total: Number(total) }
}

/** The media type that is declared, without its parameters. */
export function typeOf({ headers }: HttpResponse): string | undefined {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() || undefined
}

function resolve(address: string, base: URL): string {
  try {
    return new URL(address, base).href.replace(/#.*$/, '')
  } catch (error) {
    throw new SkillshelfError('invalid-input', `Not an address: ${address.slice(0, 200)}`, { subject: address }, error)
  }
}
