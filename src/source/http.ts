import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../skill/error.js'
import { safePath } from '../skill/path.js'
import { type Patience, patiently, retryAfter, type TryAgain } from './retry.js'
import type { SkillSource } from './types.js'

export interface HttpOptions extends Patience {
  /** Default: the last part of the address's path, or its host. */
  name?: string
  /** Default: the global `fetch`. */
  fetch?: (url: string, init: HttpRequest) => Promise<HttpResponse>
  headers?: Readonly<Record<string, string>>
  credentials?: 'omit' | 'same-origin' | 'include'
}

/** What is asked of `fetch`: any platform's fits. */
export interface HttpRequest {
  headers: Record<string, string>
  signal?: AbortSignal
  credentials?: 'omit' | 'same-origin' | 'include'
}

/** What is read of a response: any platform's fits. */
export interface HttpResponse {
  readonly ok: boolean
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body?: { cancel(): Promise<unknown> } | null
  arrayBuffer(): Promise<ArrayBuffer>
}

/** A folder on any static host. It cannot be listed, so a packed library must stand there (`skillshelf pack`). */
export function http(address: string | URL, options: HttpOptions = {}): SkillSource {
  const base = baseOf(address)
  const request = options.fetch ?? ((url: string, init: HttpRequest) => fetch(url, init))
  const urlOf = (path: string): string => base.href + safePath(path).split('/').map(encodeURIComponent).join('/')

  const source: SkillSource = {
    name: options.name ?? nameOf(base),
    root: path => (path === '' ? base.href : urlOf(path)),
    async read(path, { ifVersion, range, signal } = {}) {
      throwIfAborted(signal)
      const url = urlOf(path)
      const headers: Record<string, string> = { ...options.headers }
      if (ifVersion) headers[/^(?:W\/)?"/.test(ifVersion) ? 'if-none-match' : 'if-modified-since'] = ifVersion
      // There is no way to ask for no bytes at all.
      if (range && range.length !== 0)
        headers['range'] = `bytes=${range.offset}-${range.length === undefined ? '' : range.offset + range.length - 1}`
      const ask = async (at: AbortSignal): Promise<Answer> => {
        const { credentials } = options
        const response = await request(url, { headers, signal: at, ...(credentials ? { credentials } : {}) })
        const part = range ? partOf(response) : undefined
        // Single-page hosts answer their start page for whatever is missing.
        const html = /^text\/html\b/i.test(response.headers.get('content-type') ?? '') && !/\.x?html?$/i.test(path)
        const wanted = response.ok && !html && part !== 'unknown'
        if (!wanted) await response.body?.cancel()
        return { response, part, html, bytes: wanted ? new Uint8Array(await response.arrayBuffer()) : new Uint8Array() }
      }
      try {
        const { response, part, html, bytes } = await patiently(ask, mayPass, options, signal)
        if (response.status === 304) return 'unchanged'
        if (response.status === 404 || response.status === 410) return undefined
        if (part === 'unknown') return await source.read(path, signal ? { signal } : {})
        if (!response.ok)
          throw new SkillshelfError('source-failed', `${url} answered ${response.status}`, {
            subject: url,
            status: response.status,
          })
        if (html) return undefined
        const version = response.headers.get('etag') ?? response.headers.get('last-modified') ?? undefined
        return { bytes, ...(version ? { version } : {}), ...(part ? { partial: part } : {}) }
      } catch (error) {
        if (signal?.aborted) throwIfAborted(signal)
        throw asSkillshelfError(error, 'source-failed', `${url} could not be read`, {
          subject: url,
          hint: 'check the address, the network and CORS',
        })
      }
    },
  }
  return source
}

interface Answer {
  response: HttpResponse
  part: ReturnType<typeof partOf>
  html: boolean
  bytes: Uint8Array<ArrayBuffer>
}

function mayPass({ response: { status, headers } }: Answer): TryAgain | undefined {
  if (status !== 408 && status !== 429 && (status < 500 || status === 501)) return undefined
  return { again: true, after: retryAfter(headers.get('retry-after')) }
}

/** Which part a server gave; `'unknown'` where it does not say, or CORS hides it, or there is none: the whole file will do. */
function partOf({ status, headers }: HttpResponse): { offset: number; total: number } | 'unknown' | undefined {
  if (status !== 206 && status !== 416) return undefined
  const [, offset, total] =
    (status === 206 && /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '')) || []
  return offset === undefined ? 'unknown' : { offset: Number(offset), total: Number(total) }
}

/** The last part of the address's path as people read it, or the host. */
function nameOf({ pathname, host }: URL): string {
  const last = pathname.split('/').filter(Boolean).at(-1)
  if (!last) return host || 'http'
  try {
    const name = decodeURIComponent(last)
    return name.includes('/') ? last : name
  } catch {
    return last
  }
}

function baseOf(address: string | URL): URL {
  let url: URL
  try {
    url = new URL(address, globalThis.location?.href)
    // `C:\\skills` is read as a scheme.
    if (!url.pathname.startsWith('/')) throw new TypeError(`${url.protocol} has no folders`)
  } catch (error) {
    throw new SkillshelfError(
      'invalid-input',
      `Not an address: ${String(address)}`,
      {
        subject: String(address),
        hint: 'give an absolute URL; to open a folder in Node use directory() from skillshelf/sources/directory',
      },
      error,
    )
  }
  url.search = ''
  url.hash = ''
  url.pathname = url.pathname.replace(/[^/]*\.json$/, '').replace(/\/?$/, '/')
  return url
}
