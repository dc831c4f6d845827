import { errorMessage } from '../../core/errors.js'
import { PLAIN_TEXT_HEADERS } from '../../server/http/responses.js'
import { decodedPath, packedFileResponse } from '../../server/http/static-files.js'
import type { SkillSource } from '../../source/source.js'

/** A fetch handler, as `@hono/node-server` calls it. */
export type FetchHandler = (request: Request) => Promise<Response>

const CORS = { 'access-control-allow-origin': '*' }
const METHODS = 'GET, HEAD'
const PREFLIGHT = {
  ...CORS,
  allow: METHODS,
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': 'If-None-Match, If-Modified-Since, Range',
  'access-control-max-age': '86400',
}
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/** Serves the files of a packed library. */
export function filesHandler(source: Pick<SkillSource, 'read'>): FetchHandler {
  return async request => {
    const { method, signal } = request
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: PREFLIGHT })
    if (method !== 'GET' && method !== 'HEAD')
      return plainText(405, 'Method not allowed: files are read-only', { allow: METHODS })
    const path = decodedPath(request)
    try {
      const response = path === undefined ? undefined : await packedFileResponse(source, request, path, signal)
      response?.headers.set('access-control-allow-origin', '*')
      return response ?? plainText(404, 'File not found; /skillshelf.json lists the files')
    } catch (error) {
      return plainText(500, errorMessage(error))
    }
  }
}

/**
 * Rejects requests for other host names and from pages of other origins if the server listens on a loopback address. Otherwise a web page
 * could let its own host name resolve to this machine and read the responses as same-origin (DNS rebinding). Pages served from this machine
 * are allowed, on any port.
 * @param bound The address and port that the server listens on.
 */
export function localOnly(handler: FetchHandler, { address, port }: { address: string; port: number }): FetchHandler {
  if (!/^127\.|^::1$/.test(address)) return handler
  const names = [...LOOPBACK_NAMES, address].flatMap(name => [`${name}:${port}`, ...(port === 80 ? [name] : [])])
  return async request => {
    if (!names.includes(request.headers.get('host')?.toLowerCase() ?? ''))
      return forbidden(`This server accepts local requests only, at http://localhost:${port}/`)
    const origin = request.headers.get('origin')
    if (origin !== null && !isLocalOrigin(origin))
      return forbidden('This server accepts requests only from pages on this machine')
    const { headers, status, body } = await handler(request)
    const local = new Headers(headers)
    local.delete('access-control-allow-origin')
    if (origin !== null) local.set('access-control-allow-origin', origin)
    local.append('vary', 'Origin')
    return new Response(body, { status, headers: local })
  }
}

/** The origin of a sandboxed page or a file is `null`, which any web page can have. */
function isLocalOrigin(origin: string): boolean {
  return /^https?:\/\/(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/.test(origin)
}

function plainText(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${message}.\n`, { status, headers: { ...PLAIN_TEXT_HEADERS, ...CORS, ...headers } })
}

function forbidden(message: string): Response {
  return new Response(`${message}.\n`, { status: 403, headers: PLAIN_TEXT_HEADERS })
}
