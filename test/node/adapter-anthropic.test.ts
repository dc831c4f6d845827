import type Anthropic from '@anthropic-ai/sdk'
import { expect, it } from 'vitest'
import { answerToolUses, skillTools } from '../../src/agent/adapters/anthropic.js'
import { expectCurrentTools, start } from './agent-world.js'

it('[BY-7] Anthropic: skillTools returns the tools as the API takes them', async () => {
  const tools: Anthropic.Tool[] = skillTools(await start())
  expect(tools).toMatchObject([
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
