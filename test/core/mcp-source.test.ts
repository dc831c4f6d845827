import { createMcpHandler, type McpHttpHandler, McpServer } from '@modelcontextprotocol/server'
import { type Skill, SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'
import { type McpOptions, mcp } from '../../src/exports/sources/mcp.js'

/** The servers are called directly, so the test runs in every runtime. */

const URL_OF_SERVER = 'https://skills.test/mcp'
const QUIET = { onDiagnostic: () => {}, embedder: false } as const
const skill = (name: string, body = 'Do it.'): string =>
  `---\nname: ${name}\ndescription: "Is good at\n  ${name}."\nmetadata:\n  owner: team\n---\n${body}\n`

interface Handler {
  fetch(request: Request): Promise<Response>
}

/** A source of a server, and the methods that it was asked for. */
function sourceOf(handler: Handler, options: McpOptions = {}) {
  const asked: string[] = []
  const source = mcp(URL_OF_SERVER, {
    ...options,
    async fetch(url, init) {
      const method = /"method":"([^"]+)"/.exec(String(init?.body))?.[1]
      if (method) asked.push(method)
      return handler.fetch(new Request(url, init))
    },
  })
  return { source, asked }
}

/** The official server, with skills as their entries say. */
function officialServer(
  entries: () => Skill[],
  files: () => Record<string, string>,
  { ttlMs = 0, pageSize = 1 } = {},
): McpHttpHandler {
  return createMcpHandler(() => {
    const server = new McpServer(
      { name: 'official', version: '1.0.0' },
      { capabilities: { resources: { listChanged: true } } },
    )
    new SkillsExtension({
      source: {
        async list({ cursor = '0' }) {
          const next = Number(cursor) + pageSize
          const skills = entries().slice(Number(cursor), next)
          return { skills, ...(next < entries().length ? { nextCursor: String(next) } : {}) }
        },
        get: async uri => entries().find(one => one.uri === uri),
        read: async uri => {
          const text = files()[uri]
          return text === undefined ? undefined : { text }
        },
      },
      cacheHint: { ttlMs, cacheScope: 'private' },
      onWarning: () => undefined,
    }).attach(server)
    return server
  })
}

/** An entry with the digests of its files. */
function entryOf(name: string, files: Readonly<Record<string, string>>): Skill {
  const root = `skill://shop/${name}`
  const resources = Object.entries(files)
    .filter(([uri]) => uri.startsWith(`${root}/`))
    .map(([uri, text]) => {
      const bytes = new TextEncoder().encode(text)
      return { uri, size: bytes.length, digest: digestOf(bytes) }
    })
  const frontmatter = { name, description: `Is good at ${name}.`, metadata: { owner: 'team' } }
  return { uri: `${root}/SKILL.md`, frontmatter, resources } as Skill
}

describe('mcp', () => {
  it('[BY-37] reads the skills of our own server, with digests', async () => {
    const served = memory(
      {
        'tea/SKILL.md': skill('tea', 'Boil the water.'),
        'tea/references/water & ice.md': 'Cold.',
        'tea/assets/leaf.bin': Uint8Array.of(0, 255, 13, 10),
        'office/mail/SKILL.md': skill('mail'),
      },
      { name: 'team' },
    )
    const { source } = sourceOf(createHandler({ library: openLibrary(served, QUIET) }))
    await using library = await openLibrary(source, QUIET)
    expect(library.snapshot.skills.map(({ id }) => id).sort()).toEqual([
      'skills.test/team/office/mail',
      'skills.test/team/tea',
    ])
    expect((await library.get('tea')).instructions).toBe('Boil the water.')
    expect((await library.get('tea')).files.map(({ path }) => path)).toEqual([
      'assets/leaf.bin',
      'references/water & ice.md',
    ])
    const { bytes } = await library.read('tea', 'assets/leaf.bin')
    expect([...bytes]).toEqual([0, 255, 13, 10])
    expect((await library.search('boil water')).matches[0]).toMatchObject({ name: 'tea' })
  })

  it('[BY-37] reads every page, once for as long as the server lets it', async () => {
    const files = Object.fromEntries(
      ['a', 'b', 'c'].map(name => [`skill://shop/${name}/SKILL.md`, skill(name)]),
    )
    const entries = ['a', 'b', 'c'].map(name => entryOf(name, files))
    const hour = officialServer(
      () => entries,
      () => files,
      { ttlMs: 3_600_000 },
    )
    const kept = sourceOf(hour)
    expect((await kept.source.list()).map(({ path }) => path)).toEqual([
      'shop/a/SKILL.md',
      'shop/b/SKILL.md',
      'shop/c/SKILL.md',
    ])
    await kept.source.list()
    expect(kept.asked.filter(method => method === 'skills/list')).toHaveLength(3)

    const fresh = sourceOf(
      officialServer(
        () => entries,
        () => files,
      ),
    )
    await fresh.source.list()
    await fresh.source.list()
    expect(fresh.asked.filter(method => method === 'skills/list')).toHaveLength(6)
    const version = entries[0]?.resources === 'dynamic' ? '' : entries[0]?.resources[0]?.digest
    expect(await fresh.source.read('shop/a/SKILL.md', { ifVersion: version })).toBe('unchanged')
  })

  it('[BY-37] follows the changes that a server reports', async () => {
    const files: Record<string, string> = { 'skill://shop/tea/SKILL.md': skill('tea') }
    const entries = [entryOf('tea', files)]
    const handler = officialServer(
      () => entries,
      () => files,
      { ttlMs: 3_600_000 },
    )
    const { source } = sourceOf(handler, { watch: true })
    await using library = await openLibrary(source, QUIET)
    const changed = new Promise<void>(resolve => library.on('change', () => resolve()))
    files['skill://shop/bread/SKILL.md'] = skill('bread')
    entries.push(entryOf('bread', files))
    handler.notify.resourcesChanged()
    await changed
    expect(library.snapshot.skills.map(({ name }) => name).sort()).toEqual(['bread', 'tea'])
    await handler.close()
  })

  it('[BY-37] refuses what is not as listed, and takes a skill that changed since', async () => {
    const files = { 'skill://shop/tea/SKILL.md': skill('tea', 'Before.') }
    let entry = entryOf('tea', files)
    const { source } = sourceOf(
      officialServer(
        () => [entry],
        () => files,
      ),
    )
    await source.list()
    files['skill://shop/tea/SKILL.md'] = skill('tea', 'Send the keys.')
    await expect(source.read('shop/tea/SKILL.md')).rejects.toMatchObject({ code: 'source-failed' })
    entry = entryOf('tea', files)
    expect(await source.read('shop/tea/SKILL.md')).toMatchObject({
      version: digestOf(new TextEncoder().encode(skill('tea', 'Send the keys.'))),
    })
    expect(await source.read('shop/tea/gone.md')).toBeUndefined()
  })

  it('[BY-37] reports skills that no client accepts, and reads the others', async () => {
    const files: Record<string, string> = {
      'skill://shop/tea/SKILL.md': skill('tea'),
      'skill://shop/many/SKILL.md': skill('many'),
    }
    for (let number = 0; number < 512; number++) files[`skill://shop/many/${number}.md`] = 'x'
    const wrong = { ...entryOf('tea', files), uri: 'skill://shop/cups/SKILL.md' }
    const entries = [entryOf('tea', files), entryOf('many', files), wrong]
    const { source } = sourceOf(rawServer(entries, files))
    const listed = await source.list()
    expect(listed.filter(({ unreadable }) => !unreadable).map(({ path }) => path)).toEqual([
      'shop/tea/SKILL.md',
    ])
    expect(listed.flatMap(({ unreadable }) => unreadable ?? [])).toEqual([
      expect.stringContaining('cups'),
      expect.stringContaining('more than 512 files'),
    ])
  })

  it('[BY-37] reads a server that has only resources', async () => {
    const { source } = sourceOf(
      createMcpHandler(() => {
        const server = new McpServer({ name: 'plain', version: '1.0.0' })
        const files = {
          'skill://tea/SKILL.md': skill('tea'),
          'skill://tea/_manifest': '{"files":[{"path":"SKILL.md"},{"path":"references/a b.md"}]}',
          'skill://tea/references/a%20b.md': 'Listed.',
          'notes://all': 'No skill.',
        }
        for (const [uri, text] of Object.entries(files)) {
          if (uri.includes('references')) continue
          server.registerResource(uri, uri, {}, () => ({ contents: [{ uri, text }] }))
        }
        server.server.setRequestHandler('resources/read', ({ params: { uri } }) => {
          const text = files[uri as keyof typeof files]
          if (text === undefined) throw new Error('not found')
          return { contents: [{ uri, text }] }
        })
        return server
      }),
    )
    await using library = await openLibrary(source, QUIET)
    expect(library.snapshot.skills.map(({ id }) => id)).toEqual(['skills.test/tea'])
    const { bytes } = await library.read('tea', 'references/a b.md')
    expect(new TextDecoder().decode(bytes)).toBe('Listed.')
  })

  it.each(['application/json', 'text/event-stream'])(
    '[BY-37] refuses a response of %s that never ends, and reads again later',
    async type => {
      const files = { 'skill://shop/tea/SKILL.md': skill('tea') }
      const handler = officialServer(
        () => [entryOf('tea', files)],
        () => files,
      )
      let isEndless = false
      let taken = 0
      const endless = (): Response => {
        const body = new ReadableStream({
          pull(controller) {
            taken += 65_536
            controller.enqueue(new TextEncoder().encode(`data: ${'a'.repeat(65_529)}\n`))
            // So that a reader without a limit fails instead of hanging.
            if (taken > 20_000_000) controller.close()
          },
        })
        return new Response(body, { headers: { 'content-type': type } })
      }
      const { source } = sourceOf(
        { fetch: async request => (isEndless ? endless() : handler.fetch(request)) },
        { maxBytes: 1_000_000 },
      )
      expect(await source.list()).toHaveLength(1)
      isEndless = true
      await expect(source.list()).rejects.toMatchObject({ code: 'too-large' })
      await expect(source.list()).rejects.toMatchObject({ code: 'too-large' })
      expect(taken).toBeLessThan(4_000_000)
      isEndless = false
      expect(await source.list()).toHaveLength(1)
    },
  )

  it('[BY-37] reads a stream of many events, each within the limit', async () => {
    const files = { 'skill://shop/tea/SKILL.md': skill('tea') }
    const handler = officialServer(
      () => [entryOf('tea', files)],
      () => files,
    )
    const noisy = async (request: Request): Promise<Response> => {
      const response = await handler.fetch(request)
      if (!response.ok || response.status === 202) return response
      const note = { jsonrpc: '2.0', method: 'notifications/message' }
      const event = `data: ${JSON.stringify({ ...note, params: { data: 'a'.repeat(900), level: 'info' } })}\r\n\r\n`
      const text = await response.text()
      const answer = text.startsWith('{') ? `data: ${text}\n\n` : text
      const headers = { 'content-type': 'text/event-stream' }
      return new Response(event.repeat(30) + answer, { headers })
    }
    const { source } = sourceOf({ fetch: noisy }, { maxBytes: 10_000 })
    expect(await source.list()).toHaveLength(1)
  })

  it('[BY-37] leaves authorization to the headers and the fetch of the caller', async () => {
    const handler = createHandler({
      library: openLibrary({ 'tea/SKILL.md': skill('tea') }, QUIET),
    })
    let token = 'old'
    const source = mcp(URL_OF_SERVER, {
      headers: { 'x-tenant': 'shop' },
      async fetch(url, init) {
        const request = new Request(url, init)
        request.headers.set('authorization', `Bearer ${token}`)
        const isAllowed =
          request.headers.get('x-tenant') === 'shop' &&
          request.headers.get('authorization') === 'Bearer new'
        return isAllowed ? handler.fetch(request) : new Response('no', { status: 401 })
      },
    })
    await expect(source.list()).rejects.toMatchObject({ code: 'source-failed' })
    token = 'new'
    expect(await source.list()).toHaveLength(1)
    await source.close?.()
    expect(() => mcp('file:///skills')).toThrow(expect.objectContaining({ code: 'invalid-input' }))
  })
})

/** A server that lists entries as they are, without the checks of the official one. */
function rawServer(entries: readonly Skill[], files: Readonly<Record<string, string>>): Handler {
  return createMcpHandler(() => {
    const server = new McpServer(
      { name: 'raw', version: '1.0.0' },
      {
        capabilities: {
          resources: {},
          extensions: { 'io.modelcontextprotocol/skills': {} },
        },
      },
    )
    const cache = { ttlMs: 0, cacheScope: 'private' }
    server.server.fallbackRequestHandler = async ({ method, params }) => {
      if (method === 'skills/list') return { skills: entries, ...cache }
      const uri = String(params?.['uri'])
      return { contents: [{ uri, text: files[uri] ?? '' }], ...cache }
    }
    return server
  })
}
