import Anthropic from '@anthropic-ai/sdk'
import { expect, it } from 'vitest'
import { answerToolUses, skillTools } from '../../src/agent/adapters/anthropic.js'
import { expectCurrentTools, RESULTS, SCRIPT, start } from './agent-world.js'

/** The real client over a fake service: calls the tools of a script, one per turn, then answers "Paid." */
function fakeService(script: readonly { name: string; input: unknown }[]) {
  const bodies: Record<string, unknown>[] = []
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    bodies.push(JSON.parse(String(init?.body)))
    const use = script[bodies.length - 1]
    return Response.json({
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'fake',
      content: use
        ? [
            { type: 'text', text: 'One moment.' },
            { type: 'tool_use', id: `use_${bodies.length}`, ...use },
          ]
        : [{ type: 'text', text: 'Paid.' }],
      stop_reason: use ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    })
  }
  return { client: new Anthropic({ apiKey: 'none', baseURL: 'http://fake.invalid', fetch, maxRetries: 0 }), bodies }
}

it('[BY-7] Anthropic: an agent loop finds a skill, opens it, reads its file and answers', async () => {
  const session = await start()
  const { client, bodies } = fakeService(SCRIPT)
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'check this invoice' }]
  const results: Anthropic.ToolResultBlockParam[] = []
  let last: Anthropic.Message | undefined
  for (let step = 0; step < 5 && last?.stop_reason !== 'end_turn'; step++) {
    last = await client.messages.create({ model: 'fake', max_tokens: 100, messages, tools: skillTools(session) })
    messages.push({ role: 'assistant', content: last.content })
    const answers = await answerToolUses(session, last.content)
    if (answers.length > 0) messages.push({ role: 'user', content: answers })
    results.push(...answers)
  }
  expect(last?.content).toEqual([{ type: 'text', text: 'Paid.' }])
  expect(results).toEqual(
    RESULTS.map((content, at) => ({
      type: 'tool_result',
      tool_use_id: `use_${at + 1}`,
      content: expect.stringMatching(content),
    })),
  )
  expect(bodies[0]?.['tools']).toMatchObject([
    { name: 'search_skills', input_schema: { type: 'object', required: ['query'] } },
    { name: 'load_skill' },
    { name: 'read_skill_file' },
    { name: 'unload_skill' },
  ])
})

it("[BY-7] Anthropic: answerToolUses marks errors, keeps the order and skips the host's tools", async () => {
  const use = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input })
  const content = [
    { type: 'thinking', thinking: '', signature: '' },
    use('a', 'load_skill', { skill: 'coffee' }),
    use('b', 'get_weather', {}),
    use('c', 'load_skill', { skill: 'tea' }),
    use('d', 'tea', {}),
    use('e', 'load_skill', 'tea'),
  ]
  const answers = await answerToolUses(await start(), content, { hostTools: ['get_weather'] })
  const result = (tool_use_id: string, says: string) => ({
    type: 'tool_result',
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

it('[AC-6] Anthropic: skillTools returns the current tools and descriptions', () => expectCurrentTools(skillTools))

it('[BY-7] Anthropic: answerToolUses rejects on abort', async () => {
  const content = [{ type: 'tool_use', id: 'a', name: 'load_skill', input: { skill: 'tea' } }]
  const answering = answerToolUses(await start(), content, { signal: AbortSignal.abort() })
  await expect(answering).rejects.toMatchObject({ name: 'AbortError' })
})
