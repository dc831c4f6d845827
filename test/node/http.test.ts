import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { openLibrary } from '../../src/library/library.js'
import { pack } from '../../src/pack/pack.js'
import { digestOf } from '../../src/skill/digest.js'
import { http } from '../../src/source/http.js'
import { memory } from '../../src/source/memory.js'
import { retryAfter } from '../../src/source/retry.js'
import type { ReadResult } from '../../src/source/types.js'
import { librarySuite, sourceSuite } from '../../src/testing/index.js'

type Files = Readonly<Record<string, Uint8Array | string>>
type Answer = (request: IncomingMessage, response: ServerResponse) => void

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(answer: Answer): Promise<string> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/skills/`
}

/** A static host as there are many: ETag, Last-Modified, conditional requests, ranges. */
function staticHost(files: Files, asked: IncomingMessage[] = [], { etags = true, ranges = true } = {}): Answer {
  return (request, response) => {
    asked.push(request)
    const content = files[decodeURIComponent(request.url ?? '').replace('/skills/', '')]
    if (content === undefined) return void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404</h1>')
    const bytes = Buffer.from(content as string)
    const modified = 'Wed, 21 Oct 2015 07:28:00 GMT'
    const etag = `"${digestOf(bytes).slice(7, 23)}"`
    const headers = etags ? { etag } : { 'last-modified': modified }
    if (request.headers['if-none-match'] === etag || request.headers['if-modified-since'] === modified)
      return void response.writeHead(304, headers).end()
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    if (!ranges || from === undefined) return void response.writeHead(200, headers).end(bytes)
    const part = bytes.subarray(Number(from), to ? Number(to) + 1 : undefined)
    if (part.length === 0)
      return void response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end('none')
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`
    return void response.writeHead(206, { ...headers, 'content-range': range }).end(part)
  }
}

async function packed(files: Files): Promise<Record<string, Uint8Array>> {
  const written: Record<string, Uint8Array> = {}
  for await (const { path, bytes } of pack(memory(files))) written[path] = bytes
  return written
}

describe('a real server', () => {
  for (const options of [{}, { etags: false }, { ranges: false }])
    for (const { name, run } of sourceSuite(async files => ({
      source: http(await serve(staticHost(files, [], options))),
    })))
      it(`[CARD-1] http ${JSON.stringify(options)}: ${name}`, run)

  for (const { name, run } of librarySuite(async files => openLibrary(await serve(staticHost(await packed(files))))))
    it(`[BY-5] over http: ${name}`, run)

  it('[BY-5] opens with two requests, refreshes with one that is answered 304', async () => {
    const asked: IncomingMessage[] = []
    const files = { ...(await packed({ 'a/SKILL.md': '---\nname: a\ndescription: b\n---\nc\n' })) }
    const library = await openLibrary(await serve(staticHost(files, asked)))
    expect(asked.map(one => one.url)).toEqual(['/skills/skillshelf.json', expect.stringMatching(/\.seg$/)])
    await library.refresh()
    expect(asked.map(one => one.headers['if-none-match'])).toEqual([undefined, undefined, expect.stringMatching(/^"/)])
    Object.assign(files, await packed({ 'a/SKILL.md': '---\nname: a\ndescription: other\n---\nc\n' }))
    expect((await library.refresh()).changed).toEqual(['skills/a'])
    expect(asked).toHaveLength(5)
  })

  it('[CARD-1] http sends headers and asks for ranges', async () => {
    const asked: IncomingMessage[] = []
    const source = http(await serve(staticHost({ 'a.md': '0123456789' }, asked)), {
      headers: { authorization: 'Bearer x' },
    })
    const part = (await source.read('a.md', { range: { offset: 2, length: 3 } })) as ReadResult
    expect([new TextDecoder().decode(part.bytes), part.partial]).toEqual(['234', { offset: 2, total: 10 }])
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer x', range: 'bytes=2-4' })
  })

  it('[CARD-1] http takes a single-page host’s start page for absent', async () => {
    const address = await serve((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'))
    const library = await openLibrary(address)
    expect(library.snapshot.diagnostics).toMatchObject([
      { code: 'source-missing', message: expect.stringContaining('skills has no skillshelf.json') },
    ])
  })

  it('[AC-5] http reports a server that fails with its status', async () => {
    const address = await serve((_, response) => response.writeHead(503).end('busy'))
    await expect(http(address).read('a.md')).rejects.toMatchObject({ code: 'source-failed', details: { status: 503 } })
    expect((await openLibrary(address)).snapshot.diagnostics).toMatchObject([{ code: 'source-unreadable' }])
  })

  it('[AC-5] http reports a server that is not there, and one that hangs up half way', async () => {
    const address = await serve((_, response) => response.end())
    await new Promise(resolve => (servers.at(-1) as Server).close(resolve))
    await expect(http(address).read('a.md')).rejects.toMatchObject({
      code: 'source-failed',
      details: { hint: expect.stringContaining('network') },
    })
    const half = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('half')
      setImmediate(() => response.destroy())
    })
    await expect(http(half).read('a.md')).rejects.toMatchObject({ code: 'source-failed' })
  })

  it('[CARD-1] http stops in the middle of a body when it is aborted', async () => {
    const stop = new AbortController()
    let hungUp = (): void => undefined
    const gone = new Promise<void>(resolve => {
      hungUp = resolve
    })
    const address = await serve((request, response) => {
      request.on('close', hungUp)
      response.writeHead(200, { 'content-length': '1000' }).write('half', () => stop.abort(new Error('enough')))
    })
    await expect(http(address).read('a.md', { signal: stop.signal })).rejects.toMatchObject({
      code: 'aborted',
      name: 'AbortError',
      cause: { message: 'enough' },
    })
    await gone
  })

  it.skipIf(globalThis.location !== undefined)(
    '[CARD-1] http needs a whole address where there is no page',
    async () => {
      for (const address of ['/skills/', './skills', 'skills'])
        await expect(openLibrary(address)).rejects.toMatchObject({
          code: 'invalid-input',
          message: expect.stringContaining('directory()'),
        })
    },
  )
})

describe('a host that has a bad moment', () => {
  /** Answers by turns; the last answer is given again and again. */
  async function byTurns(...answers: Answer[]): Promise<{ address: string; asked: () => number }> {
    let asked = 0
    const address = await serve((request, response) =>
      (answers[Math.min(asked++, answers.length - 1)] as Answer)(request, response),
    )
    return { address, asked: () => asked }
  }
  const text: Answer = (_, response) => response.end('text')
  const status =
    (code: number, headers: Record<string, string> = {}): Answer =>
    (_, response) =>
      response.writeHead(code, headers).end('not now')
  const half: Answer = (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setImmediate(() => response.destroy())
  }
  const cut: Answer = request => request.socket.destroy()
  const silent: Answer = () => undefined

  it.each<[string, Answer]>([
    ['429', status(429)],
    ['503 with Retry-After', status(503, { 'retry-after': '0' })],
    ['500', status(500)],
    ['a cut connection', cut],
    ['half an answer', half],
  ])('[AC-5] is asked again after %s', async (_, bad) => {
    const { address, asked } = await byTurns(bad, bad, text)
    const result = (await http(address, { backoff: 0 }).read('a.txt')) as ReadResult
    expect(new TextDecoder().decode(result.bytes)).toBe('text')
    expect(asked()).toBe(3)
  })

  it.each<[string, Answer, number, object]>([
    ['is asked three times in all', status(503), 3, { status: 503 }],
    ['is not asked again where that changes nothing: 403', status(403), 1, { status: 403 }],
    ['is not asked again where that changes nothing: 501', status(501), 1, { status: 501 }],
    ['is not waited for when it says an hour', status(429, { 'retry-after': '3600' }), 1, { status: 429 }],
    ['fails with what happened', cut, 3, {}],
  ])('[AC-5] %s', async (_, bad, times, details) => {
    const { address, asked } = await byTurns(bad)
    await expect(http(address, { backoff: 0 }).read('a.txt')).rejects.toMatchObject({ code: 'source-failed', details })
    expect(asked()).toBe(times)
  })

  it.each<[string, Answer]>([
    ['never answers', silent],
    ['never ends', (_, response) => void response.writeHead(200).write('a')],
  ])('[AC-5] that %s is given up when its time is over', async (_, bad) => {
    const { address } = await byTurns(bad)
    await expect(http(address, { retries: 0, timeout: 20 }).read('a.txt')).rejects.toMatchObject({
      code: 'source-failed',
      message: expect.stringContaining('no answer within 20 ms'),
    })
  })

  it('[AC-5] can be left while it waits for the next try', async () => {
    const { address, asked } = await byTurns(status(503))
    const abort = new AbortController()
    const reading = http(address, {
      backoff: 5_000,
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        setImmediate(() => abort.abort())
        return response
      },
    }).read('a.txt', { signal: abort.signal })
    await expect(reading).rejects.toMatchObject({ code: 'aborted' })
    expect(asked()).toBe(1)
  })
})

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  it.each<[string | null, number | undefined]>([
    [null, undefined],
    ['7', 7_000],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
  ])('%s is %d ms', (header, ms) => {
    expect(retryAfter(header, now)).toBe(ms)
  })
})
