import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { createMcpHandler, InMemoryTransport } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { agentCore } from '../../src/agent/dialects/agent-core.js'
import { omniEmployee } from '../../src/agent/dialects/omni-employee.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { createMcpServer, type McpServerOptions } from '../../src/exports/mcp.js'
import { createHandler, type ServedLibrary } from '../../src/exports/server.js'
import { packFiles } from '../packed-files.js'
import { INVOICE, openFiles, RESULTS, SCRIPT, TEA } from './agent-world.js'

const { version } = (await import('../../package.json', { with: { type: 'json' } })).default

/** Connects a client to an in-process server of the library. */
async function connect(
  library: SkillLibrary,
  options?: McpServerOptions,
): Promise<Client & AsyncDisposable> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const server = createMcpServer(library, options)
  await server.connect(far)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(near)
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}
/** Connects a client to a server of the invoice and tea skills. */
const connectFiles = async (options?: McpServerOptions) =>
  connect((await openFiles()).library, options)
const textOf = (result: { content?: unknown }): unknown =>
  (result.content as [{ text: string }])[0].text

async function connectHttp(
  handler: { fetch(request: Request): Promise<Response> },
  mode: 'legacy' | 'auto' = 'auto',
) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://fake.invalid/mcp'), {
      fetch: async (url, init) => handler.fetch(new Request(url, init)),
    }),
  )
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

describe('createMcpServer, tools', () => {
  it('[BY-7] MCP: a client finds a skill, opens it and reads a file', async () => {
    await using client = await connectFiles({ info: { name: 'shelf', version: '1.2.3' } })
    expect(client.getServerVersion()).toMatchObject({ name: 'shelf', version: '1.2.3' })
    expect(client.getInstructions()).toContain('<name>invoice-check</name>')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'search_skills',
      'load_skill',
      'read_skill_file',
      'unload_skill',
    ])
    const inputSchema = { type: 'object', required: ['skill'] }
    expect(tools[1]).toMatchObject({ inputSchema, annotations: { readOnlyHint: true } })
    for (const [at, { name, input }] of SCRIPT.entries()) {
      const result = await client.callTool({ name, arguments: input })
      expect(result).toMatchObject({ isError: false })
      expect(textOf(result)).toMatch(RESULTS[at] as RegExp)
    }
  })

  it('[BY-7] MCP: errors of tools are results, and an unknown tool is a protocol error', async () => {
    await using client = await connectFiles()
    const failed = await client.callTool({ name: 'load_skill', arguments: { skill: 'coffee' } })
    expect(failed).toMatchObject({ isError: true })
    expect(textOf(failed)).toContain('Skill "coffee" not found')
    expect(textOf(await client.callTool({ name: 'load_skill' }))).toContain(
      'load_skill was not run. skill is missing',
    )
    await expect(client.callTool({ name: 'tea', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('tea is a skill, not a tool: call load_skill to open it.'),
    })
  })

  it('[BY-7] [BY-8] MCP: each connection has its own session, and load_skill returns the instructions every time', async () => {
    const { library } = await openFiles()
    await using one = await connect(library)
    await using two = await connect(library)
    const call = async (client: Client, name: string) =>
      textOf(await client.callTool({ name, arguments: { skill: 'tea' } }))
    const first = await call(one, 'load_skill')
    expect(first).toContain('Boil water.')
    expect([await call(one, 'load_skill'), await call(one, 'load_skill')]).toEqual([first, first])
    expect(await call(two, 'unload_skill')).toContain('tea is not open')
    expect(await call(one, 'unload_skill')).toContain('tea is closed')
  })

  it('[BY-7] MCP: search_skills returns skills as data that fits its output schema', async () => {
    await using client = await connectFiles()
    const { tools } = await client.listTools()
    expect(tools[0]?.outputSchema).toMatchObject({
      type: 'object',
      required: ['complete', 'skills'],
    })
    // The client checks structured content against the output schema.
    const search = (query: string) =>
      client.callTool({ name: 'search_skills', arguments: { query } })
    const found = await search('check this invoice before I pay it')
    const description = 'Checks an invoice before it is paid'
    const skills = [
      { name: 'invoice-check', description, score: expect.any(Number), reason: expect.any(String) },
    ]
    expect(found.structuredContent).toMatchObject({ skills })
    expect((await search('§')).structuredContent).toEqual({ complete: true, skills: [] })
  })

  it('[BY-7] MCP: over HTTP, where no session lasts, unload_skill is not offered', async () => {
    const { library } = await openFiles()
    await using client = await connectHttp(createHandler({ library }))
    await using local = await connect(library)
    for (const one of [client, local])
      expect(one.getServerVersion()).toMatchObject({ name: 'skillshelf', version })
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(['search_skills', 'load_skill', 'read_skill_file'])
    await expect(client.callTool({ name: 'unload_skill' })).rejects.toMatchObject({ code: -32_602 })
  })

  it('[BY-7] MCP: clients may cache for as long as the server does, and privately if reads need a token', async () => {
    const { library } = await openFiles()
    const method = 'resources/list'
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } })
    const hints = async (served: Omit<ServedLibrary, 'library'>, authorization = '') => {
      const handler = createHandler({ library, ...served })
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        authorization,
      }
      const response = await handler.fetch(
        new Request('http://fake.invalid/mcp', { method: 'POST', headers, body }),
      )
      const { ttlMs, cacheScope } = JSON.parse(
        (await response.text()).replace(/^[\s\S]*?(?=\{)/, ''),
      ).result
      return { ttlMs, cacheScope }
    }
    expect(await hints({ refreshAfter: 9_000 })).toEqual({ ttlMs: 9_000, cacheScope: 'public' })
    expect(await hints({ readToken: 'secret' }, 'Bearer secret')).toEqual({
      ttlMs: 30_000,
      cacheScope: 'private',
    })
    expect(await hints({ mcp: { cacheHint: { ttlMs: 0 } } })).toEqual({
      ttlMs: 0,
      cacheScope: 'private',
    })
  })

  it('[BY-7] MCP: instructions, resources and prompts say when to use a skill', async () => {
    const files = {
      'tea/SKILL.md':
        '---\nname: tea\ndescription: Brews tea\nwhen_to_use: Guests come\n---\nBoil.',
    }
    await using client = await connect(await openLibrary(memory(files)))
    const shown = 'Brews tea. Guests come'
    expect(client.getInstructions()).toContain(shown)
    expect((await client.listResources()).resources[0]?.description).toBe(shown)
    expect((await client.listPrompts()).prompts[0]?.description).toBe(shown)
    expect((await client.getPrompt({ name: 'tea' })).description).toBe(shown)
  })

  it('[BY-7] MCP: dialects work with structured content', async () => {
    await using client = await connectFiles({ session: { dialect: agentCore } })
    expect(client.getInstructions()).toBeUndefined()
    expect(await client.callTool({ name: 'skill', arguments: { skill: 'tea' } })).toMatchObject({
      content: [{ type: 'text', text: 'Boil water.' }],
      structuredContent: { success: true, output: 'Boil water.' },
    })
  })

  it('[BY-7] [OE-3] MCP: a dialect with instructions in the system prompt adds that section to results', async () => {
    const { library } = await openFiles()
    const session = { dialect: omniEmployee }
    const call = async (client: Client, name: string, input: Record<string, string>) =>
      (await client.callTool({ name, arguments: input })).content.map(one =>
        one.type === 'text' ? one.text : '',
      )
    const rates = { skill: 'invoice-check', file: 'rates.csv' }
    await using client = await connect(library, { session })
    expect(client.getInstructions()).toContain('- [○] **tea**: Brews tea')
    const opened = await call(client, 'load_skill', { skill: 'invoice-check' })
    expect(opened[0]).toContain("Skill 'invoice-check' loaded successfully")
    expect(opened[1]).toMatch(/^## Loaded Skill Instructions[\s\S]*Look up rates\.csv\./)
    // The client has what it got before: a result has what the call requested, and has it again if it is requested again.
    const second = (await call(client, 'load_skill', { skill: 'tea' }))[1]
    expect(second).toContain('Boil water.')
    expect(second).not.toContain('rates.csv')
    for (let times = 0; times < 2; times++) {
      const [text, reference] = await call(client, 'load_skill_reference', rates)
      expect(text).toContain("Reference 'rates.csv' loaded")
      expect(reference).toMatch(/^## Loaded Skill References[\s\S]*standard,21/)
      expect(reference).not.toContain('Instructions')
      expect((await call(client, 'load_skill', { skill: 'tea' }))[1]).toBe(second)
    }
    expect(await call(client, 'unload_skill', { skill: 'invoice-check' })).toHaveLength(1)
    expect(await call(client, 'unload_skill', { skill: 'tea' })).toHaveLength(1)
    const closed = "Skill 'invoice-check' is not loaded (load it with load_skill first)"
    expect(await call(client, 'load_skill_reference', rates)).toEqual([closed])
    // Each request over HTTP has its own session.
    await using remote = await connectHttp(createHandler({ library, mcp: { session } }))
    expect((await remote.listTools()).tools.map(({ name }) => name)).toEqual([
      'load_skill',
      'load_skill_reference',
    ])
    const reference = await call(remote, 'load_skill_reference', rates)
    expect(reference[1]).toMatch(/## Loaded Skill Instructions[\s\S]*standard,21/)
  })

  it('[AC-6] MCP: tools are listed as they are, and clients are notified of changes', async () => {
    const { library, source } = await openFiles({})
    await using client = await connect(library, { session: { dialect: agentCore } })
    const notifications: string[] = []
    for (const method of [
      'notifications/tools/list_changed',
      'notifications/resources/list_changed',
    ] as const)
      client.setNotificationHandler(method, () => void notifications.push(method))
    expect((await client.listTools()).tools).toEqual([])
    await source.write({ put: TEA })
    await library.refresh()
    expect((await client.listTools()).tools[0]?.description).toContain('- tea: Brews tea')
    expect(notifications).toEqual([
      'notifications/tools/list_changed',
      'notifications/resources/list_changed',
    ])
    await source.write({ put: { 'tea/SKILL.md': TEA['tea/SKILL.md'].replace('Boil', 'Heat') } })
    await library.refresh()
    expect(textOf(await client.callTool({ name: 'skill', arguments: { skill: 'tea' } }))).toBe(
      'Heat water.',
    )
    // The tool descriptions are the same, so only resources are reported.
    expect(notifications.slice(2)).toEqual(['notifications/resources/list_changed'])
  })

  it.each(['legacy', 'auto'] as const)(
    '[BY-7] MCP: the server answers over HTTP, %s',
    async mode => {
      const { library } = await openFiles()
      const handler = createMcpHandler(() => createMcpServer(library))
      await using client = await connectHttp(handler, mode)
      expect(client.getNegotiatedProtocolVersion()).toBe(
        mode === 'auto' ? '2026-07-28' : '2025-11-25',
      )
      expect(
        textOf(await client.callTool({ name: 'load_skill', arguments: { skill: 'tea' } })),
      ).toContain('Boil water.')
      const { skills } = await new SkillsClient(client).list()
      expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual(['invoice-check', 'tea'])
    },
  )
})

const FILES = {
  ...INVOICE,
  'invoice-check/scripts/add.py': 'print(1)',
  'invoice-check/logo.png': new Uint8Array([137, 80, 78, 71, 0, 255]),
  'invoice-check/old/SKILL.md': '---\nname: old\ndescription: How it was done before\n---\nAsk.',
  'invoice-check/old/why.txt': 'because',
  // Lower case, with a byte order mark.
  'tea/skill.md': `\ufeff${TEA['tea/SKILL.md']}`,
  'tea/100% & more.md': 'milk',
  // Names and frontmatter that the extension does not allow.
  'deep_research/SKILL.md': '---\nname: deep_research\ndescription: Researches\n---\nDig.',
  'bare/SKILL.md': 'Just do it.',
  'odd/SKILL.md': '---\nname: odd\ndescription: Odd\nmetadata:\n  tags: [a, b]\n---\nHm.',
}

describe.each([
  ['a tree', async () => openLibrary(memory(FILES, { name: 'mine' }))],
  [
    'a packed library',
    async () => openLibrary(memory(await packFiles(FILES, 'mine'), { name: 'mine' })),
  ],
])('the Skills extension over %s', (_name, open) => {
  it('[BY-7] MCP Skills: a host lists skills and verifies every file', async () => {
    await using library = await open()
    await using client = await connect(library)
    const host = new SkillsClient(client)
    expect(host.supported).toBe(true)
    const { skills } = await host.list()
    expect(skills.map(({ uri }) => uri)).toEqual([
      'skill://mine/invoice-check/SKILL.md',
      'skill://mine/invoice-check/old/SKILL.md',
      'skill://mine/tea/SKILL.md',
    ])
    const seen: Record<string, string | undefined> = {}
    for (const skill of skills) {
      if (skill.resources === 'dynamic') throw new Error('its files are known')
      for (const { uri } of skill.resources) {
        const file = await host.read(skill, uri)
        expect(file.verified).toBe(true)
        seen[uri] = file.text ?? file.mimeType
      }
    }
    expect(Object.keys(seen)).toHaveLength(8)
    expect(seen).toMatchObject({
      'skill://mine/invoice-check/old/why.txt': 'because',
      'skill://mine/invoice-check/logo.png': 'image/png',
      'skill://mine/tea/100%25%20%26%20more.md': 'milk',
    })
    const tea = await host.read((await host.get('skill://mine/tea/SKILL.md')).skill)
    expect(tea.frontmatter).toEqual({ name: 'tea', description: 'Brews tea' })
    // Skills that the extension refuses are served by the tools.
    const opened = await client.callTool({
      name: 'load_skill',
      arguments: { skill: 'deep_research' },
    })
    expect(textOf(opened)).toContain('Dig.')
  })

  it('[BY-7] MCP Skills: folders are listed, and unknown URIs are not found', async () => {
    await using library = await open()
    await using client = await connect(library)
    const host = new SkillsClient(client)
    const children = async (uri: string) =>
      (await host.readDirectory(uri)).resources.map(({ name, mimeType }) => `${name} ${mimeType}`)
    expect(await children('skill://mine/invoice-check')).toEqual([
      'SKILL.md text/markdown',
      'logo.png image/png',
      'old inode/directory',
      'rates.csv text/csv',
      'scripts inode/directory',
    ])
    expect(await children('skill://mine/invoice-check/scripts')).toEqual(['add.py text/plain'])
    for (const uri of [
      'skill://mine/invoice-check/rates.csv',
      'skill://mine/coffee',
      'skill://mine',
    ])
      await expect(children(uri)).rejects.toMatchObject({ code: -32_602 })
    for (const uri of [
      'skill://mine/invoice-check/none.md',
      'skill://mine/coffee/SKILL.md',
      'skill://mine/invoice-check/..%2Ftea%2Fskill.md',
      'skill://mine%2Ftea/SKILL.md',
      'skill://mine/invoice-check/%2e%2e/coffee/SKILL.md',
    ])
      await expect(client.readResource({ uri })).rejects.toThrow('not found')
    await expect(host.get('skill://mine/deep_research/SKILL.md')).rejects.toMatchObject({
      code: -32_602,
    })
  })
})

/** Skills that are named by these numbers. */
function numbered(from: number, to: number): Record<string, string> {
  const files: Record<string, string> = {}
  for (let at = from; at < to; at++)
    files[`s${at}/SKILL.md`] = `---\nname: s${at}\ndescription: One\n---\nDo.`
  return files
}

it('[BY-7] MCP Skills: lists are paged, and a skill with too many files is left out', async () => {
  const files = numbered(100, 145)
  for (let at = 0; at < 512; at++) files[`s144/${at}.txt`] = String(at)
  const { library } = await openFiles(files)
  await using client = await connect(library)
  const host = new SkillsClient(client)
  expect((await host.list({ cursor: '' })).skills).toHaveLength(20)
  const { skills } = await host.list()
  expect(skills.map(({ frontmatter }) => `${frontmatter.name}/SKILL.md`)).toEqual(
    Object.keys(numbered(100, 144)),
  )
})

/** Skills as they are found in the wild: names unlike folders, and frontmatter that clients refuse. */
const ODD = {
  'fullstack/SKILL.md': '---\nname: fullstack-dev\ndescription: Builds sites\n---\nBuild.',
  'fullstack/references/api.md': 'GET',
  'fullstack/nested/SKILL.md': '---\nname: forms\ndescription: Builds forms\n---\nAsk.',
  'plain/SKILL.md': '---\nname: plain\ndescription: As it should be\n---\nDo.',
  '视频/SKILL.md': '---\nname: video\ndescription: Cuts videos\n---\nCut.',
  'deep_research/SKILL.md': '---\nname: deep_research\ndescription: Researches\n---\nDig.',
  'versions/SKILL.md':
    '---\nname: versions\ndescription: Has a number\nmetadata:\n  version: 1.0\n---\nHm.',
  'tools/SKILL.md':
    '---\nname: tools\ndescription: Has a list\nallowed-tools: [Read, Grep]\n---\nHm.',
  'hidden/SKILL.md':
    '---\nname: hidden\ndescription: For the model\nuser-invocable: false\n---\nHm.',
}

describe('skills whose names are not their folders', () => {
  it('[BY-7] MCP Skills: are served under their names, and verified', async () => {
    await using library = await openLibrary(memory(ODD, { name: 'odd' }))
    await using client = await connect(library)
    const host = new SkillsClient(client)
    const { skills } = await host.list()
    expect(skills.map(({ uri }) => decodeURIComponent(uri))).toEqual([
      'skill://odd/fullstack/fullstack-dev/SKILL.md',
      'skill://odd/fullstack/fullstack-dev/nested/forms/SKILL.md',
      'skill://odd/hidden/SKILL.md',
      'skill://odd/plain/SKILL.md',
      'skill://odd/视频/video/SKILL.md',
    ])
    for (const skill of skills) {
      if (skill.resources === 'dynamic') throw new Error('its files are known')
      for (const { uri } of skill.resources)
        expect((await host.read(skill, uri)).verified, uri).toBe(true)
      expect((await host.get(skill.uri)).skill).toEqual(skill)
    }
    const folder = 'skill://odd/fullstack/fullstack-dev'
    const { resources } = await host.readDirectory(folder)
    expect(resources.map(({ uri }) => uri.slice(folder.length))).toEqual([
      '/SKILL.md',
      '/nested',
      '/references',
    ])
    // Tool results name files by the folder; these URIs can be read too.
    const { contents } = await client.readResource({
      uri: 'skill://odd/fullstack/references/api.md',
    })
    expect(contents[0]).toMatchObject({ text: 'GET' })
    await expect(host.get('skill://odd/fullstack/SKILL.md')).rejects.toMatchObject({
      code: -32_602,
    })
    await expect(host.readDirectory('skill://odd/fullstack')).rejects.toMatchObject({
      code: -32_602,
    })
  })

  it('[BY-7] MCP: resources, the index of the earlier draft and prompts have all skills', async () => {
    await using library = await openLibrary(memory(ODD, { name: 'odd' }))
    await using client = await connect(library)
    const names = [
      'deep_research',
      'forms',
      'fullstack-dev',
      'hidden',
      'plain',
      'tools',
      'versions',
      'video',
    ]
    const { resources } = await client.listResources()
    expect(resources.map(({ name }) => name).sort()).toEqual(names)
    expect(resources.find(({ name }) => name === 'video')).toEqual({
      uri: 'skill://odd/%E8%A7%86%E9%A2%91/video/SKILL.md',
      name: 'video',
      description: 'Cuts videos',
      mimeType: 'text/markdown',
    })
    const index = (await client.readResource({ uri: 'skill://index.json' })).contents[0]
    const { skills } = JSON.parse(index && 'text' in index ? index.text : '')
    expect(skills.map(({ name }: { name: string }) => name).sort()).toEqual([
      'deep-research',
      ...names.slice(1),
    ])
    for (const { url, type } of skills) {
      expect(type).toBe('skill-md')
      expect((await client.readResource({ uri: url })).contents[0]).toMatchObject({
        mimeType: 'text/markdown',
      })
    }
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name).sort()).toEqual(names.filter(name => name !== 'hidden'))
  })
})

it('[BY-7] MCP: resources and prompts are paged', async () => {
  const { library } = await openFiles(numbered(1_000, 2_100))
  await using client = await connect(library)
  const first = await client.request({ method: 'resources/list', params: {} })
  expect(first.resources).toHaveLength(500)
  const expected = Array.from({ length: 1_100 }, (_, at) => `s${at + 1_000}`)
  const list = async (kind: 'resources' | 'prompts') => {
    const names: string[] = []
    for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page++) {
      const params = cursor === undefined ? {} : { cursor }
      const result = (await client.request({ method: `${kind}/list`, params })) as {
        [kind: string]: { name: string }[] | undefined
      } & { nextCursor?: string }
      names.push(...(result[kind] ?? []).map(({ name }) => name))
      cursor = result.nextCursor
    }
    return names
  }
  expect(await list('resources')).toEqual(expected)
  expect(await list('prompts')).toEqual(expected)
})

it('[BY-23] MCP: a session over a part of the library serves nothing else', async () => {
  await using client = await connectFiles({ session: { only: ['tea'] } })
  expect(client.getInstructions()).not.toContain('invoice-check')
  const names = async (kind: 'resources' | 'prompts') => {
    const result = await client.request({ method: `${kind}/list`, params: {} })
    return (result as unknown as Record<string, { name: string }[]>)[kind]?.map(({ name }) => name)
  }
  expect(await names('resources')).toEqual(['tea'])
  expect(await names('prompts')).toEqual(['tea'])
  const search = { name: 'search_skills', arguments: { query: 'check this invoice' } }
  expect(textOf(await client.callTool(search))).not.toContain('invoice-check')
  const load = { name: 'load_skill', arguments: { skill: 'invoice-check' } }
  expect(textOf(await client.callTool(load))).toContain('not found')
})

it('[BY-7] MCP: a prompt opens its skill for the user, with the request after it', async () => {
  const coffee =
    '---\nname: coffee\ndescription: Brews coffee\ndisable-model-invocation: true\n---\nGrind.'
  const { library } = await openFiles({ ...TEA, 'coffee/SKILL.md': coffee })
  await using client = await connect(library)
  expect((await client.listPrompts()).prompts).toMatchObject([
    { name: 'coffee', description: 'Brews coffee' },
    { name: 'tea', arguments: [{ name: 'request', required: false }] },
  ])
  const get = async (name: string, args?: Record<string, string>) =>
    (await client.getPrompt({ name, ...(args ? { arguments: args } : {}) })).messages.map(
      ({ content }) => textOf({ content: [content] }),
    )
  expect(await get('coffee')).toEqual([
    expect.stringMatching(/^<skill_content name="coffee"[\s\S]*Grind\./),
  ])
  expect(await get('tea', { request: 'Two cups' })).toEqual([
    expect.stringContaining('Boil water.'),
    'Two cups',
  ])
  await expect(get('cocoa')).rejects.toMatchObject({
    code: -32_602,
    message: expect.stringContaining('cocoa'),
  })
  await using strict = await connect(library, { session: { allow: () => false } })
  await expect(strict.getPrompt({ name: 'tea' })).rejects.toMatchObject({ code: -32_602 })
})

it('[BY-7] MCP Skills: a host cannot read files that the session does not allow', async () => {
  await using client = await connectFiles({
    session: { allow: ({ path }) => path !== 'rates.csv' },
  })
  const read = (uri: string) => client.readResource({ uri })
  expect((await read('skill://mine/tea/SKILL.md')).contents[0]).toMatchObject({
    mimeType: 'text/markdown',
  })
  await expect(read('skill://mine/invoice-check/rates.csv')).rejects.toThrow(/was not allowed/)
})
