import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { createMcpHandler, InMemoryTransport } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { agentCore } from '../../src/dialects/agent-core.js'
import { omniEmployee } from '../../src/dialects/omni-employee.js'
import { memory, openLibrary, pack, type SkillLibrary } from '../../src/exports/index.js'
import { createMcpServer, type McpServerOptions } from '../../src/exports/server.js'
import { INVOICE, openFiles, RESULTS, SCRIPT, TEA } from './agent-world.js'

/** Connects a client to an in-process server of the library. */
async function connect(library: SkillLibrary, options?: McpServerOptions): Promise<Client & AsyncDisposable> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const server = createMcpServer(library, options)
  await server.connect(far)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(near)
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}
const textOf = (result: { content?: unknown }): unknown => (result.content as [{ text: string }])[0].text

describe('createMcpServer, tools', () => {
  it('[BY-7] MCP: a client finds a skill, opens it and reads a file', async () => {
    const { library } = await openFiles()
    await using _ = library
    await using client = await connect(library, { info: { name: 'shelf', version: '1.2.3' } })
    expect(client.getServerVersion()).toMatchObject({ name: 'shelf', version: '1.2.3' })
    expect(client.getInstructions()).toContain('<name>invoice-check</name>')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search_skills', 'load_skill', 'read_skill_file', 'unload_skill'])
    expect(tools[1]).toMatchObject({
      inputSchema: { type: 'object', required: ['skill'] },
      annotations: { readOnlyHint: true },
    })
    for (const [at, { name, input }] of SCRIPT.entries()) {
      const result = await client.callTool({ name, arguments: input })
      expect(result).toMatchObject({ isError: false })
      expect(textOf(result)).toMatch(RESULTS[at] as RegExp)
    }
  })

  it('[BY-7] MCP: errors of tools are results, and an unknown tool is a protocol error', async () => {
    const { library } = await openFiles()
    await using _ = library
    await using client = await connect(library)
    const failed = await client.callTool({ name: 'load_skill', arguments: { skill: 'coffee' } })
    expect(failed).toMatchObject({ isError: true })
    expect(textOf(failed)).toContain('Skill "coffee" not found')
    expect(textOf(await client.callTool({ name: 'load_skill' }))).toContain('load_skill was not run. skill: ')
    await expect(client.callTool({ name: 'tea', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('tea is a skill, not a tool: call load_skill to open it.'),
    })
  })

  it('[BY-7] MCP: each connection has its own session', async () => {
    const { library } = await openFiles()
    await using _ = library
    await using one = await connect(library)
    await using two = await connect(library)
    const call = async (client: Client, name: string) =>
      textOf(await client.callTool({ name, arguments: { skill: 'tea' } }))
    expect(await call(one, 'load_skill')).toContain('Boil water.')
    expect(await call(two, 'unload_skill')).toContain('tea is not open')
    expect(await call(one, 'unload_skill')).toContain('tea is closed')
  })

  it('[BY-7] [BY-8] MCP: load_skill returns the instructions every time', async () => {
    const { library } = await openFiles()
    await using _ = library
    await using client = await connect(library)
    const load = async () => textOf(await client.callTool({ name: 'load_skill', arguments: { skill: 'tea' } }))
    const first = await load()
    expect(first).toContain('Boil water.')
    expect([await load(), await load()]).toEqual([first, first])
  })

  it('[BY-7] MCP: dialects work with structured content, and one that needs the prompt is refused', async () => {
    const { library } = await openFiles()
    await using _ = library
    await using client = await connect(library, { session: { dialect: agentCore } })
    expect(client.getInstructions()).toBeUndefined()
    expect(await client.callTool({ name: 'skill', arguments: { skill: 'tea' } })).toMatchObject({
      content: [{ type: 'text', text: 'Boil water.' }],
      structuredContent: { success: true, output: 'Boil water.' },
    })
    expect(() => createMcpServer(library, { session: { dialect: omniEmployee } })).toThrow(
      /puts instructions into the prompt/,
    )
  })

  it('[AC-6] MCP: tools are listed as they are, and clients are notified of changes', async () => {
    const { library, source } = await openFiles({})
    await using _ = library
    await using client = await connect(library, { session: { dialect: agentCore } })
    const notifications: string[] = []
    for (const method of ['notifications/tools/list_changed', 'notifications/resources/list_changed'] as const)
      client.setNotificationHandler(method, () => void notifications.push(method))
    expect((await client.listTools()).tools).toEqual([])
    await source.write({ put: TEA })
    await library.refresh()
    expect((await client.listTools()).tools[0]?.description).toContain('- tea: Brews tea')
    expect(notifications).toEqual(['notifications/tools/list_changed', 'notifications/resources/list_changed'])
    await source.write({ put: { 'tea/SKILL.md': TEA['tea/SKILL.md'].replace('Boil', 'Heat') } })
    await library.refresh()
    expect(textOf(await client.callTool({ name: 'skill', arguments: { skill: 'tea' } }))).toBe('Heat water.')
    // The tool descriptions are the same, so only resources are reported.
    expect(notifications.slice(2)).toEqual(['notifications/resources/list_changed'])
  })

  it.each(['legacy', 'auto'] as const)('[BY-7] MCP: the server answers over HTTP, %s', async mode => {
    const { library } = await openFiles()
    await using _ = library
    const handler = createMcpHandler(() => createMcpServer(library))
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(
      new StreamableHTTPClientTransport(new URL('http://fake.invalid/mcp'), {
        fetch: async (url, init) => handler.fetch(new Request(url, init)),
      }),
    )
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25')
    expect(textOf(await client.callTool({ name: 'load_skill', arguments: { skill: 'tea' } }))).toContain('Boil water.')
    expect((await new SkillsClient(client).list()).skills.map(({ frontmatter }) => frontmatter.name)).toEqual([
      'invoice-check',
      'tea',
    ])
    await client.close()
  })
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

async function packed(files: Readonly<Record<string, string | Uint8Array>>) {
  const outputs: Record<string, Uint8Array> = {}
  for await (const { path, bytes } of pack(memory(files, { name: 'mine' }))) outputs[path] = bytes
  return memory(outputs, { name: 'mine' })
}

describe.each([
  ['a tree', async () => openLibrary(memory(FILES, { name: 'mine' }))],
  ['a packed library', async () => openLibrary(await packed(FILES))],
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
    const opened = await client.callTool({ name: 'load_skill', arguments: { skill: 'deep_research' } })
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
    for (const uri of ['skill://mine/invoice-check/rates.csv', 'skill://mine/coffee', 'skill://mine'])
      await expect(children(uri)).rejects.toMatchObject({ code: -32_602 })
    for (const uri of [
      'skill://mine/invoice-check/none.md',
      'skill://mine/coffee/SKILL.md',
      'skill://mine/invoice-check/..%2Ftea%2Fskill.md',
      'skill://mine%2Ftea/SKILL.md',
      'skill://mine/invoice-check/%2e%2e/coffee/SKILL.md',
    ])
      await expect(client.readResource({ uri })).rejects.toMatchObject({
        message: expect.stringContaining('not found'),
      })
    await expect(host.get('skill://mine/deep_research/SKILL.md')).rejects.toMatchObject({ code: -32_602 })
  })
})

it('[BY-7] MCP Skills: lists are paged, and a skill with too many files is left out', async () => {
  const files: Record<string, string> = {}
  for (let at = 100; at < 145; at++) files[`s${at}/SKILL.md`] = `---\nname: s${at}\ndescription: One\n---\nDo.`
  for (let at = 0; at < 512; at++) files[`s144/${at}.txt`] = String(at)
  const { library } = await openFiles(files)
  await using _ = library
  await using client = await connect(library)
  const host = new SkillsClient(client)
  const first = await host.list({ cursor: '' })
  expect(first.skills).toHaveLength(20)
  const { skills } = await host.list()
  expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual(
    Array.from({ length: 44 }, (_, at) => `s${at + 100}`),
  )
})

it('[BY-7] MCP Skills: a host cannot read files that the session does not allow', async () => {
  const { library } = await openFiles()
  await using _ = library
  await using client = await connect(library, { session: { allow: ({ path }) => path !== 'rates.csv' } })
  const read = (uri: string) => client.readResource({ uri })
  expect((await read('skill://mine/tea/SKILL.md')).contents[0]).toMatchObject({ mimeType: 'text/markdown' })
  await expect(read('skill://mine/invoice-check/rates.csv')).rejects.toThrow(/was not allowed/)
})
