import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

/** Answers a request of a test. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

export interface HttpServer {
  /** With a trailing slash. */
  address: string
  stop(): Promise<void>
}

const running = new Set<HttpServer>()
afterAll(async () => {
  for (const server of running) await server.stop()
})

/** Starts a server on a free port of this machine. It stops after the tests of the file at the latest. */
export async function startHttpServer(answer: Answer): Promise<HttpServer> {
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const started: HttpServer = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      running.delete(started)
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  running.add(started)
  return started
}
