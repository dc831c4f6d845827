import { SkillshelfError } from '../../core/errors.js'
import type { HttpRequest, HttpResponse } from './types.js'

/** Milliseconds. */
const TIMEOUT = 10_000
const unreachable = new WeakSet<object>()

/** True for an error of a host that does not answer, as opposed to one that answers without CORS headers. */
export function isUnreachable(error: unknown): boolean {
  return unreachable.has(error as object)
}

/**
 * Creates a function that turns a `TypeError` of `fetch` into the error of a request. A page sees the same one if the host is down and if
 * it sends no CORS headers, which many hosts leave out on missing files. One request without CORS tells them apart.
 */
export function createNetworkError(
  fetchUrl: (url: string, init: HttpRequest) => Promise<HttpResponse>,
): (url: string, error: TypeError) => Promise<SkillshelfError> {
  let answered: Promise<boolean> | undefined
  const answers = async (url: string): Promise<boolean> => {
    const page = globalThis.location?.origin
    // Without a page there is no CORS, and a page's own host needs none.
    if (page === undefined || new URL(url).origin === page) return false
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
    const hint = hasAnswered ? 'the host answers, but without CORS headers' : 'check the address and the network'
    const message = `${url} could not be read: ${cause.message}`
    const error = new SkillshelfError('source-failed', message, { subject: url, hint }, cause)
    if (!hasAnswered) unreachable.add(error)
    return error
  }
}
