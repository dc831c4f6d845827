import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { afterAll } from 'vitest'

/** Answers a request of a test. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/** Half of the promised bytes, then the connection breaks. */
export const half: Answer = (_, response) => {
  response.writeHead(200, { 'content-length': '100' }).write('half')
  setImmediate(() => response.destroy())
}

/** A body without an end. */
export const endless: Answer = (_, response) => {
  const piece = Buffer.alloc(65_536, 'x')
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

export type HttpServer = Awaited<ReturnType<typeof startHttpServer>>

const running = new Set<{ stop(): Promise<void> }>()
afterAll(async () => {
  for (const server of running) await server.stop()
})

/**
 * Starts a server on this machine. It stops after the tests of the file at the latest.
 * @param port Default: a free one.
 */
export async function startHttpServer(answer: Answer, port = 0) {
  const requests: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const server = createServer({ maxHeaderSize: 1_048_576 }, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    headers.push(request.headers)
    void answer(request, response)
  })
  const listen = async (on: number): Promise<number> => {
    await once(server.listen(on, '127.0.0.1'), 'listening')
    running.add(started)
    return (server.address() as AddressInfo).port
  }
  const stop = async (): Promise<void> => {
    running.delete(started)
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  const started = {
    /** With a trailing slash. */
    address: '',
    /** Requests so far, such as `GET /v1/library`. */
    requests,
    /** Headers of each request. */
    headers,
    stop,
    /** Starts it again on its port. */
    restart: async (): Promise<void> => void (await listen(Number(new URL(started.address).port))),
    [Symbol.asyncDispose]: stop,
  }
  started.address = `http://127.0.0.1:${await listen(port)}/`
  return started
}

/** The same for a function that answers a `Request`. */
export const startFetchServer = (
  answer: (request: Request) => Response | Promise<Response>,
  port?: number,
) => startHttpServer(getRequestListener(answer), port)
