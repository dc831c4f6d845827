import { existsSync } from 'node:fs'
import Anthropic from '@anthropic-ai/sdk'
import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import OpenAI from 'openai'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readBenchmark } from '../../bench/rank/benchmark.js'
import { runTools } from '../../bench/rank/tools.js'
import { mockAnthropic } from '../../examples/tool-search/mock-anthropic.js'
import { mockOpenAI } from '../../examples/tool-search/mock-openai.js'
import { tools } from '../../examples/tool-search/tools.js'
import * as anthropic from '../../src/exports/adapters/anthropic.js'
import * as openai from '../../src/exports/adapters/openai.js'
import { createSession } from '../../src/exports/session.js'
import { TOOL_SEARCH, type ToolDefinition, toolShelf } from '../../src/exports/tools.js'
import { PROVIDERS, problemsOf } from '../provider-rules.js'
import { openFiles } from './agent-world.js'
import { checkExample, exampleFolder, runExample } from './example-world.js'

const words = { embedder: false } as const
const shelf = await toolShelf(tools, words)
afterAll(() => shelf.close())

const REMIND = 'office__remind_invoice'
const MESSAGE = 'send a reminder of the overdue invoice'
const named = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  inputSchema: { type: 'object' },
  ...more,
})
const search = (id: string, query: unknown) => ({
  anthropic: { type: 'tool_use' as const, id, name: TOOL_SEARCH, input: { query } },
  openai: {
    type: 'tool_search_call' as const,
    call_id: id,
    execution: 'client' as const,
    arguments: { query },
  },
})

describe('a tool shelf', () => {
  it('[BY-39] finds five of 160 tools for a message, the right one first', async () => {
    const found = await shelf.search(MESSAGE)
    expect(found).toHaveLength(5)
    expect(found[0]).toBe(tools.find(({ name }) => name === REMIND))
    expect(await shelf.search(MESSAGE, { limit: 2 })).toEqual(found.slice(0, 2))
    expect((await shelf.search(REMIND))[0]?.name).toBe(REMIND)
    expect(await shelf.search('')).toEqual([])
  })

  it('[BY-39] finds by title, and by names and descriptions of arguments', async () => {
    const properties = { altitude: { type: 'number', description: 'Meters above the sea' } }
    await using small = await toolShelf(
      [
        named('a1', { title: 'Weather forecast' }),
        named('a2', { inputSchema: { type: 'object', properties } }),
        named('a3', { inputSchema: { type: 'object', properties: { postcode: true } } }),
        named('a4', { description: '"Quotes", --- dashes:\n# and lines 🙂' }),
      ],
      words,
    )
    const first = async (query: string) => (await small.search(query))[0]?.name
    expect(await first('a weather forecast')).toBe('a1')
    expect(await first('meters above the sea')).toBe('a2')
    expect(await first('which altitude?')).toBe('a2')
    expect(await first('my postcode')).toBe('a3')
    expect(await first('quotes with dashes')).toBe('a4')
  })

  it('[BY-39] takes the tools of an MCP server as the client lists them', async () => {
    const [near, far] = InMemoryTransport.createLinkedPair()
    const server = new McpServer({ name: 'weather', version: '1' })
    const inputSchema = z.object({ city: z.string().describe('Where it may rain') })
    server.registerTool('forecast', { description: 'The weather', inputSchema }, async () => ({
      content: [],
    }))
    server.registerTool('moon', { description: 'The phase of the moon' }, async () => ({
      content: [],
    }))
    await server.connect(far)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(near)
    const { tools: listed } = await client.listTools()
    await using mcp = await toolShelf(listed, words)
    const [tool] = await mcp.search('will it rain in Lisbon?')
    expect(tool).toBe(listed.find(({ name }) => name === 'forecast'))
    expect(mcp.tools).toBe(listed)
  })

  it('[BY-39] refuses two tools of one name, the name of the search, and what is no definition', async () => {
    const refused = (...list: unknown[]) =>
      expect(toolShelf(list as ToolDefinition[], words)).rejects
    await refused(named('a'), named('a')).toMatchObject({ details: { candidates: ['a'] } })
    await refused(named(TOOL_SEARCH)).toThrow('More than one tool is named search_tools')
    await refused({ name: 'a' }).toThrow('"inputSchema" of the tool a must be a JSON Schema')
    await refused({ inputSchema: {} }).toThrow('A tool has no "name"')
    await expect(toolShelf([], { limit: 3 } as never)).rejects.toThrow('unknown option `limit`')
  })

  it('[BY-39] a search ends with its signal, and with the shelf', async () => {
    const closed = await toolShelf([named('a')], words)
    const signal = AbortSignal.abort()
    await expect(closed.search('a', { signal })).rejects.toMatchObject({ code: 'aborted' })
    await closed.close()
    await expect(closed.search('a')).rejects.toMatchObject({ code: 'closed' })
  })

  it('[BY-39] a skill brings the tools that its allowed-tools name', async () => {
    const skill = (rules: string) =>
      `---\nname: dunning\ndescription: Reminds people.\nallowed-tools: ${rules}\n---\nBe kind.`
    const bring = async (rules: string): Promise<string[]> => {
      const { library } = await openFiles({ 'dunning/SKILL.md': skill(rules) })
      const session = createSession(library)
      expect(shelf.toolsFor(session)).toEqual([])
      await session.load('dunning')
      return shelf.toolsFor(session).map(({ name }) => name)
    }
    expect(await bring(`${REMIND}, office__find_invoice(number:*), Bash(git:*)`)).toEqual([
      'office__find_invoice',
      REMIND,
    ])
    expect(await bring('office__remind_*')).toHaveLength(10)
    expect(await bring('"*", "mcp__*"')).toEqual([])
  })
})

describe('the search calls of the APIs', () => {
  it('[BY-39] Anthropic: every tool is deferred but the search; it is answered with references', async () => {
    const offered = anthropic.shelfTools(shelf)
    const request = { model: 'mock', max_tokens: 1, tools: offered }
    const params: Anthropic.MessageCreateParamsNonStreaming = { ...request, messages: [] }
    expect(params.tools).toHaveLength(161)
    expect(offered.filter(tool => !tool.defer_loading).map(({ name }) => name)).toEqual([
      TOOL_SEARCH,
    ])
    const content = [
      { type: 'text' as const, text: 'I look.' },
      search('one', MESSAGE).anthropic,
      { type: 'tool_use' as const, id: 'two', name: REMIND, input: {} },
      search('three', 'zzyzx').anthropic,
      search('four', null).anthropic,
    ]
    const results: Anthropic.ToolResultBlockParam[] = await anthropic.answerToolSearches(
      shelf,
      content,
      { limit: 1 },
    )
    expect(results).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'one',
        content: [{ type: 'tool_reference', tool_name: REMIND }],
      },
      ...['three', 'four'].map(tool_use_id => ({
        type: 'tool_result',
        tool_use_id,
        content: 'No tool was found. Search with other words.',
      })),
    ])
  })

  it('[BY-39] OpenAI: only the search is sent; its answer has the definitions that are found', async () => {
    const offered: OpenAI.Responses.Tool[] = openai.shelfTools(shelf)
    expect(offered).toEqual([expect.objectContaining({ type: 'tool_search', execution: 'client' })])
    const output = [
      { type: 'reasoning' },
      search('one', MESSAGE).openai,
      { ...search('two', MESSAGE).openai, arguments: JSON.stringify({ query: REMIND }) },
      { ...search('three', MESSAGE).openai, execution: 'server', call_id: null },
    ]
    const answers: OpenAI.Responses.ResponseToolSearchOutputItemParam[] =
      await openai.answerToolSearches(shelf, output, { limit: 1 })
    expect(answers.map(({ call_id }) => call_id)).toEqual(['one', 'two'])
    const { name, description, inputSchema } = tools.find(tool => tool.name === REMIND) ?? {}
    const loaded = { type: 'function', name, description, parameters: inputSchema, strict: false }
    for (const { tools: found } of answers) {
      expect(found).toEqual([{ ...loaded, defer_loading: true }])
    }
  })

  it('[BY-39] tools that an open skill names need no search', async () => {
    const text = `---\nname: dunning\ndescription: Reminds people.\nallowed-tools: ${REMIND}\n---\n`
    const { library } = await openFiles({ 'dunning/SKILL.md': text })
    const session = createSession(library)
    await session.load('dunning')
    const deferred = anthropic.shelfTools(shelf, { session }).filter(one => one.defer_loading)
    expect(deferred).toHaveLength(159)
    expect(deferred.map(({ name }) => name)).not.toContain(REMIND)
    const [, ...sent] = openai.shelfTools(shelf, { session })
    expect(sent).toEqual([expect.objectContaining({ name: REMIND, strict: false })])
    expect(sent[0]).not.toHaveProperty('defer_loading')
  })

  it('[BY-39] every provider takes the search', () => {
    const [tool] = anthropic.shelfTools(shelf)
    const schema = { ...tool?.input_schema }
    const offered = { name: TOOL_SEARCH, description: tool?.description ?? '', schema }
    expect(PROVIDERS.flatMap(provider => problemsOf(provider, offered))).toEqual([])
    expect(openai.shelfTools(shelf)[0]).toMatchObject({ parameters: schema })
  })

  it('[BY-39] a name that the APIs refuse is an error before the request', async () => {
    await using dotted = await toolShelf([named('weather.forecast')], words)
    for (const { shelfTools } of [anthropic, openai]) {
      expect(() => shelfTools(dotted)).toThrow('The tool name "weather.forecast" is not valid')
    }
  })

  it('[BY-39] the mocks refuse what the APIs refuse', async () => {
    const claude = new Anthropic({ apiKey: 'mock', fetch: mockAnthropic, maxRetries: 0 })
    const offered = anthropic.shelfTools(shelf)
    const request = { model: 'mock', max_tokens: 1, messages: [], tools: offered }
    const [, ...deferred] = offered
    await expect(claude.messages.create({ ...request, tools: deferred })).rejects.toThrow(
      'All tools have defer_loading set',
    )
    const content = await anthropic.answerToolSearches(shelf, [search('one', MESSAGE).anthropic])
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content }]
    await expect(
      claude.messages.create({ ...request, messages, tools: offered.slice(0, 1) }),
    ).rejects.toThrow('has no corresponding tool definition')
    const baseURL = 'https://mock.invalid/v1'
    const gpt = new OpenAI({ apiKey: 'mock', baseURL, fetch: mockOpenAI, maxRetries: 0 })
    await expect(gpt.responses.create({ model: 'mock', input: [] })).rejects.toThrow(
      'No tool search of the client',
    )
    const input = [search('one', MESSAGE).openai]
    await expect(
      gpt.responses.create({ model: 'mock', input, tools: openai.shelfTools(shelf) }),
    ).rejects.toThrow('No tool output found')
  })

  it.each(['anthropic', 'openai'])(
    '[BY-39] the example for %s finds a tool among 160 and calls it',
    async api => {
      const { out, err } = await runExample(
        exampleFolder(),
        `tool-search/${api}.ts`,
        { OPENAI_API_KEY: '' },
        ['remind Ada about her overdue invoice', 'print the contract on paper'],
      )
      expect(out).toBe(`${REMIND} is done: {}\noffice__print_contract is done: {}\n`)
      // The bundle of this test has no model beside it.
      expect(err).toMatch(/^(?:skillshelf: The bundled model is unavailable[^\n]*\n)?$/)
    },
  )

  it('[CARD-5] the example type-checks', () => {
    const { files, errors } = checkExample('tool-search')
    expect(files).toHaveLength(5)
    expect(errors).toEqual([])
  })
})

const benchmarks = new URL('../../../shared/data/benchmarks/livemcpbench.jsonl.gz', import.meta.url)
it.skipIf(!existsSync(benchmarks))(
  '[BY-39] of 527 real tools a search sends 1.5 % of the tokens, with 38 % of the relevant ones',
  async () => {
    const [run] = await runTools('livemcpbench', readBenchmark('livemcpbench'))
    expect(run?.r5).toBeGreaterThan(0.37)
    expect((run?.sent ?? 0) / (run?.all ?? 1)).toBeLessThan(0.02)
  },
)
