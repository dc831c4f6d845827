import { describe, expect, it } from 'vitest'
import {
  memoryEngine,
  openEngineLibrary,
  publishToEngine,
  qdrant,
} from '../../src/exports/engine.js'
import { createHandler } from '../../src/exports/server.js'
import { memory } from '../../src/source/memory.js'
import { type Answer, startHttpServer } from './http-server.js'

/** A server that fails as it is told. It is not Qdrant. */
const failingServer = async (answer: Answer): Promise<string> =>
  (await startHttpServer(answer)).address.replace(/\/$/, '')

/** A published library whose searches go to this address. */
async function libraryAt(url: string, timeout: number) {
  const files = memory()
  const skills = memory({
    'pdf/SKILL.md': '---\nname: pdf\ndescription: Reads PDF files.\n---\nRead.\n',
  })
  await publishToEngine(skills, { engine: memoryEngine(), files })
  return openEngineLibrary({
    engine: qdrant({ url, library: 'memory', timeout }),
    files,
    listUpTo: 0,
  })
}

const FAULTS: readonly [name: string, answer: Answer, problem: RegExp][] = [
  ['is slow', () => {}, /did not answer|timed? ?out|longer/i],
  [
    'refuses with 429',
    (_, response) => void response.writeHead(429, { 'retry-after': '7' }).end('{}'),
    /429/,
  ],
  [
    'fails with 500',
    (_, response) => void response.writeHead(500).end('<html>oops</html>'),
    /500.*oops/,
  ],
  [
    'is starting (503)',
    (_, response) => void response.writeHead(503).end('{"status":{"error":"loading"}}'),
    /503.*loading/,
  ],
  [
    'refuses the key',
    (_, response) => void response.writeHead(403).end('Invalid API key'),
    /403.*Invalid API key/,
  ],
  ['breaks the connection', request => void request.socket.destroy(), /could not be reached/],
  ['answers in HTML', (_, response) => void response.end('<html></html>'), /.+/],
  [
    'answers with other JSON',
    (_, response) => void response.end('{"result":{"points":1}}'),
    /not one of Qdrant/,
  ],
  [
    'answers with rows without fields',
    (_, response) => void response.end('{"result":[{"points":[{"id":1}]}]}'),
    /not one of Qdrant/,
  ],
]

describe('a search engine that', () => {
  it.each(FAULTS)(
    '[BY-15] %s gives a clear error, and 503 with Retry-After',
    async (name, answer, problem) => {
      const url = await failingServer(answer)
      const library = await libraryAt(url, name === 'is slow' ? 200 : 30_000)
      const error = await library.match('read this PDF').catch(error => error)
      expect(error).toMatchObject({
        code: 'source-failed',
        message: expect.stringMatching(problem),
      })
      const request = new Request('http://localhost/v1/match?message=read+this+PDF')
      const response = await createHandler({ library }).fetch(request)
      expect(response.status).toBe(503)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await response.json()).toMatchObject({ code: 'source-failed' })
    },
  )

  it('[BY-15] is slow does not hold a search that is aborted', async () => {
    const stop = new AbortController()
    const url = await failingServer(() => stop.abort())
    const library = await libraryAt(url, 60_000)
    await expect(library.match('read this PDF', { signal: stop.signal })).rejects.toMatchObject({
      code: 'aborted',
    })
  })
})
