import type Anthropic from '@anthropic-ai/sdk'
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import type { DynamicStructuredTool } from '@langchain/core/tools'
import { generateText, stepCountIs } from 'ai'
import type { MockLanguageModelV3 } from 'ai/test'
import { generateText as generateText6 } from 'ai6'
import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import * as aiSdk from '../../src/agent/adapters/ai-sdk.js'
import * as anthropic from '../../src/agent/adapters/anthropic.js'
import * as langChain from '../../src/agent/adapters/langchain.js'
import * as openai from '../../src/agent/adapters/openai.js'
import { defaultDialect } from '../../src/agent/session/default-dialect.js'
import { agentCore } from '../../src/exports/dialects.js'
import { createSession, type Session, type SkillTool } from '../../src/exports/session.js'
import { openFiles, RESULTS, SCRIPT, start, TEA } from './agent-world.js'
import { aiSdkModel } from './ai-sdk-model.js'

it.each<[string, (session: Session) => object]>([
  ['AI SDK', aiSdk.skillTools],
  ['Anthropic', anthropic.skillTools],
  [
    'LangChain',
    session => langChain.skillTools(session).map(({ description }) => ({ description })),
  ],
  ['OpenAI chat', openai.skillTools],
  ['OpenAI responses', openai.responseTools],
])(
  '[AC-6] %s: the tools are those of the current library, with the current description',
  async (_, convert) => {
    const { library, source } = await openFiles({})
    await using _library = library
    const session = createSession(library, { dialect: agentCore })
    expect(Object.keys(convert(session))).toEqual([])
    await source.write({ put: TEA })
    await library.refresh()
    expect(JSON.stringify(convert(session))).toContain('- tea: Brews tea')
  },
)

const USE = { type: 'tool_use', id: 'a', name: 'load_skill', input: { skill: 'tea' } }
const CALL = { id: 'a', function: { name: 'load_skill', arguments: '{"skill":"tea"}' } }
const CONTEXT = { toolCallId: 'a', messages: [], context: {} }

it.each<[string, (session: Session, signal: AbortSignal) => Promise<unknown>]>([
  ['Anthropic', (session, signal) => anthropic.answerToolUses(session, [USE], { signal })],
  [
    'OpenAI',
    (session, signal) => openai.answerToolCalls(session, { tool_calls: [CALL] }, { signal }),
  ],
  [
    'AI SDK',
    async (session, abortSignal) =>
      aiSdk
        .skillTools(session)
        ['load_skill']?.execute?.(USE.input as never, { ...CONTEXT, abortSignal }),
  ],
])('[BY-7] %s: an abort reaches the tool', async (_, call) => {
  await expect(call(await start(), AbortSignal.abort())).rejects.toMatchObject({
    name: 'AbortError',
  })
})

describe('AI SDK', () => {
  /** Types and values of the tool results in the last prompt. */
  function toolResults(model: MockLanguageModelV3): { type: string; value: unknown }[] {
    return (model.doGenerateCalls.at(-1)?.prompt ?? []).flatMap(message =>
      message.role === 'tool'
        ? message.content.flatMap(part =>
            part.type === 'tool-result' && 'value' in part.output
              ? [{ type: part.output.type, value: part.output.value }]
              : [],
          )
        : [],
    )
  }

  const VERSIONS = { 6: generateText6 as unknown as typeof generateText, 7: generateText }

  it.each(Object.entries(VERSIONS))(
    '[BY-7] [OE-7] AI SDK %s: an agent finds a skill, opens it and reads',
    async (_, generate) => {
      const session = await start()
      const model = aiSdkModel(SCRIPT)
      const turn = await session.prepare({ message: 'check this invoice' })
      const { text } = await generate({
        model,
        system: turn.system,
        prompt: `check this invoice\n${turn.tail}`,
        tools: aiSdk.skillTools(session),
        stopWhen: stepCountIs(5),
      })
      expect(text).toBe('Paid.')
      expect(toolResults(model)).toEqual(
        RESULTS.map(value => ({ type: 'text', value: expect.stringMatching(value) })),
      )
      expect(model.doGenerateCalls[0]?.tools?.map(({ name }) => name)).toContain('load_skill')
      expect(model.doGenerateCalls[0]?.tools?.[1]).toMatchObject({
        inputSchema: { required: ['skill'] },
      })
      expect(session.open.map(({ skill }) => skill.name)).toEqual(['invoice-check'])
      // The search and the file. Instructions have an entry of their own.
      const [search, , file] = toolResults(model).map(({ value }) =>
        session.countTokens(String(value)),
      )
      expect(session.ledger().toolResults.tokens).toBe(Number(search) + Number(file))
    },
  )

  it('[BY-7] AI SDK: errors reach the model with their message', async () => {
    const wrong = [{ skill: 'invoice-chek' }, { name: 'tea' }]
    const model = aiSdkModel(wrong.map(input => ({ name: 'load_skill', input })))
    const tools = aiSdk.skillTools(await start())
    const { steps } = await generateText({ model, prompt: 'go', tools, stopWhen: stepCountIs(3) })
    expect(toolResults(model)).toEqual([
      { type: 'error-text', value: expect.stringContaining('similar names: invoice-check') },
      { type: 'error-text', value: expect.stringContaining('load_skill was not run. skill') },
    ])
    expect(steps[0]?.toolResults[0]?.output).toMatchObject({ isError: true })
  })
})

const OTHERS = [{ name: 'load_skill' }, { name: 'read_skill_file' }, { name: 'unload_skill' }]
const parameters = { type: 'object', required: ['query'] }

it.each<[string, (session: Session) => object[], first: object, others: object[]]>([
  [
    'Anthropic: skillTools',
    (session): Anthropic.Tool[] => anthropic.skillTools(session),
    { name: 'search_skills', input_schema: parameters },
    OTHERS,
  ],
  [
    'OpenAI chat: skillTools',
    (session): OpenAI.ChatCompletionTool[] => openai.skillTools(session),
    { type: 'function', function: { name: 'search_skills', parameters } },
    OTHERS.map(tool => ({ type: 'function', function: tool })),
  ],
  [
    'OpenAI responses: responseTools',
    (session): OpenAI.Responses.Tool[] => openai.responseTools(session),
    { type: 'function', name: 'search_skills', strict: false, parameters },
    OTHERS,
  ],
])('[BY-7] %s returns the tools as the API takes them', async (_, convert, first, others) => {
  expect(convert(await start())).toMatchObject([first, ...others])
})

describe('Anthropic', () => {
  it("[BY-7] Anthropic: answerToolUses marks errors, keeps the order and skips the host's tools", async () => {
    const use = (id: string, name: string, input: unknown) => ({
      type: 'tool_use',
      id,
      name,
      input,
    })
    const content = [
      { type: 'thinking', thinking: '', signature: '' },
      use('a', 'load_skill', { skill: 'coffee' }),
      use('b', 'get_weather', {}),
      use('c', 'load_skill', { skill: 'tea' }),
      use('d', 'tea', {}),
      use('e', 'load_skill', 'tea'),
    ]
    const answers = await anthropic.answerToolUses(await start(), content, {
      hostTools: ['get_weather'],
    })
    const type = 'tool_result'
    const result = (tool_use_id: string, says: string) => ({
      type,
      tool_use_id,
      content: expect.stringContaining(says),
    })
    expect(answers).toEqual([
      { ...result('a', 'Skill "coffee" not found'), is_error: true },
      result('c', 'Boil water.'),
      { ...result('d', 'tea is a skill, not a tool'), is_error: true },
      { ...result('e', 'the input: Invalid input'), is_error: true },
    ])
  })
})

describe('LangChain', () => {
  const named = (tools: readonly DynamicStructuredTool[], name: string): DynamicStructuredTool => {
    const tool = tools.find(one => one.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    return tool
  }
  const call = (name: string, args: Record<string, unknown>) => ({
    type: 'tool_call' as const,
    id: 'a',
    name,
    args,
  })

  it('[BY-7] LangChain: an agent loop finds a skill, opens it, reads its file and answers', async () => {
    const session = await start()
    // A scripted model: calls these tools, one per turn.
    const model = fakeModel()
    for (const { name, input } of SCRIPT) model.respondWithTools([{ name, args: input }])
    model.respond(new AIMessage('Paid.'))
    const messages: BaseMessage[] = [new HumanMessage('check this invoice')]
    for (let step = 0; step < 5; step++) {
      const tools = langChain.skillTools(session)
      const answer = await model.bindTools(tools).invoke(messages)
      messages.push(answer)
      if (!answer.tool_calls?.length) break
      for (const one of answer.tool_calls)
        messages.push(
          (await named(tools, one.name).invoke({ ...one, type: 'tool_call' })) as ToolMessage,
        )
    }
    expect(messages.at(-1)?.text).toBe('Paid.')
    const said = messages.filter(message => ToolMessage.isInstance(message))
    expect(said.map(({ text }) => text)).toEqual(RESULTS.map(one => expect.stringMatching(one)))
    expect(said[1]).toMatchObject({ status: 'success', artifact: { isError: false } })
  })

  it('[BY-7] LangChain: errors are returned with their message and status', async () => {
    const load = named(langChain.skillTools(await start()), 'load_skill')
    const answer = (await load.invoke(call('load_skill', { skill: 'coffee' }))) as ToolMessage
    const failed = {
      status: 'error',
      tool_call_id: 'a',
      name: 'load_skill',
      artifact: { isError: true },
    }
    expect(answer).toMatchObject(failed)
    expect(answer.text).toContain('Skill "coffee" not found')
    expect(await load.invoke({ skill: 'coffee' })).toContain('Skill "coffee" not found')
    // LangChain checks the input itself and throws.
    await expect(load.invoke(call('load_skill', { name: 'tea' }))).rejects.toThrow(
      /required property "skill"/,
    )
  })

  it('[BY-7] LangChain: an abort reaches the tool', async () => {
    const { library } = await openFiles()
    await using _ = library
    const stopping = new AbortController()
    let seen: AbortSignal | undefined
    const waiting: SkillTool = {
      name: 'wait',
      description: 'Waits',
      inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
      async execute(_input, { signal } = {}) {
        seen = signal
        stopping.abort()
        return { text: 'too late', isError: false }
      },
    }
    const session = createSession(library, {
      dialect: { ...defaultDialect, tools: () => [waiting] },
    })
    const asked = named(langChain.skillTools(session), 'wait').invoke(
      {},
      { signal: stopping.signal },
    )
    await expect(asked).rejects.toThrow(/abort/i)
    expect(seen?.aborted).toBe(true)
  })
})

describe('OpenAI chat completions', () => {
  const call = (id: string, name: string, json: string) => ({
    id,
    type: 'function',
    function: { name, arguments: json },
  })

  it('[BY-7] OpenAI chat: answerToolCalls keeps the order of calls and corrects wrong ones', async () => {
    const session = await start()
    const answers = await openai.answerToolCalls(session, {
      tool_calls: [
        call('a', 'load_skill', '{"skill":"tea"}'),
        call('b', 'load_skill', '{"skill":'),
        call('c', 'invoice-check', '{}'),
        call('d', 'search_skills', ''),
        call('e', 'load_skill', '{"skill":"coffee"}'),
        { id: 'f', type: 'custom', custom: { name: 'sql', input: 'select 1' } },
        call('g', 'get_weather', '{}'),
        call('h', 'load_skill', '{"skill":"tea"}'),
      ],
    })
    expect(answers.map(({ tool_call_id }) => tool_call_id)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'g',
      'h',
    ])
    expect(answers.every(({ role }) => role === 'tool')).toBe(true)
    const says = [
      'Boil water.',
      'load_skill was not run: its arguments are not valid JSON.',
      'invoice-check is a skill, not a tool: call load_skill to open it.',
      'search_skills was not run. query',
      'Skill "coffee" not found',
      'There is no tool "get_weather". The tools are search_skills, load_skill',
      'It is already open',
    ]
    expect(answers.map(({ content }) => content)).toEqual(
      says.map(text => expect.stringContaining(text)),
    )
  })

  it("[BY-7] OpenAI chat: answerToolCalls skips the host's tools and messages without calls", async () => {
    const session = await start()
    const tool_calls = ['get_weather', 'unload_skill'].map((name, at) =>
      call(`${at}`, name, '{"skill":"tea"}'),
    )
    const answers = await openai.answerToolCalls(
      session,
      { tool_calls },
      { hostTools: ['get_weather'] },
    )
    expect(answers).toMatchObject([
      { tool_call_id: '1', content: expect.stringContaining('tea is not open') },
    ])
    expect(await openai.answerToolCalls(session, {})).toEqual([])
    expect(await openai.answerToolCalls(session, { tool_calls: null })).toEqual([])
  })
})

it("[BY-7] OpenAI responses: answerFunctionCalls corrects bad arguments and skips the host's tools", async () => {
  const type = 'function_call'
  const call = (call_id: string, name: string, json: string) => ({
    type,
    call_id,
    name,
    arguments: json,
  })
  const output = [
    { type: 'reasoning', id: 'r', summary: [] },
    call('a', 'load_skill', 'skill: tea'),
    call('b', 'get_weather', '{}'),
    call('c', 'load_skill', '{"skill":"tea"}'),
  ]
  const answers = await openai.answerFunctionCalls(await start(), output, {
    hostTools: ['get_weather'],
  })
  const answered = 'function_call_output'
  const result = (call_id: string, says: string) => ({
    type: answered,
    call_id,
    output: expect.stringContaining(says),
  })
  const wrong = 'load_skill was not run: its arguments are not valid JSON.'
  expect(answers).toEqual([result('a', wrong), result('c', 'Boil water.')])
})
