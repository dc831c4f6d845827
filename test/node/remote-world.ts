import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { afterEach } from 'vitest'
import { createHandler, type ServedLibrary } from '../../src/exports/server.js'

/** A server on loopback. */
export interface Place {
  /** With a slash at the end. */
  address: string
  /** What was asked so far, `GET /v1/library`, and with which headers. */
  asked: string[]
  headers: IncomingMessage['headers'][]
  stop(): Promise<void>
}

interface Stoppable {
  address(): AddressInfo | string | null
  close(done: () => void): unknown
  closeAllConnections?(): void
  on(event: 'request', heard: (request: IncomingMessage) => void): unknown
}

const running = new Set<() => Promise<void>>()
afterEach(async () => {
  for (const stop of running) await stop()
})

function placeOf(server: Stoppable): Place {
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
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked, headers, stop }
}

/** The handler behind a real server of Node; stopped after the test. `port`: as it was before. */
export function shelfAt(shelf: ServedLibrary, { port = 0, path = '' } = {}): Promise<Place> {
  const { fetch } = createHandler(shelf)
  /** As a proxy does that has it under a path. */
  const under = (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    url.pathname = url.pathname.replace(`/${path}`, '/')
    return fetch(new Request(url, request))
  }
  return new Promise(resolve => {
    const server = serve({ fetch: path ? under : fetch, port, hostname: '127.0.0.1' }, () => {
      const place = placeOf(server)
      resolve({ ...place, address: `${place.address}${path}` })
    })
  })
}

/** A server that does as it is told. */
export function serverAt(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Place> {
  return new Promise(resolve => {
    const server = createServer(answer)
    server.listen(0, '127.0.0.1', () => resolve(placeOf(server)))
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
