import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as anthropic from '../../src/agent/adapters/anthropic.js'
import * as openai from '../../src/agent/adapters/openai.js'
import { openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import {
  callTool,
  createSession,
  type HostMessage,
  type Session,
} from '../../src/exports/session.js'
import { directory } from '../../src/source/directory/directory.js'
import { samples } from '../samples.js'

const countTokens = (text: string): number => o200k(text, { disallowedSpecial: new Set() })

let library: SkillLibrary
beforeAll(async () => {
  library = await openLibrary(directory(samples))
})
afterAll(() => library.close())

/** Ten turns: what the user asks, and the tool that the model calls. */
const TURNS: readonly (readonly [message: string, tool: string, input: object])[] = [
  ['make slides about our launch', 'load_skill', { skill: 'ppt' }],
  ['use the template with the dark background', 'search_skills', { query: 'slides', limit: 3 }],
  ['now write the email that announces it', 'load_skill', { skill: 'email-writer' }],
  ['shorter, and friendlier', 'read_skill_file', { skill: 'ppt', path: 'SKILL.md', length: 900 }],
  ['draft a weekly report of what we did', 'load_skill', { skill: 'weekly-report' }],
  ['add the numbers of last week', 'search_skills', { query: '销售数据 分析' }],
  ['close the slides', 'unload_skill', { skill: 'ppt' }],
  ['which query finds the ten best customers', 'load_skill', { skill: 'sql-query' }],
  ['and those of last year?', 'load_skill', { skill: 'no-such-skill' }],
  ['thanks, that was all', 'search_skills', { query: 'thanks' }],
]
const REPLY =
  'Here is the result. I followed the steps of the skill, checked the figures twice, and listed the open questions at the end.'

interface Call {
  name: string
  input: object
  text: string
}

/** How an SDK writes a turn: the message, a call with its result, and the reply. */
const SDKS: Record<string, (message: string, call: Call) => HostMessage[]> = {
  'OpenAI, Chat Completions': (message, { name, input, text }) => [
    { role: 'user', content: message },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(input) } },
      ],
    } as HostMessage,
    { role: 'tool', content: text },
    { role: 'assistant', content: REPLY },
  ],
  'OpenAI, Responses': (message, { name, input, text }) => [
    { role: 'user', content: message },
    {
      type: 'function_call',
      call_id: 'call_1',
      name,
      arguments: JSON.stringify(input),
    } as HostMessage,
    { type: 'function_call_output', output: text },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: REPLY }] },
  ],
  Anthropic: (message, { name, input, text }) => [
    { role: 'user', content: message },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name, input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: text }] },
    { role: 'assistant', content: [{ type: 'text', text: REPLY }] },
  ],
  'AI SDK': (message, { name, input, text }) => [
    { role: 'user', content: [{ type: 'text', text: message }] },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: '1', toolName: name, input }],
    },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolName: name, output: { type: 'text', value: text } }],
    },
    { role: 'assistant', content: [{ type: 'text', text: REPLY }] },
  ],
  'AI SDK, messages of a page': (message, { name, input, text }) => [
    { role: 'user', parts: [{ type: 'text', text: message }] },
    {
      role: 'assistant',
      parts: [
        { type: `tool-${name}`, state: 'output-available', input, output: text },
        { type: 'text', text: REPLY },
      ],
    },
  ],
  LangChain: (message, { name, input, text }) =>
    [
      new HumanMessage(message),
      new AIMessage({ content: '', tool_calls: [{ id: '1', name, args: input as never }] }),
      new ToolMessage({ content: text, tool_call_id: '1', name }),
      new AIMessage(REPLY),
    ] as unknown as HostMessage[],
  Genkit: (message, { name, input, text }) => [
    { role: 'user', content: [{ text: message }] },
    { role: 'model', content: [{ toolRequest: { name, input } }] },
    { role: 'tool', content: [{ toolResponse: { name, output: text } }] },
    { role: 'model', content: [{ text: REPLY }] },
  ],
}

/** The definitions of the tools, as each API gets them. */
const TOOLS: Record<string, (session: Session) => readonly object[]> = {
  'OpenAI, Chat Completions': openai.skillTools,
  'OpenAI, Responses': openai.responseTools,
  Anthropic: anthropic.skillTools,
}

it.each(Object.keys(SDKS))(
  '[OE-7] %s: the ledger of ten turns is within 5 %% of what is sent',
  async sdk => {
    const session = createSession(library)
    const write = SDKS[sdk] as (typeof SDKS)[string]
    const history: HostMessage[] = []
    const sent: string[] = []
    for (const [message, name, input] of TURNS) {
      const { tail } = await session.prepare({ message, history })
      const { text } = await callTool(session, name, input)
      const content = tail === '' ? message : `${message}\n${tail}`
      history.push(...write(content, { name, input, text }))
      sent.push(content, name, JSON.stringify(input), text, REPLY)
    }
    session.observe(history)
    const { system } = await session.prepare({ message: 'thanks', history })
    const tools = (TOOLS[sdk] ?? openai.responseTools)(session)
    const total = [...sent, system, JSON.stringify(tools)].reduce(
      (sum, text) => sum + countTokens(text),
      0,
    )
    const ledger = session.ledger()
    const error = ledger.total / total - 1
    expect(Math.abs(error)).toBeLessThan(0.05)
    expect(ledger.tools.tokens).toBeGreaterThan(200)
  },
)
