import { SkillshelfError } from '../../core/errors.js'
import type { HttpOptions, HttpRequest, HttpResponse } from './http.js'
import { isSameOrigin, originCheck } from './origins.js'

export interface Question {
  url: string
  headers: Record<string, string>
  /** Headers that ask for an answer only where something changed. */
  condition: Record<string, string>
  /** Sent by POST, from one address to the next, where it leads elsewhere: it asks, and changes nothing. */
  body?: string
  signal: AbortSignal
}

/** What came back, from wherever it was found in the end. */
export interface Asked {
  response: HttpResponse
  url: string
}

const REDIRECTS = [301, 302, 303, 307, 308]
const MOST_REDIRECTS = 20

/**
 * Asks one address, and follows where it is sent on. Each address on the way is looked at before anything is sent there, and what the
 * caller sends along goes to the place's own origin alone.
 */
export function asker(base: URL, options: HttpOptions): (question: Question) => Promise<Asked> {
  const { headers: given = {}, credentials } = options
  const request = options.fetch ?? ((url: string, init: HttpRequest) => fetch(url, init))
  const check = originCheck(base, options.origins ?? 'any')
  const hasHeaders = Object.keys(given).length > 0

  const initFor = (url: URL, own: boolean, { headers, condition, body, signal }: Question): HttpRequest => {
    // A page has to ask another origin first whether it may send a condition, and many hosts do not answer that: its cache sends its own.
    const byCache = isForeign(url) && !(own && hasHeaders) && Object.keys(condition).length > 0
    return {
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers: { ...(own ? given : {}), ...headers, ...(byCache ? {} : condition) },
      signal,
      redirect: 'manual',
      ...(byCache ? { cache: 'no-cache' } : {}),
      ...(own && credentials ? { credentials } : {}),
    }
  }

  /** A page is not told where an answer leads: it is followed there, and looked at afterwards. */
  const followBlindly = async (url: URL, own: boolean, init: HttpRequest): Promise<Asked> => {
    if (own && (hasHeaders || credentials === 'include'))
      throw new SkillshelfError('source-failed', `${url.href} leads elsewhere, and a page is not told where to`, {
        subject: url.href,
        hint: 'give the address that it leads to: headers and cookies are not sent to an unknown place',
      })
    const response = await request(url.href, { ...init, redirect: 'follow' })
    return looked(response, url)
  }

  const looked = async (response: HttpResponse, url: URL): Promise<Asked> => {
    const found = response.redirected && response.url ? new URL(response.url) : url
    try {
      check(found)
    } catch (error) {
      await response.body?.cancel()
      throw error
    }
    return { response, url: found.href }
  }

  return async question => {
    let url = new URL(question.url)
    for (let left = MOST_REDIRECTS; ; left--) {
      check(url)
      const own = isSameOrigin(url, base)
      const init = initFor(url, own, question)
      const response = await request(url.href, init)
      if (response.type === 'opaqueredirect') return followBlindly(url, own, init)
      const to = REDIRECTS.includes(response.status) ? response.headers.get('location') : null
      // A fetch of the caller's may have followed by itself.
      if (to === null) return looked(response, url)
      await response.body?.cancel()
      if (left === 0)
        throw new SkillshelfError('source-failed', `${question.url} leads from one address to the next, for ever`, {
          subject: question.url,
        })
      url = new URL(to, url)
    }
  }
}

function isForeign(url: URL): boolean {
  const page = globalThis.location?.origin
  return page !== undefined && page !== url.origin
}
