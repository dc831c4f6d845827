import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { afterEach } from 'vitest'
import { createHandler, type ServedLibrary } from '../../src/exports/server.js'

/** HTTP server on loopback, stopped after the test. */
export interface TestServer {
  /** Address with a trailing slash. */
  address: string
  /** Requests so far, such as `GET /v1/library`. */
  requests: string[]
  /** Headers of each request. */
  headers: IncomingMessage['headers'][]
  stop(): Promise<void>
}

interface Stoppable {
  address(): AddressInfo | string | null
  close(done: () => void): unknown
  closeAllConnections?(): void
  on(event: 'request', listener: (request: IncomingMessage) => void): unknown
}

const running = new Set<() => Promise<void>>()
afterEach(async () => {
  for (const stop of running) await stop()
})

function testServer(server: Stoppable): TestServer {
  const asked: string[] = []
  const headers: IncomingMessage['headers'][] = []
  server.on('request', request => {
    asked.push(`${request.method} ${request.url}`)
    headers.push(request.headers)
  })
  const stop = async (): Promise<void> => {
    running.delete(stop)
    await new Promise<void>(resolve => {
      server.close(resolve)
      server.closeAllConnections?.()
    })
  }
  running.add(stop)
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests: asked, headers, stop }
}

/** Serves a library with Node's HTTP server. `path` serves it below a path, as a proxy does. */
export function startHandler(served: ServedLibrary, { port = 0, path = '' } = {}): Promise<TestServer> {
  const { fetch } = createHandler(served)
  const under = (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    url.pathname = url.pathname.replace(`/${path}`, '/')
    return fetch(new Request(url, request))
  }
  return new Promise(resolve => {
    const server = serve({ fetch: path ? under : fetch, port, hostname: '127.0.0.1' }, () => {
      const started = testServer(server)
      resolve({ ...started, address: `${started.address}${path}` })
    })
  })
}

/** Starts a server with a request listener. */
export function startServer(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<TestServer> {
  return new Promise(resolve => {
    const server = createServer(answer)
    server.listen(0, '127.0.0.1', () => resolve(testServer(server)))
  })
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
