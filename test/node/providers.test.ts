import { readFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { afterEach, describe, expect, it } from 'vitest'
import * as aiSdk from '../../src/agent/adapters/ai-sdk.js'
import * as anthropic from '../../src/agent/adapters/anthropic.js'
import * as langChain from '../../src/agent/adapters/langchain.js'
import * as openai from '../../src/agent/adapters/openai.js'
import { createPromptChat } from '../../src/agent/adapters/prompt-api.js'
import { registerSkillTools } from '../../src/agent/adapters/webmcp.js'
import { defaultDialect } from '../../src/agent/session/default-dialect.js'
import * as dialects from '../../src/exports/dialects.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { createMcpServer } from '../../src/exports/mcp.js'
import { callTool, createSession, type Dialect, type Session } from '../../src/exports/session.js'
import {
  OPENAI_STRICT,
  PROVIDERS,
  type ProvidedTool,
  problemsOf,
  type Schema,
} from '../provider-rules.js'

const skill = (name: string, description: string, fields = ''): string =>
  `---\nname: ${name}\ndescription: ${description}\n${fields}---\nSteps of ${name}.\n`

const DIALECTS: Record<string, Dialect | undefined> = {
  default: undefined,
  ...Object.fromEntries(
    Object.entries(dialects).flatMap(([name, one]) =>
      typeof one === 'object' && 'toolNames' in one ? [[name, one as Dialect]] : [],
    ),
  ),
}

/** Many skills, with paths, so that every parameter is there and every list is long. */
const MANY = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => [
    `skill-${index}/SKILL.md`,
    skill(
      `skill-${index}`,
      'Use it when ropes and sails need repair. '.repeat(3),
      'paths: ["*.vue"]\n',
    ),
  ]),
)

const openFiles = (files: Record<string, string>) =>
  openLibrary(memory(files, { name: 'mine' }), { embedder: false })
const many = await openFiles(MANY)

const sessionOf = (library: SkillLibrary, dialect?: Dialect): Session =>
  createSession(library, dialect ? { dialect } : {})
const open = async (files: Record<string, string>, dialect?: Dialect): Promise<Session> =>
  sessionOf(await openFiles(files), dialect)

async function mcpClient(session: Session): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  await createMcpServer(session.library, { session: { dialect: session.dialect } }).connect(far)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(near)
  return client
}

/** Tools that a fake `document.modelContext` was given. */
async function webMcpTools(session: Session, prefix = ''): Promise<ProvidedTool[]> {
  const tools: ProvidedTool[] = []
  const modelContext = {
    registerTool: async ({ inputSchema, ...tool }: ProvidedTool & { inputSchema: Schema }) =>
      void tools.push({ ...tool, schema: inputSchema }),
  }
  Object.assign(globalThis, { document: { modelContext } })
  await registerSkillTools(session, { prefix })
  return tools
}
afterEach(() => void Reflect.deleteProperty(globalThis, 'document'))

/** Tools that a fake `LanguageModel` was given. */
async function promptApiTools(session: Session): Promise<ProvidedTool[]> {
  let given: readonly (ProvidedTool & { inputSchema: Schema })[] = []
  const read = ({ tools = [] }: { tools?: typeof given }) => {
    given = tools
    return { addEventListener: () => undefined } as never
  }
  await createPromptChat(session, {
    languageModel: {
      async availability(options) {
        read(options as never)
        return 'available'
      },
      create: async options => read(options as never),
    },
  })
  return given.map(({ inputSchema, ...tool }) => ({ ...tool, schema: inputSchema }))
}

const ADAPTERS: Record<string, (session: Session) => ProvidedTool[] | Promise<ProvidedTool[]>> = {
  session: session =>
    session
      .tools()
      .map(({ name, description, inputSchema }) => ({ name, description, schema: inputSchema })),
  'OpenAI chat': session =>
    openai
      .skillTools(session)
      .map(({ function: { parameters, ...tool } }) => ({ ...tool, schema: parameters })),
  'OpenAI responses': session =>
    openai
      .responseTools(session)
      .map(({ parameters, ...tool }) => ({ ...tool, schema: parameters })),
  Anthropic: session =>
    anthropic
      .skillTools(session)
      .map(({ input_schema, ...tool }) => ({ ...tool, schema: { ...input_schema } })),
  'AI SDK': session =>
    Object.entries(aiSdk.skillTools(session)).map(([name, { description, inputSchema }]) => ({
      name,
      description: String(description),
      schema: (inputSchema as unknown as { jsonSchema: Schema }).jsonSchema,
    })),
  LangChain: session =>
    langChain.skillTools(session).map(({ name, description, schema }) => ({
      name,
      description,
      schema: schema as Schema,
    })),
  'Prompt API': promptApiTools,
  WebMCP: session => webMcpTools(session, 'skills_'),
  MCP: async session => {
    const { tools } = await (await mcpClient(session)).listTools()
    return tools.map(({ name, description = '', inputSchema }) => ({
      name,
      description,
      schema: inputSchema,
    }))
  },
}

describe.each(Object.entries(DIALECTS))('tools of %s', (_, dialect) => {
  it.each(Object.entries(ADAPTERS))('[BY-32] %s: every provider takes them', async (_, toolsOf) => {
    const tools = await toolsOf(sessionOf(many, dialect))
    expect(tools.length).toBeGreaterThan(0)
    expect(
      PROVIDERS.flatMap(provider => tools.flatMap(tool => problemsOf(provider, tool))),
    ).toEqual([])
  })

  it('[BY-32] OpenAI takes them as strict tools, and a call with null for each optional argument works', async () => {
    const session = sessionOf(many, dialect)
    const chat = openai.skillTools(session, { strict: true })
    const responses = openai.responseTools(session, { strict: true })
    const tools = [
      ...chat.map(({ function: { parameters, ...tool } }) => ({ ...tool, schema: parameters })),
      ...responses.map(({ parameters, ...tool }) => ({ ...tool, schema: parameters })),
    ]
    expect(tools.flatMap(tool => problemsOf(OPENAI_STRICT, tool))).toEqual([])
    expect(chat.every(({ function: { strict } }) => strict)).toBe(true)
    expect(responses.every(({ strict }) => strict)).toBe(true)
    for (const {
      function: { name, parameters },
    } of chat) {
      const input = Object.entries(parameters.properties).map(([key, { type }]) => [
        key,
        Array.isArray(type) ? null : 'skill-1',
      ])
      const { text } = await callTool(session, name, Object.fromEntries(input))
      expect(text).not.toContain('was not run')
    }
  })
})

it('[BY-32] the table of providers in the documentation names each with its sources', () => {
  const text = readFileSync('docs/agents.md', 'utf8')
  const missing = [OPENAI_STRICT, ...PROVIDERS].flatMap(({ sources }) =>
    sources.filter(source => !text.includes(source.replace(/^https:\/\//, ''))),
  )
  expect(missing).toEqual([])
})

it.each(['skills.', 'my skills ', '工具', 'x'.repeat(60)])(
  '[BY-32] a prefix that providers refuse is an error: %s',
  async prefix => {
    const session = await open({ 'tea/SKILL.md': skill('tea', 'Brews tea.') })
    await expect(webMcpTools(session, prefix)).rejects.toMatchObject({
      code: 'invalid-input',
      details: {
        subject: `${prefix}search_skills`,
        hint: expect.stringContaining('1 to 64 letters'),
      },
    })
  },
)

it('[BY-32] adapters pass inputs on as models send them', async () => {
  const session = await open({
    'tea/SKILL.md': skill('tea', 'Brews tea.'),
    'pot/SKILL.md': skill('pot', 'Cleans a pot of tea.'),
  })
  const search = { query: 'tea', limit: '1', something: null }
  const one = (text: unknown) => String(text).match(/<name>/g)?.length
  const tools = langChain.skillTools(session)
  const named = (name: string) => tools.find(tool => tool.name === name) ?? tools[0]
  expect(one(await named('search_skills')?.invoke(search))).toBe(1)
  const call = { type: 'tool_call' as const, id: 'a', name: 'load_skill', args: { Skill: '/tea' } }
  const opening = await named('load_skill')?.invoke(call)
  expect(String(opening?.content)).toContain('Steps of tea.')
  const client = await mcpClient(session)
  const { content } = await client.callTool({ name: 'search_skills', arguments: search })
  expect(one(JSON.stringify(content))).toBe(1)
  const opened = await client.callTool({ name: 'load_skill', arguments: { skill: 'p:tea' } })
  expect(JSON.stringify(opened.content)).toContain('Steps of tea.')
  // Some servers of the API of OpenAI send an object instead of its JSON.
  const tool_calls = [{ id: 'a', function: { name: 'load_skill', arguments: { skill: '`pot`' } } }]
  const [answer] = await openai.answerToolCalls(session, { tool_calls })
  expect(answer?.content).toContain('Steps of pot.')
})

describe('MCP instructions', () => {
  const MCP_LIMIT = 2_048
  const size = (text: string): number => new TextEncoder().encode(text).length
  const text = 'Explains this part of a boat, how to choose it, and how to look after it. '.repeat(
    3,
  )
  const library = (amount: number, name: (index: number) => string) =>
    Object.fromEntries(
      Array.from({ length: amount }, (_, index) => [
        `s${index}/SKILL.md`,
        skill(name(index), text),
      ]),
    )

  it.each(Object.entries(DIALECTS))(
    '[BY-32] %s: within 2 KB for any number of skills',
    async (_, dialect) => {
      for (const [amount, name] of [
        [2, (index: number) => `boat-${index}`],
        [30, (index: number) => `boat-${index}`],
        [200, (index: number) => `船上的第${index}根绳索`],
      ] as const) {
        const client = await mcpClient(await open(library(amount, name), dialect))
        expect(size(client.getInstructions() ?? '')).toBeLessThanOrEqual(MCP_LIMIT)
      }
    },
  )

  it('[BY-32] name search_skills before any list, then as many names as fit, and how many there are', async () => {
    for (const amount of [1, 19, 60, 400]) {
      const client = await mcpClient(await open(library(amount, index => `boat-${index}`)))
      const instructions = client.getInstructions() ?? ''
      const names = instructions.match(/<name>/g)?.length ?? 0
      expect(instructions.indexOf('search_skills')).toBeLessThan(20)
      expect(instructions).toContain(`all ${amount} skills`)
      if (amount <= 60) expect(names).toBe(amount)
      else expect(instructions).toContain(`These are ${names} of ${amount}`)
      // No further name has room.
      if (amount === 400) expect(size(instructions)).toBeGreaterThan(MCP_LIMIT - 30)
    }
  })

  it('[BY-32] a dialect that lists more than fits says how many skills there are', async () => {
    const dialect: Dialect = { ...defaultDialect, catalog: () => 'x'.repeat(5_000) }
    const client = await mcpClient(
      await open(
        library(3, index => `boat-${index}`),
        dialect,
      ),
    )
    expect(client.getInstructions()).toMatch(/^Call search_skills .*\nThe server has 3 skills\.$/)
  })
})
