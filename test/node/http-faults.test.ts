import { describe, expect, it } from 'vitest'
import { digestOf, shortDigest } from '../../src/core/digest.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'
import { writeArchive } from '../../src/exports/sources.js'
import { skillStore } from '../../src/exports/store.js'
import { packFiles } from '../packed-files.js'
import { beforeReads } from '../watch-reads.js'

const TOKEN = 'a-token-of-writers'
const TEA = '---\nname: tea\ndescription: Brews tea for guests.\n---\n\nBoil.\n'
const MEGABYTE = 1_048_576

type Ask = (path: string, init?: RequestInit) => Promise<Response>

async function opened(): Promise<{ ask: Ask; library: SkillLibrary }> {
  const source = memory({ 'tea/SKILL.md': TEA }, { name: 'shelf' })
  const library = await openLibrary(source)
  const handler = createHandler({
    library,
    store: skillStore(source),
    token: TOKEN,
    refreshAfter: 0,
  })
  return {
    ask: async (path, init) => handler.fetch(new Request(`https://shelf.test${path}`, init)),
    library,
  }
}

/** Body without a content length that counts the pieces that were read. */
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

describe('request body of 100 MB', () => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/zip' }

  it.each([
    ['PUT', '/v1/store/tea', 17],
    ['POST', '/v1/store', 17],
    ['POST', '/v1/match', 2],
    ['POST', '/mcp', 2],
  ])('[BY-9] %s %s stops reading at its limit and answers 413', async (method, path, most) => {
    const { ask } = await opened()
    const { body, read } = endless(100)
    const answer = await ask(path, { method, headers, body, duplex: 'half' } as RequestInit)
    expect([answer.status, await answer.json()]).toEqual([
      413,
      expect.objectContaining({ code: 'too-large' }),
    ])
    expect(read()).toBeLessThanOrEqual(most)
  })

  it.each([
    ['a content length over the limit', { 'content-length': String(100 * MEGABYTE) }, 413],
    ['no token', { authorization: '' }, 401],
  ])('[BY-9] with %s is refused without reading', async (_, more, status) => {
    const { ask, library } = await opened()
    const { body, read } = endless(100)
    const init = { method: 'PUT', headers: { ...headers, ...more }, body, duplex: 'half' }
    expect((await ask('/v1/store/tea', init as RequestInit)).status).toBe(status)
    expect(read()).toBe(0)
    expect(library.snapshot.skills).toHaveLength(1)
  })
})

describe('an uploaded library', () => {
  const SKILLS = {
    'a/SKILL.md': TEA.replace('tea', 'a'),
    'a/notes.md': 'N',
    'b/SKILL.md': TEA.replace('tea', 'b'),
  }
  type Contents = Record<string, Uint8Array<ArrayBuffer>>
  const encode = (text: string) => new TextEncoder().encode(text)
  const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)
  const matching = (files: Contents, pattern: RegExp) =>
    Object.keys(files).filter(path => pattern.test(path))
  const without = (pattern: RegExp) => (files: Contents) =>
    Object.fromEntries(Object.entries(files).filter(([path]) => !pattern.test(path)))
  const replaced = (pattern: RegExp, text: string) => (files: Contents) => ({
    ...files,
    ...Object.fromEntries(matching(files, pattern).map(path => [path, encode(text)])),
  })
  /** With another catalog, whose digest fits. */
  const edited =
    (edit: (catalog: { skills: Record<string, unknown>[] } & Record<string, unknown>) => unknown) =>
    (files: Contents) => {
      const { digest: _, index: __, ...catalog } = JSON.parse(decode(files['skillshelf.json']))
      return { ...files, 'skillshelf.json': encode(JSON.stringify(edit(catalog) ?? catalog)) }
    }
  const nothing = `sha256:${'0'.repeat(64)}`
  /** A segment of other bytes, under the name that they have. */
  const garbage = (files: Contents) => {
    const bytes = encode('no segment')
    const file = `${shortDigest(digestOf(bytes))}.seg`
    const next = edited(catalog => ({ ...catalog, segments: [{ file, skills: 2, dead: [] }] }))(
      files,
    )
    return { ...next, [file]: bytes }
  }

  it.each<[string, (files: Contents) => Contents, number]>([
    ['whole', files => files, 200],
    ['a catalog that is not JSON', replaced(/skillshelf/, '{'), 400],
    ['a catalog of something else', replaced(/skillshelf/, '{"name":"x"}'), 400],
    ['a catalog that is a list', replaced(/skillshelf/, '[]'), 400],
    [
      'a catalog of another version',
      edited(catalog => ({ ...catalog, format: 'skillshelf/9' })),
      400,
    ],
    ['a catalog with another digest', edited(catalog => ({ ...catalog, digest: nothing })), 400],
    [
      'a catalog with too many skills',
      edited(({ skills, ...more }) => ({ ...more, skills: [...skills, skills[0]] })),
      400,
    ],
    [
      'an entry with another digest',
      edited(({ skills }) => void Object.assign(skills[0] as object, { digest: nothing })),
      400,
    ],
    [
      'an entry with other details',
      edited(({ skills }) => void Object.assign(skills[0] as object, { details: nothing })),
      400,
    ],
    [
      'an entry with no hex digits',
      edited(
        ({ skills }) =>
          void Object.assign(skills[0] as object, { digest: nothing.replace('0', 'x') }),
      ),
      400,
    ],
    [
      'entries that leave the folder',
      edited(({ skills, ...more }) => ({
        ...more,
        skills: skills.map(one => ({ ...one, path: '../x' })),
      })),
      400,
    ],
    ['no segment', without(/seg$/), 400],
    ['a false segment', replaced(/seg$/, 'x'), 400],
    ['a segment that is none', garbage, 200],
    ['no SKILL.md', without(/md$/), 400],
    ['a false SKILL.md', replaced(/md$/, 'x'), 400],
    ['no details', without(/files.*json$/), 400],
    ['false details', replaced(/files.*json$/, '{}'), 400],
    ['nothing but the catalog', without(/^(?!skillshelf)/), 400],
  ])('[BY-9] with %s is stored or the fault of its client', async (_, change, status) => {
    const { ask, library } = await opened()
    const files = change(await packFiles(SKILLS, 'x'))
    const body = await writeArchive(files, { format: 'zip' })
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/zip' }
    const answer = await ask('/v1/store', { method: 'POST', headers, body })
    const text = await answer.text()
    expect(answer.status, text).toBe(status)
    if (status === 400)
      expect(JSON.parse(text)).toMatchObject({
        code: 'invalid-input',
        detail: expect.stringMatching(/.{20}/),
      })
    const names = status === 200 ? ['a', 'b'] : []
    const found = await Promise.all(names.map(async name => (await library.get(name)).name))
    expect(found).toEqual(names)
    expect((await library.search('brew tea for guests')).matches.length).toBeGreaterThan(0)
  })

  it('[BY-9] is the fault of the server if its store cannot be read', async () => {
    const source = memory({}, { name: 'shelf' })
    const library = await openLibrary(source)
    const broken = beforeReads(source, () => {
      throw new Error('no disk')
    })
    const handler = createHandler({
      library,
      store: skillStore(broken),
      token: TOKEN,
      refreshAfter: 0,
    })
    const body = await writeArchive(await packFiles(SKILLS, 'x'), { format: 'zip' })
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/zip' }
    const answer = await handler.fetch(
      new Request('https://shelf.test/v1/store', { method: 'POST', headers, body }),
    )
    expect(answer.status).toBe(503)
  })
})

describe('malformed MCP requests', () => {
  const call = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const initialize = (protocolVersion: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'liar', version: '1' } },
  })

  it('[BY-9] an unknown protocol version is refused, or another one is negotiated', async () => {
    const { ask } = await opened()
    const refused = await ask('/mcp', call(list, { 'mcp-protocol-version': '1999-01-01' }))
    expect(refused.status).toBe(400)
    expect(await refused.text()).toMatch(/1999-01-01/)
    const offered = await (await ask('/mcp', call(initialize('2999-01-01')))).text()
    expect(offered).toMatch(/"protocolVersion":"20\d\d-\d\d-\d\d"/)
    expect(offered).not.toContain('2999-01-01')
  })

  it.each([
    ['version', initialize('2025-06-18'), { 'mcp-protocol-version': '2026-07-28' }],
    ['method', list, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }],
  ])(
    '[BY-9] a %s header unlike the message is answered with 400 and runs nothing',
    async (_, body, headers) => {
      const { ask } = await opened()
      const answer = await ask('/mcp', call(body, headers))
      expect(answer.status).toBe(400)
      expect(await answer.text()).not.toContain('search_skills')
    },
  )

  it.each([
    ['invalid JSON', '{'],
    ['an empty body', ''],
    ['deeply nested JSON', '['.repeat(100_000)],
    ['a number', 1],
    ['an empty list', []],
  ])('[BY-9] %s is answered with 400', async (_, body) => {
    const { ask } = await opened()
    expect((await ask('/mcp', call(body))).status).toBe(400)
  })

  it('[BY-9] an MCP request leaves no listener behind', async () => {
    const library = await openLibrary({ 'tea/SKILL.md': TEA })
    let added = 0
    let listening = 0
    const on: SkillLibrary['on'] = (event, listener) => {
      const stop = library.on(event, listener)
      added++
      listening++
      return () => {
        listening--
        stop()
      }
    }
    const watched: SkillLibrary = { ...library, snapshot: library.snapshot, on }
    const handler = createHandler({ library: watched, refreshAfter: 0 })
    for (const body of [list, initialize('2025-06-18'), list, { ...list, method: 'no/such' }])
      await (await handler.fetch(new Request('https://shelf.test/mcp', call(body)))).text()
    expect(added).toBeGreaterThan(0)
    await expect.poll(() => listening).toBe(0)
  })
})

it('[AC-5] a library that cannot be opened causes no unhandled rejection and is reported by each request', async () => {
  const unhandled: unknown[] = []
  const record = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', record)
  try {
    const handler = createHandler({ library: Promise.reject(new Error('no such bucket')) })
    // Node reports unhandled rejections after the microtasks.
    await new Promise(resolve => setImmediate(resolve))
    const answer = await handler.fetch(new Request('https://shelf.test/v1/health'))
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining('no such bucket'),
    ])
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', record)
  }
})

it('[AC-6] a clock that is set back does not stop refreshes', async () => {
  const source = memory({ 'tea/SKILL.md': TEA }, { name: 'shelf' })
  const library = await openLibrary(source)
  const waiting: Promise<unknown>[] = []
  const handler = createHandler({ library })
  const context = { waitUntil: (work: Promise<unknown>) => void waiting.push(work) }
  const ask = () => handler.fetch(new Request('https://shelf.test/v1/skills/coffee'), {}, context)
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
