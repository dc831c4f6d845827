import type { ServerResponse } from 'node:http'
import { createHandler, type ServedLibrary } from '../../src/exports/server.js'
import { type HttpServer, startFetchServer } from './http-server.js'

/** Serves a library with Node's HTTP server. `path` serves it below a path, as a proxy does. */
export async function startHandler(
  served: ServedLibrary,
  { port = 0, path = '' } = {},
): Promise<HttpServer> {
  const { fetch } = createHandler(served)
  const server = await startFetchServer(request => {
    const url = new URL(request.url)
    url.pathname = url.pathname.replace(`/${path}`, '/')
    return fetch(path ? new Request(url, request) : request)
  }, port)
  return { ...server, address: `${server.address}${path}` }
}

export const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nHow to ${name}.\n`

export const SNAPSHOT = {
  revision: 'r1',
  skills: [
    {
      id: 'lab/tea',
      name: 'tea',
      description: 'Brews tea.',
      tags: [],
      origin: 'lab',
      path: 'tea',
      digest: `sha256:${'0'.repeat(64)}`,
      tokens: { metadata: 1, instructions: 1 },
    },
  ],
  diagnostics: [],
}

export function json(response: ServerResponse, data: unknown, status = 200): void {
  const type = status < 400 ? 'application/json' : 'application/problem+json'
  response.writeHead(status, { 'content-type': type, etag: '"r1"' }).end(JSON.stringify(data))
}
