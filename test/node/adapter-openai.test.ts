import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { answerFunctionCalls, answerToolCalls, responseTools, skillTools } from '../../src/agent/adapters/openai.js'
import { expectCurrentTools, start } from './agent-world.js'

describe('chat completions', () => {
  it('[BY-7] OpenAI chat: skillTools returns the tools as the API takes them', async () => {
    const tools: OpenAI.ChatCompletionTool[] = skillTools(await start())
    expect(tools).toMatchObject([
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
  it('[BY-7] OpenAI responses: responseTools returns the tools as the API takes them', async () => {
    const tools: OpenAI.Responses.Tool[] = responseTools(await start())
    expect(tools).toMatchObject([
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
