import { errorMessage } from '../core/errors.js'
import { decodedPath, packedFileResponse } from '../server/http/packed-files.js'
import { PLAIN_TEXT_HEADERS } from '../server/http/responses.js'
import type { SkillSource } from '../source/types.js'

/** What is served: `@hono/node-server` calls it. */
export type Answer = (request: Request) => Promise<Response>

const ANY_PAGE = { 'access-control-allow-origin': '*' }
const METHODS = 'GET, HEAD'
const PREFLIGHT = {
  ...ANY_PAGE,
  allow: METHODS,
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': 'If-None-Match, If-Modified-Since, Range',
  'access-control-max-age': '86400',
}
/** Names that lead to this machine and nowhere else. */
const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]']

/** Answers requests with the files of a packed library, and with nothing else. */
export function filesAnswer(source: Pick<SkillSource, 'read'>): Answer {
  return async request => {
    const { method, signal } = request
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: PREFLIGHT })
    if (method !== 'GET' && method !== 'HEAD') return refusal(405, 'Files can only be read', { allow: METHODS })
    const path = decodedPath(request)
    try {
      const answer = path === undefined ? undefined : await packedFileResponse(source, request, path, signal)
      answer?.headers.set('access-control-allow-origin', '*')
      return answer ?? refusal(404, 'There is no such file; what there is stands in /skillshelf.json')
    } catch (error) {
      return refusal(500, errorMessage(error))
    }
  }
}

/**
 * Where only this machine can reach the server, a page from elsewhere must not either: it could have its own name point here (DNS rebinding),
 * and would then count as of the same origin. Its name is in the Host header.
 * @param bound The address and port that are listened on.
 */
export function forOwnNames(answer: Answer, bound: { address: string; port: number }): Answer {
  const { address, port } = bound
  if (!/^127\.|^::1$/.test(address)) return answer
  const names = [...OWN_NAMES, address].flatMap(name => [`${name}:${port}`, ...(port === 80 ? [name] : [])])
  return async request =>
    names.includes(request.headers.get('host')?.toLowerCase() ?? '')
      ? answer(request)
      : refusal(403, `This is served to this machine alone, at http://localhost:${port}/`)
}

function refusal(status: number, why: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${why}.\n`, { status, headers: { ...PLAIN_TEXT_HEADERS, ...ANY_PAGE, ...headers } })
}
