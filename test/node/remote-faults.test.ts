import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import { connectLibrary } from '../../src/exports/client.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { deferred } from '../deferred.js'
import { type Answer, type HttpServer, startHttpServer } from './http-server.js'
import { json, SNAPSHOT, skill, startHandler } from './remote-fixtures.js'

const RESULT = {
  status: 'none',
  revision: 'r1',
  model: 'm',
  complete: true,
  served: 0,
  matches: [],
  maybe: [],
}
const FAST = { backoff: 0 }
const JSON_TYPE = { 'content-type': 'application/json' }

/** Server that answers `/v1/library` with the snapshot and everything else with `answer`. */
async function server(answer: Answer): Promise<HttpServer> {
  return startHttpServer((request, response) =>
    request.url === '/v1/library' ? json(response, SNAPSHOT) : answer(request, response),
  )
}

/** Gives one answer after the other and repeats the last. */
function inTurn(...answers: Answer[]): Answer {
  let next = 0
  return (request, response) => answers[Math.min(next++, answers.length - 1)]?.(request, response)
}

const status =
  (code: number, headers = {}): Answer =>
  (_, response) =>
    void response.writeHead(code, headers).end('no')
const page: Answer = (_, response) =>
  void response
    .writeHead(200, { 'content-type': 'text/html' })
    .end('<!doctype html><title>Sign in</title>')
const broken: Answer = (_, response) => response.writeHead(200, JSON_TYPE).end('{"rev')
const half: Answer = (_, response) => {
  response.writeHead(200, { ...JSON_TYPE, 'content-length': '500' }).write('{"rev')
  setImmediate(() => response.destroy())
}
const good: Answer = (_, response) => json(response, RESULT)

/** What a call failed with. */
const failureOf = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => new Error('the call did not fail'),
    error => error,
  )

describe('remote library, failing server', () => {
  for (const [what, first] of [
    ['503', status(503)],
    ['429 with Retry-After: 0', status(429, { 'retry-after': '0' })],
    [
      'a 500 problem document',
      (_, response) => json(response, { code: 'source-failed', detail: 'no' }, 500),
    ],
    ['a broken connection', (_, response) => void response.destroy()],
    ['an incomplete response', half],
    ['incomplete JSON', broken],
  ] satisfies [string, Answer][] as [string, Answer][])
    it(`[BY-7] ${what} is retried, for POST too`, async () => {
      const { address, requests } = await server(inTurn(first, good))
      const library = await connectLibrary(address, FAST)
      expect(await library.match('tea')).toEqual(RESULT)
      expect(requests.slice(1)).toEqual(['POST /v1/match', 'POST /v1/match'])
    })

  it.each([
    ['502', status(502), { status: 502 }],
    ['incomplete JSON', broken, {}],
  ])('[BY-7] a request is sent at most three times: %s', async (_, answer, details) => {
    const { address, requests } = await server(answer)
    const library = await connectLibrary(address, FAST)
    expect(await failureOf(library.match('tea'))).toMatchObject({ code: 'source-failed', details })
    expect(requests.slice(1)).toHaveLength(3)
  })

  it('[BY-7] a long Retry-After or a permanent error is not retried', async () => {
    for (const one of [status(429, { 'retry-after': '3600' }), status(404), status(501), page]) {
      const { address, requests } = await server(one)
      const library = await connectLibrary(address, FAST)
      expect(await failureOf(library.match('tea'))).toMatchObject({ code: 'source-failed' })
      expect(requests.slice(1)).toHaveLength(1)
    }
  })

  it('[BY-7] an HTML page is rejected as a library, a match and a file', async () => {
    const elsewhere = await startHttpServer(page)
    const failed = await failureOf(connectLibrary(elsewhere.address))
    expect(failed).toMatchObject({
      code: 'source-failed',
      details: { subject: `${elsewhere.address}v1/library`, status: 200 },
    })
    expect(failed.message).toContain('text/html')
    expect(elsewhere.requests).toHaveLength(1)
    const { address } = await server(page)
    const library = await connectLibrary(address)
    for (const call of [
      () => library.match('tea'),
      () => library.get('tea'),
      () => library.read('tea', 'leaf.html'),
    ])
      expect(await failureOf(call())).toMatchObject({ code: 'source-failed' })
  })

  it('[BY-7] JSON of another shape is rejected', async () => {
    const [summary] = SNAPSHOT.skills
    for (const data of [
      null,
      [],
      {},
      { ...SNAPSHOT, revision: 1 },
      { ...SNAPSHOT, skills: {} },
      { ...SNAPSHOT, skills: [{ ...summary, id: undefined }] },
      { ...SNAPSHOT, skills: [{ ...summary, displayName: 7 }] },
      { ...SNAPSHOT, skills: [{ ...summary, tags: [7] }] },
      { ...SNAPSHOT, skills: [{ ...summary, tokens: null }] },
      { ...SNAPSHOT, diagnostics: ['bad'] },
    ]) {
      const { address } = await startHttpServer((_, response) => json(response, data))
      expect(await failureOf(connectLibrary(address)), JSON.stringify(data)).toMatchObject({
        code: 'source-failed',
      })
    }
    const { address } = await server((_, response) =>
      json(response, { ...RESULT, matches: [{ id: 'lab/tea' }] }),
    )
    expect(await failureOf((await connectLibrary(address)).search('tea'))).toMatchObject({
      code: 'source-failed',
    })
  })

  it('[BY-7] a 404 hints at openLibrary for static hosts', async () => {
    const { address } = await startHttpServer(status(404))
    expect(await failureOf(connectLibrary(address))).toMatchObject({
      code: 'source-failed',
      details: { status: 404, hint: expect.stringContaining('openLibrary') },
    })
    expect(await failureOf(connectLibrary('not an address'))).toMatchObject({
      code: 'invalid-input',
    })
  })

  it('[BY-7] [BY-9] an unknown error code becomes source-failed', async () => {
    for (const code of ['constructor', 'toString', '__proto__', 'teapot']) {
      const { address } = await server((_, response) => json(response, { code, detail: 'no' }, 400))
      const failed = await failureOf((await connectLibrary(address)).match('tea'))
      expect(failed).toMatchObject({ code: 'source-failed', details: { status: 400 } })
    }
  })

  it('[BY-7] closed and aborted on the server become source-failed on the client', async () => {
    const local = await openLibrary(
      memory({ 'tea/SKILL.md': skill('tea', 'Brews tea.') }, { name: 'lab' }),
    )
    const { address } = await startHandler({ library: local, refreshAfter: 0 })
    const library = await connectLibrary(address, { maxRetries: 0 })
    await local.close()
    expect(await failureOf(library.match('tea'))).toMatchObject({
      code: 'source-failed',
      details: { status: 503 },
    })
    const stopped = await server((_, response) =>
      json(response, { code: 'aborted', detail: 'stopped' }, 400),
    )
    const failed = await failureOf((await connectLibrary(stopped.address)).match('tea'))
    expect(failed).toMatchObject({
      code: 'source-failed',
      name: 'SkillshelfError',
      message: 'stopped',
    })
  })
})

describe('remote library, files', () => {
  const BYTES = Buffer.from('0123456789')
  const HEADERS = {
    'content-type': 'text/plain',
    'skill-id': 'lab%2Ftea',
    'skill-path': 'leaf.txt',
    'skill-location': 'skill%3A%2F%2Flab%2Ftea%2Fleaf.txt',
  }
  const file = async (answer: Answer, range?: { offset: number; length?: number }) => {
    const { address } = await server(answer)
    const library = await connectLibrary(address, FAST)
    return library.read('tea', 'leaf.txt', range ? { range } : {})
  }

  it('[BY-7] a file is checked against the digest of the server', async () => {
    const of =
      (content: string): Answer =>
      (_, response) =>
        void response.writeHead(200, { ...HEADERS, 'skill-digest': digestOf(content) }).end(BYTES)
    expect(await file(of('0123456789'))).toEqual({
      path: 'leaf.txt',
      kind: 'text',
      mediaType: 'text/plain',
      size: 10,
      digest: digestOf(BYTES),
      skill: 'lab/tea',
      location: 'skill://lab/tea/leaf.txt',
      bytes: new Uint8Array(BYTES),
      text: '0123456789',
    })
    const other = { code: 'source-failed', details: { subject: 'leaf.txt' } }
    expect(await failureOf(file(of('another')))).toMatchObject(other)
  })

  it('[BY-7] a range is cut from the whole file if the server ignores or misreports ranges', async () => {
    const whole: Answer = (_, response) => void response.writeHead(200, HEADERS).end(BYTES)
    const dumb: Answer = (request, response) =>
      request.headers.range
        ? void response.writeHead(206, HEADERS).end('x')
        : whole(request, response)
    const part = { text: '89', size: 10, range: { offset: 8, length: 2, total: 10 } }
    for (const answer of [whole, dumb])
      expect(await file(answer, { offset: 8, length: 5 })).toMatchObject(part)
    const other: Answer = (_, response) =>
      void response.writeHead(206, { ...HEADERS, 'content-range': 'bytes 4-5/10' }).end('45')
    expect(await failureOf(file(other, { offset: 0, length: 2 }))).toMatchObject({
      code: 'source-failed',
    })
    expect(await failureOf(file(other))).toMatchObject({ code: 'source-failed' })
  })
})

describe('remote library, token', () => {
  const FILES = { 'tea/SKILL.md': skill('tea', 'Brews tea.') }
  const guarded = (): Promise<HttpServer> =>
    startHandler({ library: openLibrary(memory(FILES, { name: 'lab' })), readToken: 'open-sesame' })

  it('[BY-7] a token function is called for each request', async () => {
    const { address, headers } = await guarded()
    let asked = 0
    const library = await connectLibrary(address, {
      token: async () => {
        asked++
        return 'open-sesame'
      },
    })
    await library.match('tea')
    await library.read('tea', 'SKILL.md')
    expect(headers.map(({ authorization }) => authorization)).toEqual(
      Array(3).fill('Bearer open-sesame'),
    )
    expect(asked).toBe(3)
    expect((await (await connectLibrary(address, { token: 'open-sesame' })).get('tea')).name).toBe(
      'tea',
    )
  })

  it('[BY-7] a missing, wrong or failing token is not-allowed, and an invalid one is not sent', async () => {
    const { address, requests } = await guarded()
    const refused = { code: 'not-allowed', details: { status: 401 } }
    for (const options of [{}, { token: 'sesame' }, { headers: { 'x-token': 'open-sesame' } }])
      expect(await failureOf(connectLibrary(address, options))).toMatchObject(refused)
    expect(requests).toHaveLength(3)
    const failing = () => Promise.reject(new Error('signed out'))
    expect(await failureOf(connectLibrary(address, { token: failing }))).toMatchObject({
      code: 'not-allowed',
      message: 'The `token` function failed: signed out',
    })
    for (const token of ['', 'two words', 'a\r\nx: y', 'é', 7 as never])
      expect(await failureOf(connectLibrary(address, { token }))).toMatchObject({
        code: 'invalid-input',
      })
    expect(requests).toHaveLength(3)
    const proxy = await startHttpServer(status(401))
    expect(await failureOf(connectLibrary(proxy.address))).toMatchObject({ code: 'not-allowed' })
  })

  it('[BY-7] token and headers are not forwarded to another origin', async () => {
    const there = await server(good)
    const here = await startHttpServer(
      (request, response) =>
        void response
          .writeHead(308, { location: new URL(request.url ?? '', there.address).href })
          .end(),
    )
    const library = await connectLibrary(here.address, {
      token: 'secret',
      headers: { 'x-team': 'lab' },
    })
    await library.match('tea')
    expect(there.requests).toEqual(['GET /v1/library', 'POST /v1/match'])
    for (const sent of here.headers)
      expect(sent).toMatchObject({ authorization: 'Bearer secret', 'x-team': 'lab' })
    for (const sent of there.headers) {
      expect(sent).not.toHaveProperty('authorization')
      expect(sent).not.toHaveProperty('x-team')
    }
  })
})

describe('remote library, abort and close', () => {
  /** Server that never completes a response. `asked` resolves with the request, `left` when the client disconnects. */
  async function hanging(begin = '') {
    const [asked, left] = [deferred(), deferred()]
    const { address } = await server((_, response) => {
      response.on('close', left.resolve)
      if (begin) response.writeHead(200, { 'content-type': 'application/json' }).write(begin)
      asked.resolve()
    })
    return { connect: () => connectLibrary(address), asked: asked.promise, left: left.promise }
  }

  for (const begin of ['', '{"revision":'])
    it(`[BY-7] abort and close end a call: ${begin || 'no response'}`, async () => {
      const first = await hanging(begin)
      const abort = new AbortController()
      const aborted = failureOf((await first.connect()).match('tea', { signal: abort.signal }))
      await first.asked
      abort.abort(new Error('enough'))
      expect(await aborted).toMatchObject({
        code: 'aborted',
        name: 'AbortError',
        cause: { message: 'enough' },
      })
      await first.left

      const second = await hanging(begin)
      const library = await second.connect()
      const calls = [library.match('tea'), library.get('tea'), library.read('tea', 'a.txt')].map(
        failureOf,
      )
      await second.asked
      await library.close()
      for (const call of calls) expect(await call).toMatchObject({ code: 'closed' })
      await second.left
    })

  it('[BY-7] close ends a refresh, and a fetch that ignores its signal blocks no call', async () => {
    const never = new Promise<never>(() => undefined)
    let first = true
    const { address } = await server(good)
    const library = await connectLibrary(address, {
      fetch: (url, init) => {
        if (!first) return never
        first = false
        return fetch(url, init)
      },
    })
    const abort = new AbortController()
    const calls = [library.match('tea', { signal: abort.signal }), library.refresh()].map(failureOf)
    abort.abort()
    expect(await calls[0]).toMatchObject({ code: 'aborted' })
    await library.close()
    expect(await calls[1]).toMatchObject({ code: 'closed' })
  })

  it('[BY-7] connectLibrary can be aborted', async () => {
    const abort = new AbortController()
    const { address } = await startHttpServer(() => abort.abort())
    expect(await failureOf(connectLibrary(address, { signal: abort.signal }))).toMatchObject({
      code: 'aborted',
    })
  })
})
