import { describe, expect, it } from 'vitest'
import {
  agentCore,
  manusX,
  omniEmployee,
  openseed,
  tokenDance,
} from '../../src/exports/dialects.js'
import { estimateTokens, memory, openLibrary } from '../../src/exports/index.js'
import {
  callTool,
  createSession,
  type Dialect,
  type Session,
  type SessionOptions,
} from '../../src/exports/session.js'
import { skill } from '../skill-file.js'

/** A skill with many files: 1,000 scripts and 1,000 references, named as people name them. */
const MANY = Object.fromEntries([
  ['many/SKILL.md', skill('many', 'Runs many scripts', 'Go.')],
  ...Array.from({ length: 1_000 }, (_, at) => [`many/scripts/step_${at}_convert.py`, '']),
  ...Array.from({ length: 1_000 }, (_, at) => [`many/references/case-${at}.md`, '']),
])
const DIALECTS: readonly (readonly [name: string, dialect: Dialect | undefined, input: string])[] =
  [
    ['skillshelf', undefined, 'skill'],
    ['openseed', openseed, 'skill_name'],
    ['ManusX', manusX, 'skill_name'],
    ['agent-core', agentCore, 'skill'],
    ['OmniEmployee', omniEmployee, 'skill'],
    ['TokenDance', tokenDance, 'skill_id'],
  ]

/** Everything that a turn sends: the system prompt and the result of the tool that opened the skill. */
async function opened(options: SessionOptions, input: string): Promise<[Session, string, string]> {
  const session = createSession(await openLibrary(memory(MANY)), options)
  const before = (await session.prepare('hello')).system
  const opener = session.dialect.opener ?? ''
  const { text, isError } = await callTool(session, opener, { [input]: 'many' })
  const { system } = await session.prepare('hello')
  return [session, isError ? text : system.slice(before.length), isError ? '' : text]
}

describe('the text that opens a skill', () => {
  it.each(DIALECTS)(
    '[OE-2] [OE-7] of %s counts as it is injected, and long lists say how many files they leave out',
    async (name, dialect, input) => {
      const [session, system, result] = await opened({ dialect, contextTokens: 16_000 }, input)
      const [open] = session.open
      const injected = session.dialect.placement === 'section' ? system : result
      const tokens = estimateTokens(injected)
      expect(Math.abs((open?.tokens ?? 0) - tokens)).toBeLessThan(20)
      expect(session.ledger().instructions.tokens).toBe(open?.tokens)
      expect(tokens).toBeLessThan(8_000)
      const lists = ['skillshelf', 'ManusX', 'OmniEmployee'].includes(name)
      expect(/… and (?:1?940) more|1940 more files/.test(injected)).toBe(lists)
    },
  )

  it.each(DIALECTS.filter(([name]) => ['skillshelf', 'ManusX', 'OmniEmployee'].includes(name)))(
    '[OE-2] of %s must fit into the skill budget and the share of the context before it is injected',
    async (_, dialect, input) => {
      const small = { dialect, catalogTokens: 0, contextTokens: 800 }
      const [full, refused] = await opened(small, input)
      expect(refused).toMatch(/does not fit into the context/)
      expect(full.open).toEqual([])
      const [over, budget] = await opened({ dialect, budgets: { skill: 100 } }, input)
      expect(budget).toMatch(/exceeds the skill budget/)
      expect(over.open).toEqual([])
    },
  )

  it('[OE-7] is counted again when the files of an open skill change', async () => {
    const source = memory({ 'pdf/SKILL.md': skill('pdf', 'Reads PDF', 'Go.') })
    await using library = await openLibrary(source)
    const session = createSession(library)
    await session.load('pdf')
    const before = session.open[0]?.tokens ?? 0
    await source.write({ put: { 'pdf/scripts/extract_tables.py': '' } })
    await library.refresh()
    await session.prepare('hello')
    expect(session.open[0]?.tokens).toBeGreaterThan(before)
  })

  it.each<[string, object]>([
    [
      'OpenAI',
      { tool_calls: [{ function: { name: 'run_query', arguments: '{"sql":"a b c d"}' } }] },
    ],
    [
      'OpenAI, Responses',
      { type: 'function_call', name: 'run_query', arguments: '{"sql":"a b c d"}' },
    ],
    [
      'Anthropic',
      { content: [{ type: 'tool_use', name: 'run_query', input: { sql: 'a b c d' } }] },
    ],
    [
      'AI SDK',
      { content: [{ type: 'tool-call', toolName: 'run_query', input: { sql: 'a b c d' } }] },
    ],
    ['AI SDK, page', { parts: [{ type: 'tool-run_query', input: { sql: 'a b c d' } }] }],
    ['LangChain', { content: '', tool_calls: [{ name: 'run_query', args: { sql: 'a b c d' } }] }],
    ['Genkit', { content: [{ toolRequest: { name: 'run_query', input: { sql: 'a b c d' } } }] }],
  ])('[OE-7] a tool call of %s counts', async (_, call) => {
    await using library = await openLibrary(memory(MANY))
    const session = createSession(library)
    session.observe([{ role: 'assistant', ...call }])
    const tokens = estimateTokens('run_query {"sql":"a b c d"}')
    expect(session.ledger().messages.tokens).toBe(tokens)
    session.observe(session.messages)
    expect(session.ledger().messages.tokens).toBe(tokens)
  })

  it('[TD-8] reading a folder lists its files', async () => {
    await using library = await openLibrary(memory(MANY))
    const { text } = await callTool(createSession(library), 'read_skill_file', {
      skill: 'many',
      path: 'references',
    })
    expect(text).toMatch(
      /references of many is a folder \(it has references\/case-0\.md, .* 800 more/,
    )
  })
})
