import { SkillshelfError } from '../../core/errors.js'
import type { ByteRange } from '../source.js'
import type { HttpOptions, HttpRequest, HttpResponse } from './options.js'

export interface FetcherRequest {
  url: string
  headers: Record<string, string>
  /** Headers of a conditional request, such as `if-none-match`. */
  condition: Record<string, string>
  /** Sent by POST. Redirects repeat the POST, which is safe because requests with a body only query. */
  body?: string | undefined
  signal: AbortSignal
}

export interface Fetched {
  response: HttpResponse
  /** The URL of the response after redirects. */
  url: string
}

const REDIRECTS = [301, 302, 303, 307, 308]
const MAX_REDIRECTS = 20

/** The `fetch` of a source: it follows redirects itself, checks every URL, and sends headers to the origin of `base` only. */
export function createFetcher(
  base: URL,
  options: Pick<HttpOptions, 'headers' | 'credentials' | 'fetch' | 'origins'>,
): (request: FetcherRequest) => Promise<Fetched> {
  const { headers: ownHeaders = {}, credentials } = options
  const fetchUrl = fetchOf(options)
  const checkOrigin = createOriginCheck(base, options.origins ?? 'any')
  const hasHeaders = Object.keys(ownHeaders).length > 0

  const createInit = (
    url: URL,
    own: boolean,
    { headers, condition, body, signal }: FetcherRequest,
  ): HttpRequest => {
    // A conditional header needs a CORS preflight, which many hosts do not answer. The browser's cache revalidates without one.
    const byCache = isCrossOrigin(url) && !(own && hasHeaders) && Object.keys(condition).length > 0
    return {
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers: { ...(own ? ownHeaders : {}), ...headers, ...(byCache ? {} : condition) },
      signal,
      redirect: 'manual',
      ...(byCache ? { cache: 'no-cache' } : {}),
      ...(own && credentials ? { credentials } : {}),
    }
  }

  /** Browsers hide the target of a redirect, so it can only be checked after it was followed. */
  const followOpaqueRedirect = async (
    url: URL,
    own: boolean,
    init: HttpRequest,
  ): Promise<Fetched> => {
    if (own && (hasHeaders || credentials === 'include')) {
      throw new SkillshelfError(
        'source-failed',
        `${url.href} redirects to an address that the browser does not show`,
        {
          subject: url.href,
          hint: 'give the final URL: headers and cookies are not sent to an unknown target',
        },
      )
    }
    const response = await fetchUrl(url.href, { ...init, redirect: 'follow' })
    return checkResponse(response, url)
  }

  const checkResponse = async (response: HttpResponse, url: URL): Promise<Fetched> => {
    const finalUrl = response.redirected && response.url ? new URL(response.url) : url
    try {
      checkOrigin(finalUrl)
    } catch (error) {
      await response.body?.cancel()
      throw error
    }
    return { response, url: finalUrl.href }
  }

  return async request => {
    let url = new URL(request.url)
    for (let left = MAX_REDIRECTS; ; left--) {
      checkOrigin(url)
      // S7: credentials go to their own origin only.
      const own = isSameOrigin(url, base)
      const init = createInit(url, own, request)
      const response = await fetchUrl(url.href, init)
      if (response.type === 'opaqueredirect') return followOpaqueRedirect(url, own, init)
      const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null
      // A custom `fetch` may have followed redirects itself.
      if (location === null) return checkResponse(response, url)
      await response.body?.cancel()
      if (left === 0) {
        throw new SkillshelfError(
          'source-failed',
          `${request.url} has too many redirects (${MAX_REDIRECTS})`,
          {
            subject: request.url,
          },
        )
      }
      url = new URL(location, url)
    }
  }
}

function fetchOf(options: Pick<HttpOptions, 'fetch'>): NonNullable<HttpOptions['fetch']> {
  return options.fetch ?? ((url, init) => fetch(url, init))
}

function isCrossOrigin(url: URL): boolean {
  const page = globalThis.location?.origin
  return page !== undefined && page !== url.origin
}

/** Hosts of private networks. `URL` has normalized every IP address. */
const PRIVATE_HOSTS = [
  /^(?:.*\.)?(?:localhost|local|internal|home\.arpa)\.?$/,
  /^(?:0|10|127)\.\d+\.\d+\.\d+$/,
  /^(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.\d+\.\d+$/,
  /^\[(?:::.*|f[cd].*|fe[89ab].*)\]$/,
]

/** Allows the source's own origin and `origins`. `'any'`: https; http and private hosts if `base` is one. @throws `invalid-input` */
function createOriginCheck(base: URL, origins: 'any' | readonly string[]): (url: URL) => void {
  const allowlist = origins === 'any' ? undefined : new Set(origins.map(parseOrigin))
  const isAllowed = (url: URL): boolean => {
    if (isSameOrigin(url, base)) return true
    if (allowlist) return allowlist.has(url.origin)
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && base.protocol === 'http:')) {
      return false
    }
    return !isPrivate(url.hostname) || isPrivate(base.hostname)
  }
  return url => {
    if (isAllowed(url)) return
    throw new SkillshelfError(
      'source-failed',
      `${url.href.slice(0, 200)} may not be read from ${base.href}`,
      {
        subject: url.href,
        hint: `if you trust it, pass origins: [${JSON.stringify(url.origin)}] to http()`,
      },
    )
  }
}

/** Compares scheme and host: `URL.origin` is `null` for every unknown scheme. */
function isSameOrigin(a: URL, b: URL): boolean {
  return a.protocol === b.protocol && a.host === b.host
}

function isPrivate(hostname: string): boolean {
  return PRIVATE_HOSTS.some(pattern => pattern.test(hostname))
}

function parseOrigin(origin: string): string {
  try {
    return new URL(origin).origin
  } catch (error) {
    const message = `\`origins\` contains ${JSON.stringify(origin)}, which is not an origin`
    const details = { subject: origin, hint: 'give origins such as https://cdn.example.com' }
    throw new SkillshelfError('invalid-input', message, details, error)
  }
}

/** Milliseconds. */
const TIMEOUT = 10_000
const unreachable = new WeakSet<object>()

/** True for an error of a host that does not answer, as opposed to one that answers without CORS headers. */
export function isUnreachable(error: unknown): boolean {
  return unreachable.has(error as object)
}

/** Turns a `TypeError` of `fetch` into the error of a request: a request without CORS tells a down host from missing headers. */
export function createNetworkError(
  options: Pick<HttpOptions, 'fetch'>,
): (url: string, error: TypeError) => Promise<SkillshelfError> {
  const fetchUrl = fetchOf(options)
  let answered: Promise<boolean> | undefined
  const answers = async (url: string): Promise<boolean> => {
    // Without a page there is no CORS, and a page's own host needs none.
    if (!isCrossOrigin(new URL(url))) return false
    answered ??= fetchUrl(url, {
      headers: {},
      mode: 'no-cors',
      redirect: 'follow',
      signal: AbortSignal.timeout(TIMEOUT),
    }).then(
      () => true,
      () => false,
    )
    return answered
  }
  return async (url, cause) => {
    const hasAnswered = await answers(url)
    const hint = hasAnswered
      ? 'the host answers, but without CORS headers'
      : 'check the address and the network'
    const message = `${url} could not be read: ${cause.message}`
    const error = new SkillshelfError('source-failed', message, { subject: url, hint }, cause)
    if (!hasAnswered) unreachable.add(error)
    return error
  }
}

/** Headers of a conditional request. A version that is no ETag is a `Last-Modified` date. */
export function conditionalHeaders(ifVersion: string | undefined): Record<string, string> {
  if (!ifVersion) return {}
  return { [/^(?:W\/)?"/.test(ifVersion) ? 'if-none-match' : 'if-modified-since']: ifVersion }
}

/** The `Range` header of a request. HTTP cannot express an empty range, so the whole file is requested instead. */
export function rangeHeader(range: ByteRange | undefined): Record<string, string> {
  if (!range || range.length === 0) return {}
  return {
    range: `bytes=${range.offset}-${range.length === undefined ? '' : range.offset + range.length - 1}`,
  }
}
