import type { IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { http, openLibrary, type Progress } from '../../src/exports/index.js'
import { sourceSuite } from '../../src/exports/testing.js'
import { parseRetryAfter } from '../../src/source/http/retry.js'
import type { ReadResult } from '../../src/source/source.js'
import { deferred } from '../deferred.js'
import { fails } from '../fails.js'
import { fakeTimers } from '../fake-timers.js'
import { type Files, packFiles } from '../packed-files.js'
import { openInPieces, packedOnce } from '../pieces-world.js'
import { staticHost } from '../static-host.js'
import { librarySuite } from '../suites/library-suite.js'
import { type Answer, endless, half, startFetchServer, startHttpServer } from './http-server.js'

const serve = async (answer: Answer): Promise<string> =>
  `${(await startHttpServer(answer)).address}skills/`

/** A running static host, with the address of its folder. */
async function hostOf(files: Files, options?: Parameters<typeof staticHost>[1]) {
  const answer = staticHost(files, options)
  const server = await startFetchServer(({ url, headers }) =>
    answer(url, Object.fromEntries(headers)),
  )
  return { ...server, address: `${server.address}skills/` }
}

describe('http, real server', () => {
  for (const options of [{}, { dates: true }, { ranges: false }]) {
    for (const { name, run } of sourceSuite(async files => ({
      source: http((await hostOf(files, options)).address),
    })))
      it(`[CARD-1] http ${JSON.stringify(options)}: ${name}`, run)
  }

  for (const { name, run } of librarySuite(async files =>
    openLibrary((await hostOf(await packFiles(files))).address),
  ))
    it(`[BY-5] over http: ${name}`, run)

  const packed = packedOnce()
  for (const { name, run } of librarySuite(async files =>
    openInPieces((await hostOf(await packed(files))).address),
  ))
    it(`[BY-33] over http, in pieces: ${name}`, run)

  it('[CARD-1] abort stops http in the middle of a body', async () => {
    const stop = new AbortController()
    const gone = deferred()
    const address = await serve((request, response) => {
      request.on('close', gone.resolve)
      response
        .writeHead(200, { 'content-length': '1000' })
        .write('half', () => stop.abort(new Error('enough')))
    })
    const aborted = { name: 'AbortError', cause: { message: 'enough' } }
    await fails(http(address).read('a.md', { signal: stop.signal }), 'aborted', aborted)
    await gone.promise
  })

  it('[CARD-1] http requires an absolute URL outside a page', async () => {
    for (const address of ['/skills/', './skills', 'skills'])
      await fails(openLibrary(address), 'invalid-input', 'directory()')
  })
})

describe('http, temporary failures', () => {
  /** Gives one answer after the other and repeats the last. */
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
  const cut: Answer = request => request.socket.destroy()
  const silent: Answer = () => undefined

  it.each<[string, Answer]>([
    ['429', status(429)],
    ['503 with Retry-After', status(503, { 'retry-after': '0' })],
    ['500', status(500)],
    ['a dropped connection', cut],
    ['an incomplete response', half],
  ])('[AC-5] %s is retried', async (_, bad) => {
    const { address, asked } = await byTurns(bad, bad, text)
    const result = (await http(address, { backoff: 0 }).read('a.txt')) as ReadResult
    expect(new TextDecoder().decode(result.bytes)).toBe('text')
    expect(asked()).toBe(3)
  })

  it.each<[string, Answer, number, object]>([
    ['503 is tried three times', status(503), 3, { status: 503 }],
    ['403 is not retried', status(403), 1, { status: 403 }],
    ['501 is not retried', status(501), 1, { status: 501 }],
    [
      'a Retry-After of an hour ends the retries',
      status(429, { 'retry-after': '3600' }),
      1,
      { status: 429 },
    ],
    [
      'the last error is thrown after all retries',
      cut,
      3,
      { hint: expect.stringContaining('network') },
    ],
  ])('[AC-5] %s', async (_, bad, times, details) => {
    const { address, asked } = await byTurns(bad)
    await expect(http(address, { backoff: 0 }).read('a.txt')).rejects.toMatchObject({
      code: 'source-failed',
      details,
    })
    expect(asked()).toBe(times)
  })

  it.each<[string, Answer]>([
    ['a server that never answers', silent],
    ['a body that never ends', (_, response) => void response.writeHead(200).write('a')],
  ])('[AC-5] %s fails after the timeout', async (_, bad) => {
    const { address } = await byTurns(bad)
    await fails(
      http(address, { maxRetries: 0, timeout: 20 }).read('a.txt'),
      'source-failed',
      'timed out after 20 ms',
    )
  })

  it('[AC-5] abort ends the delay before a retry', async () => {
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
    await fails(reading, 'aborted')
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
    expect(parseRetryAfter(header, now)).toBe(ms)
  })
})

describe('http, fetch', () => {
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
  const fetched = async (source: ReturnType<typeof http>, address: string) => {
    const found = await source.fetch(address)
    return typeof found === 'object' ? [found.url, found.type, text(found.bytes)] : found
  }

  it('[CARD-1] addresses resolve against the folder, with their query, and an empty one is the given address', async () => {
    const address = await serve(({ url }, response) => {
      response.writeHead(200, { 'content-type': 'Text/Plain; charset=utf-8' }).end(url)
    })
    const at = (path: string): [string, string, string] => [
      new URL(path, address).href,
      'text/plain',
      path,
    ]
    for (const given of [address, `${address.slice(0, -1)}#top`, `${address}skillshelf.json`]) {
      const source = http(given)
      expect(await fetched(source, 'a/b.md?x=1#y')).toEqual(at('/skills/a/b.md?x=1'))
      expect(await fetched(source, '/c.md')).toEqual(at('/c.md'))
      expect(await fetched(source, `${address}d.md`)).toEqual(at('/skills/d.md'))
    }
    expect(await fetched(http(`${address}x.zip?id=5#top`), '')).toEqual(at('/skills/x.zip?id=5'))
    expect(await fetched(http(`${address}x.zip?id=5`), 'b.md')).toEqual(at('/skills/b.md'))
    await fails(http(address).fetch('https://['), 'invalid-input')
  })

  it('[CARD-1] an unchanged version is not downloaded again, and a 200 with it counts as unchanged', async () => {
    const { address: host, headers } = await hostOf({ 'a.md': 'one' })
    const source = http(host)
    const { version } = (await source.fetch('a.md')) as ReadResult
    expect(await source.fetch('a.md', { ifVersion: version as string })).toBe('unchanged')
    expect(headers[1]?.['if-none-match']).toBe(version)
    expect(await source.fetch('b.md')).toBeUndefined()
    const address = await serve((_, response) =>
      response.writeHead(200, { etag: '"1"' }).end('again'),
    )
    expect(await http(address).read('a.md', { ifVersion: '"1"' })).toBe('unchanged')
  })

  it('[CARD-1] text/html counts as a page only if the body starts like HTML', async () => {
    let body = ''
    const address = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(body),
    )
    for (body of ['<!doctype html>', '\uFEFF\n <html>', '', '  '])
      expect(await http(address).fetch('a.md')).toBeUndefined()
    for (body of ['---\nname: a\n---\n<p>', '{}', 'PK\x03\x04'])
      expect((await fetched(http(address), 'a.md'))?.[2]).toBe(body)
    body = '<p>'
    expect((await fetched(http(address), 'a.html'))?.[2]).toBe('<p>')
  })
})

describe('http, other origins', () => {
  const secrets = {
    headers: { authorization: 'Bearer x', 'x-key': 'y' },
    credentials: 'include' as const,
  }

  /** Host that redirects to the result of `to`, with the requests it received. */
  async function sends(to: (url: string) => string | undefined, status = 302) {
    const asked: IncomingMessage[] = []
    const address = await serve((request, response) => {
      asked.push(request)
      const location = to(request.url ?? '')
      if (location === undefined) response.end(request.url)
      else response.writeHead(status, { location }).end()
    })
    return { address, asked, origin: new URL(address).origin }
  }

  it('[BY-9] other origins do not receive the headers of the own origin', async () => {
    const other = await sends(() => undefined)
    const own = await sends(url => (url.endsWith('/go') ? `${other.address}x` : undefined))
    const source = http(own.address, secrets)
    await source.fetch('a.md')
    await source.fetch(`${other.address}b.md`)
    await source.fetch('go')
    await source.read('go')
    for (const { headers } of own.asked)
      expect(headers).toMatchObject({ authorization: 'Bearer x', 'x-key': 'y' })
    expect(other.asked.map(({ url }) => url)).toEqual(['/skills/b.md', '/skills/x', '/skills/x'])
    for (const { headers } of other.asked) {
      expect(headers).not.toHaveProperty('authorization')
      expect(headers).not.toHaveProperty('x-key')
    }
  })

  it('[BY-9] a redirect back to the own origin receives the headers again', async () => {
    const asked: IncomingMessage[] = []
    const there = await sends(() => `${here}end.md`)
    const here = await serve((request, response) => {
      asked.push(request)
      if (request.url?.endsWith('go')) response.writeHead(307, { location: there.address }).end()
      else response.end('end')
    })
    expect(await http(here, secrets).fetch('go')).toMatchObject({ url: `${here}end.md` })
    expect(asked.map(({ headers }) => headers['x-key'])).toEqual(['y', 'y'])
    expect(there.asked[0]?.headers).not.toHaveProperty('x-key')
  })

  it.each([301, 302, 303, 307, 308])(
    '[CARD-1] a %i redirect is followed, and the result has its URL',
    async status => {
      const other = await sends(() => undefined)
      const own = await sends(
        url => (url.endsWith('a.md') ? './b/c.md' : `${other.address}d.md`),
        status,
      )
      expect(await http(own.address).fetch('x/a.md')).toMatchObject({ url: `${other.address}d.md` })
      expect(own.asked.map(({ url }) => url)).toEqual(['/skills/x/a.md', '/skills/x/b/c.md'])
    },
  )

  it('[BY-9] origins outside the list are not requested, directly or by redirect', async () => {
    const [good, bad] = [await sends(() => undefined), await sends(() => undefined)]
    const own = await sends(url =>
      url.endsWith('good') ? good.address : url.endsWith('bad') ? bad.address : undefined,
    )
    const source = http(own.address, { origins: [`${good.origin}/any/path`] })
    expect(await source.fetch('good')).toMatchObject({ url: good.address })
    expect(await source.fetch(good.address)).toMatchObject({ url: good.address })
    expect(await source.fetch('own.md')).toMatchObject({ url: `${own.address}own.md` })
    for (const address of ['bad', `${bad.address}x`])
      await fails(source.fetch(address), 'source-failed', `origins: ["${bad.origin}"]`)
    await fails(source.read('bad'), 'source-failed')
    expect(bad.asked).toEqual([])
    await fails(http(own.address, { origins: [] }).fetch('good'), 'source-failed')
    expect(() => http(own.address, { origins: ['cdn'] })).toThrow(
      expect.objectContaining({ code: 'invalid-input' }),
    )
  })

  it('[BY-9] redirects that a custom fetch followed are checked too', async () => {
    const bad = await sends(() => undefined)
    const own = await sends(() => bad.address)
    const following: typeof fetch = (url, init) => fetch(url, { ...init, redirect: 'follow' })
    const follows = http(own.address, { origins: [], fetch: following })
    await fails(follows.fetch('a.md'), 'source-failed')
  })

  it('[BY-9] a redirect loop ends after 20 redirects', async () => {
    const own = await sends(url => `${url}x`)
    await fails(http(own.address).fetch('a'), 'source-failed', 'too many redirects (20)')
    expect(own.asked).toHaveLength(21)
  })
})

describe('http, body length', () => {
  it('[BY-9] an endless body ends at maxBytes and is not retried', async () => {
    const gone = deferred()
    const address = await serve((request, response) => {
      response.on('close', gone.resolve)
      endless(request, response)
    })
    await fails(
      http(address, { maxBytes: 1_000_000 }).fetch('a.md'),
      'too-large',
      'is longer than 1000000 bytes',
    )
    await gone.promise
  })

  it('[BY-9] a content length over maxBytes is refused before reading', async () => {
    const asked: IncomingMessage[] = []
    const address = await serve((request, response) => {
      asked.push(request)
      response.writeHead(200, { 'content-length': '1001' }).write('a')
    })
    await fails(http(address, { maxBytes: 1_000 }).read('a.md'), 'too-large')
    expect(asked).toHaveLength(1)
  })

  it('[BY-9] maxBytes is inclusive and counts decompressed bytes', async () => {
    const zeros = gzipSync(Buffer.alloc(100_000))
    const headers = { 'content-encoding': 'gzip', 'content-length': zeros.length }
    const address = await serve((_, response) => response.writeHead(200, headers).end(zeros))
    expect(await http(address, { maxBytes: 100_000 }).fetch('a.bin')).toMatchObject({
      bytes: { length: 100_000 },
    })
    await fails(http(address, { maxBytes: 99_999 }).fetch('a.bin'), 'too-large')
  })

  it('[CARD-1] reports download progress', async () => {
    const headers = { 'content-length': '200000' }
    const address = await serve((_, response) =>
      response.writeHead(200, headers).end(Buffer.alloc(200_000)),
    )
    const steps: Progress[] = []
    await http(address, { onProgress: progress => steps.push(progress) }).fetch('a.bin')
    expect(steps.at(-1)).toEqual({
      phase: 'download',
      item: `${address}a.bin`,
      done: 200_000,
      total: 200_000,
    })
    expect(steps.length).toBeGreaterThan(1)
    expect(steps.map(({ done }) => done)).toEqual(
      steps.map(({ done }) => done).sort((a, b) => a - b),
    )
  })

  it('[AC-5] a growing body restarts the timeout, and a slow trickle does not', async () => {
    fakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    /** Reads a body of six chunks, 80 ms apart, with a timeout of 100 ms. */
    const slowly = async (length: number): Promise<ReadResult> => {
      let arrived = deferred()
      let left = false
      let push: ReadableStreamDefaultController<Uint8Array> | undefined
      const readable = new ReadableStream<Uint8Array>({
        start(controller) {
          push = controller
        },
        cancel() {
          left = true
        },
      })
      const reading = http('https://example.com/', {
        timeout: 100,
        maxRetries: 0,
        onProgress: () => arrived.resolve(),
        fetch: async () => new Response(readable),
      }).fetch('a.bin')
      reading.catch(() => undefined)
      for (let sent = 0; sent < 6 && !left; sent++) {
        arrived = deferred()
        push?.enqueue(new Uint8Array(length))
        await arrived.promise
        vi.advanceTimersByTime(80)
      }
      if (!left) push?.close()
      return (await reading) as ReadResult
    }
    expect((await slowly(65_536)).bytes).toHaveLength(6 * 65_536)
    await expect(slowly(1_000)).rejects.toMatchObject({
      message: expect.stringContaining('timed out after 100 ms'),
    })
  })
})
