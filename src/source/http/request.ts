import { SkillshelfError } from '../../core/errors.js'
import { createOriginCheck, isSameOrigin } from './origins.js'
import type { HttpOptions, HttpRequest, HttpResponse } from './types.js'

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

/**
 * Creates the `fetch` of a source. It follows redirects itself: every URL is checked against `origins` before it is requested, and
 * `headers` and `credentials` go to the origin of `base` only.
 */
export function createFetcher(
  base: URL,
  options: Pick<HttpOptions, 'headers' | 'credentials' | 'fetch' | 'origins'>,
): (request: FetcherRequest) => Promise<Fetched> {
  const { headers: ownHeaders = {}, credentials } = options
  const fetchUrl = options.fetch ?? ((url: string, init: HttpRequest) => fetch(url, init))
  const checkOrigin = createOriginCheck(base, options.origins ?? 'any')
  const hasHeaders = Object.keys(ownHeaders).length > 0

  const createInit = (url: URL, own: boolean, { headers, condition, body, signal }: FetcherRequest): HttpRequest => {
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
  const followOpaqueRedirect = async (url: URL, own: boolean, init: HttpRequest): Promise<Fetched> => {
    if (own && (hasHeaders || credentials === 'include'))
      throw new SkillshelfError('source-failed', `${url.href} redirects to an address that the browser does not show`, {
        subject: url.href,
        hint: 'give the final URL: headers and cookies are not sent to an unknown target',
      })
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
      const own = isSameOrigin(url, base)
      const init = createInit(url, own, request)
      const response = await fetchUrl(url.href, init)
      if (response.type === 'opaqueredirect') return followOpaqueRedirect(url, own, init)
      const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null
      // A custom `fetch` may have followed redirects itself.
      if (location === null) return checkResponse(response, url)
      await response.body?.cancel()
      if (left === 0)
        throw new SkillshelfError('source-failed', `${request.url} has too many redirects (${MAX_REDIRECTS})`, {
          subject: request.url,
        })
      url = new URL(location, url)
    }
  }
}

function isCrossOrigin(url: URL): boolean {
  const page = globalThis.location?.origin
  return page !== undefined && page !== url.origin
}
