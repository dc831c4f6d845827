import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { answerFunctionCalls, answerToolCalls, responseTools, skillTools } from '../../src/agent/adapters/openai.js'
import { expectCurrentTools, RESULTS, SCRIPT, start } from './agent-world.js'

type Call = { name: string; arguments: string }
const asJson = ({ name, input }: { name: string; input: unknown }): Call => ({ name, arguments: JSON.stringify(input) })

/** The real client over a fake service: makes the calls of a script, one list per turn, then answers "Paid." */
function fakeService(script: readonly (readonly Call[])[]) {
  const bodies: Record<string, unknown>[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    bodies.push(JSON.parse(String(init?.body)))
    const calls = script[bodies.length - 1] ?? []
    const id = (at: number): string => `call_${bodies.length}_${at}`
    const isChat = String(url).endsWith('/chat/completions')
    return Response.json(isChat ? completion(calls, id) : response(calls, id))
  }
  return { client: new OpenAI({ apiKey: 'none', baseURL: 'http://fake.invalid/v1', fetch, maxRetries: 0 }), bodies }
}

function completion(calls: readonly Call[], id: (at: number) => string) {
  const done = calls.length === 0
  const message = {
    role: 'assistant',
    content: done ? 'Paid.' : null,
    refusal: null,
    ...(done ? {} : { tool_calls: calls.map((call, at) => ({ id: id(at), type: 'function', function: call })) }),
  }
  return {
    id: 'c',
    object: 'chat.completion',
    created: 0,
    model: 'fake',
    choices: [{ index: 0, message, logprobs: null, finish_reason: done ? 'stop' : 'tool_calls' }],
  }
}

function response(calls: readonly Call[], id: (at: number) => string) {
  const output =
    calls.length === 0
      ? [
          {
            type: 'message',
            id: 'm',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'Paid.', annotations: [] }],
          },
        ]
      : [
          { type: 'reasoning', id: 'r', summary: [] },
          ...calls.map((call, at) => ({ type: 'function_call', id: `f${at}`, call_id: id(at), ...call })),
        ]
  return { id: 'r', object: 'response', created_at: 0, model: 'fake', status: 'completed', output }
}

describe('chat completions', () => {
  it('[BY-7] OpenAI chat: an agent loop finds a skill, opens it, reads its file and answers', async () => {
    const session = await start()
    const { client, bodies } = fakeService(SCRIPT.map(step => [asJson(step)]))
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'check this invoice' }]
    let text: string | null = null
    for (let step = 0; step < 5 && text === null; step++) {
      const { choices } = await client.chat.completions.create({ model: 'fake', messages, tools: skillTools(session) })
      const message = choices[0]?.message as OpenAI.ChatCompletionMessage
      text = message.content
      messages.push(message, ...(await answerToolCalls(session, message)))
    }
    expect(text).toBe('Paid.')
    const said = messages.flatMap(message => (message.role === 'tool' ? [message] : []))
    expect(said.map(({ tool_call_id }) => tool_call_id)).toEqual(['call_1_0', 'call_2_0', 'call_3_0'])
    expect(said.map(({ content }) => content)).toEqual(RESULTS.map(one => expect.stringMatching(one)))
    expect(bodies[0]?.['tools']).toMatchObject([
      { type: 'function', function: { name: 'search_skills', parameters: { type: 'object', required: ['query'] } } },
      { type: 'function', function: { name: 'load_skill' } },
      { function: { name: 'read_skill_file' } },
      { function: { name: 'unload_skill' } },
    ])
  })

  it('[BY-7] OpenAI chat: answerToolCalls keeps the order of calls and corrects wrong ones', async () => {
    const session = await start()
    const call = (id: string, name: string, json: string) => ({
      id,
      type: 'function',
      function: { name, arguments: json },
    })
    const answers = await answerToolCalls(session, {
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
    expect(answers.map(({ tool_call_id }) => tool_call_id)).toEqual(['a', 'b', 'c', 'd', 'e', 'g', 'h'])
    expect(answers.every(({ role }) => role === 'tool')).toBe(true)
    const says = answers.map(({ content }) => content)
    expect(says[0]).toContain('Boil water.')
    expect(says[1]).toContain('load_skill was not run: its arguments are not valid JSON.')
    expect(says[2]).toContain('invoice-check is a skill, not a tool: call load_skill to open it.')
    expect(says[3]).toContain('search_skills was not run. query')
    expect(says[4]).toContain('Skill "coffee" not found')
    expect(says[5]).toContain('There is no tool "get_weather". The tools are search_skills, load_skill')
    expect(says[6]).toContain('It is already open')
  })

  it("[BY-7] OpenAI chat: answerToolCalls skips the host's tools and messages without calls", async () => {
    const session = await start()
    const tool_calls = ['get_weather', 'unload_skill'].map((name, at) => ({
      id: String(at),
      type: 'function',
      function: { name, arguments: '{"skill":"tea"}' },
    }))
    const answers = await answerToolCalls(session, { tool_calls }, { hostTools: ['get_weather'] })
    expect(answers).toMatchObject([{ tool_call_id: '1', content: expect.stringContaining('tea is not open') }])
    expect(await answerToolCalls(session, {})).toEqual([])
    expect(await answerToolCalls(session, { tool_calls: null })).toEqual([])
  })

  it('[AC-6] OpenAI: skillTools and responseTools return the current tools and descriptions', async () => {
    await expectCurrentTools(skillTools)
    await expectCurrentTools(responseTools)
  })

  it('[BY-7] OpenAI: answerToolCalls rejects on abort', async () => {
    const message = { tool_calls: [{ id: 'a', function: { name: 'load_skill', arguments: '{"skill":"tea"}' } }] }
    const answering = answerToolCalls(await start(), message, { signal: AbortSignal.abort() })
    await expect(answering).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('responses', () => {
  it('[BY-7] OpenAI responses: an agent loop finds a skill, opens it, reads its file and answers', async () => {
    const session = await start()
    const { client, bodies } = fakeService(SCRIPT.map(step => [asJson(step)]))
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'check this invoice' }]
    let text = ''
    for (let step = 0; step < 5 && text === ''; step++) {
      const made = await client.responses.create({ model: 'fake', input, tools: responseTools(session) })
      text = made.output_text
      // The types of output and input items differ in a state that does not occur here.
      input.push(...(made.output as typeof input), ...(await answerFunctionCalls(session, made.output)))
    }
    expect(text).toBe('Paid.')
    const said = input.flatMap(item => (item.type === 'function_call_output' ? [item] : []))
    expect(said.map(item => item.call_id)).toEqual(['call_1_0', 'call_2_0', 'call_3_0'])
    expect(said.map(item => item.output)).toEqual(RESULTS.map(one => expect.stringMatching(one)))
    expect(bodies[0]?.['tools']).toMatchObject([
      { type: 'function', name: 'search_skills', strict: false, parameters: { required: ['query'] } },
      { name: 'load_skill' },
      { name: 'read_skill_file' },
      { name: 'unload_skill' },
    ])
  })

  it("[BY-7] OpenAI responses: answerFunctionCalls corrects bad arguments and skips the host's tools", async () => {
    const call = (call_id: string, name: string, json: string) => ({
      type: 'function_call',
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
    const answers = await answerFunctionCalls(await start(), output, { hostTools: ['get_weather'] })
    expect(answers).toEqual([
      {
        type: 'function_call_output',
        call_id: 'a',
        output: expect.stringContaining('load_skill was not run: its arguments are not valid JSON.'),
      },
      { type: 'function_call_output', call_id: 'c', output: expect.stringContaining('Boil water.') },
    ])
  })
})
