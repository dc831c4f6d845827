import { describe, expect, it } from 'vitest'
import { memory, openLibrary, type SkillLibrary, skillStore } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'

const TOKEN = 'a-token-of-writers'
const TEA = '---\nname: tea\ndescription: Brews tea for guests.\n---\n\nBoil.\n'
const MEGABYTE = 1_048_576

type Ask = (path: string, init?: RequestInit) => Promise<Response>

async function opened(): Promise<{ ask: Ask; library: SkillLibrary }> {
  const source = memory({ 'tea/SKILL.md': TEA }, { name: 'shelf' })
  const library = await openLibrary(source)
  const handler = createHandler({ library, store: skillStore(source), token: TOKEN, refreshAfter: 0 })
  return { ask: async (path, init) => handler.fetch(new Request(`https://shelf.test${path}`, init)), library }
}

/** A body that says nothing of its length, and counts what is read of it. */
function endless(megabytes: number): { body: ReadableStream<Uint8Array>; read: () => number } {
  const piece = new Uint8Array(MEGABYTE)
  let read = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(to) {
        if (read++ < megabytes) to.enqueue(piece)
        else to.close()
      },
    },
    { highWaterMark: 0 },
  )
  return { body, read: () => read }
}

describe('a body of 100 MB', () => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/zip' }

  it.each([
    ['PUT', '/v1/store/tea', 17],
    ['POST', '/v1/store', 17],
    ['POST', '/v1/match', 2],
    ['POST', '/mcp', 2],
  ])('[BY-9] %s %s: is refused once it is too long, and not read to its end', async (method, path, most) => {
    const { ask } = await opened()
    const { body, read } = endless(100)
    const answer = await ask(path, { method, headers, body, duplex: 'half' } as RequestInit)
    expect([answer.status, await answer.json()]).toEqual([413, expect.objectContaining({ code: 'too-large' })])
    expect(read()).toBeLessThanOrEqual(most)
  })

  it('[BY-9] one that says so at once is not read at all', async () => {
    const { ask } = await opened()
    const { body, read } = endless(100)
    const init = {
      method: 'PUT',
      headers: { ...headers, 'content-length': String(100 * MEGABYTE) },
      body,
      duplex: 'half',
    }
    expect((await ask('/v1/store/tea', init as RequestInit)).status).toBe(413)
    expect(read()).toBe(0)
  })

  it('[BY-9] nobody without the token has anything read', async () => {
    const { ask, library } = await opened()
    const { body, read } = endless(100)
    const init = { method: 'PUT', headers: { 'content-type': 'application/zip' }, body, duplex: 'half' }
    expect((await ask('/v1/store/tea', init as RequestInit)).status).toBe(401)
    expect(read()).toBe(0)
    expect(library.snapshot.skills).toHaveLength(1)
  })
})

describe('an MCP client that lies', () => {
  const call = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const initialize = (protocolVersion: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'liar', version: '1' } },
  })

  it('[BY-9] about its version: is told which there are, or offered one', async () => {
    const { ask } = await opened()
    const told = await ask('/mcp', call(list, { 'mcp-protocol-version': '1999-01-01' }))
    expect(told.status).toBe(400)
    expect(await told.text()).toMatch(/1999-01-01/)
    const offered = await (await ask('/mcp', call(initialize('2999-01-01')))).text()
    expect(offered).toMatch(/"protocolVersion":"20\d\d-\d\d-\d\d"/)
    expect(offered).not.toContain('2999-01-01')
  })

  it.each([
    [
      'another version in its header than in its message',
      initialize('2025-06-18'),
      { 'mcp-protocol-version': '2026-07-28' },
    ],
    ['another method in its header', list, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }],
  ])('[BY-9] %s: an error of the client, and nothing is run', async (_, body, headers) => {
    const { ask } = await opened()
    const answer = await ask('/mcp', call(body, headers))
    expect(answer.status).toBe(400)
    expect(await answer.text()).not.toContain('search_skills')
  })

  it.each([
    ['no JSON', '{'],
    ['nothing', ''],
    ['deep JSON', '['.repeat(100_000)],
    ['a number', 1],
    ['a list of nothing', []],
  ])('[BY-9] %s is an error of the client', async (_, body) => {
    const { ask } = await opened()
    expect((await ask('/mcp', call(body))).status).toBe(400)
  })

  it('[BY-9] leaves nothing behind: no listener is kept of any request', async () => {
    const library = await openLibrary({ 'tea/SKILL.md': TEA })
    let heard = 0
    let listening = 0
    const watched: SkillLibrary = {
      ...library,
      snapshot: library.snapshot,
      on(event, listener) {
        const stop = library.on(event, listener)
        heard++
        listening++
        return () => {
          listening--
          stop()
        }
      },
    }
    const handler = createHandler({ library: watched, refreshAfter: 0 })
    for (const body of [list, initialize('2025-06-18'), list, { ...list, method: 'no/such' }])
      await (await handler.fetch(new Request('https://shelf.test/mcp', call(body)))).text()
    expect(heard).toBeGreaterThan(0)
    await expect.poll(() => listening).toBe(0)
  })
})

describe('a library that could not be opened', () => {
  it('[AC-5] is nothing that ends a process, and is said to whoever asks', async () => {
    const unheard: unknown[] = []
    const hear = (reason: unknown): void => void unheard.push(reason)
    process.on('unhandledRejection', hear)
    try {
      const handler = createHandler({ library: Promise.reject(new Error('no such bucket')) })
      // Rejections that nobody heard are told of after all microtasks.
      await new Promise(resolve => setImmediate(resolve))
      const answer = await handler.fetch(new Request('https://shelf.test/v1/health'))
      expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('no such bucket')])
      expect(unheard).toEqual([])
    } finally {
      process.off('unhandledRejection', hear)
    }
  })
})

describe('a clock that was set back', () => {
  it('[AC-6] does not keep an old library', async () => {
    const source = memory({ 'tea/SKILL.md': TEA }, { name: 'shelf' })
    const library = await openLibrary(source)
    const waiting: Promise<unknown>[] = []
    const handler = createHandler({ library })
    const ask = () =>
      handler.fetch(
        new Request('https://shelf.test/v1/skills/coffee'),
        {},
        { waitUntil: work => void waiting.push(work) },
      )
    const { now } = Date
    try {
      await ask()
      await source.write({ put: { 'coffee/SKILL.md': TEA.replace('tea', 'coffee') } })
      Date.now = () => now() - 3_600_000
      expect((await ask()).status).toBe(404)
      await Promise.all(waiting)
      expect((await ask()).status).toBe(200)
    } finally {
      Date.now = now
    }
  })
})
