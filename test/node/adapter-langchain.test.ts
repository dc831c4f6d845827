import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import type { DynamicStructuredTool } from '@langchain/core/tools'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { expect, it } from 'vitest'
import { skillTools } from '../../src/agent/adapters/langchain.js'
import { defaultDialect } from '../../src/agent/session/default-dialect.js'
import type { SkillTool } from '../../src/exports/session.js'
import { createSession } from '../../src/exports/session.js'
import { expectCurrentTools, openFiles, RESULTS, SCRIPT, start } from './agent-world.js'

const named = (tools: readonly DynamicStructuredTool[], name: string): DynamicStructuredTool => {
  const tool = tools.find(one => one.name === name)
  if (!tool) throw new Error(`no tool ${name}`)
  return tool
}
const call = (name: string, args: Record<string, unknown>) => ({ type: 'tool_call' as const, id: 'a', name, args })

it('[BY-7] LangChain: an agent loop finds a skill, opens it, reads its file and answers', async () => {
  const session = await start()
  // A scripted model: calls these tools, one per turn.
  const model = fakeModel()
  for (const { name, input } of SCRIPT) model.respondWithTools([{ name, args: input }])
  model.respond(new AIMessage('Paid.'))
  const messages: BaseMessage[] = [new HumanMessage('check this invoice')]
  for (let step = 0; step < 5; step++) {
    const tools = skillTools(session)
    const answer = await model.bindTools(tools).invoke(messages)
    messages.push(answer)
    if (!answer.tool_calls?.length) break
    for (const one of answer.tool_calls)
      messages.push((await named(tools, one.name).invoke({ ...one, type: 'tool_call' })) as ToolMessage)
  }
  expect(messages.at(-1)?.text).toBe('Paid.')
  const said = messages.filter(message => ToolMessage.isInstance(message))
  expect(said.map(({ text }) => text)).toEqual(RESULTS.map(one => expect.stringMatching(one)))
  expect(said[1]).toMatchObject({ status: 'success', artifact: { isError: false } })
})

it('[BY-7] LangChain: the tools bind to a chat model', async () => {
  const tools = skillTools(await start())
  const bound = new FakeListChatModel({ responses: ['Paid.'] }).bindTools(tools)
  expect((await bound.invoke('go')).text).toBe('Paid.')
  expect(named(tools, 'load_skill').schema).toMatchObject({ type: 'object', required: ['skill'] })
})

it('[BY-7] LangChain: errors are returned with their message and status', async () => {
  const load = named(skillTools(await start()), 'load_skill')
  const answer = (await load.invoke(call('load_skill', { skill: 'coffee' }))) as ToolMessage
  expect(answer).toMatchObject({ status: 'error', tool_call_id: 'a', name: 'load_skill', artifact: { isError: true } })
  expect(answer.text).toContain('Skill "coffee" not found')
  expect(await load.invoke({ skill: 'coffee' })).toContain('Skill "coffee" not found')
  // LangChain checks the input itself and throws.
  await expect(load.invoke(call('load_skill', { name: 'tea' }))).rejects.toThrow(/required property "skill"/)
})

it('[AC-6] LangChain: skillTools returns the current tools and descriptions', () =>
  expectCurrentTools(session => skillTools(session).map(({ description }) => ({ description }))))

it('[BY-7] LangChain: an abort reaches the tool', async () => {
  const { library } = await openFiles()
  await using _ = library
  const stopping = new AbortController()
  let seen: AbortSignal | undefined
  const waiting: SkillTool = {
    name: 'wait',
    description: 'Waits',
    inputSchema: {
      type: 'object' as const,
      properties: { skill: { type: 'string' as const } },
      required: [],
      additionalProperties: false as const,
    },
    async execute(_input, { signal } = {}) {
      seen = signal
      stopping.abort()
      return { text: 'too late', isError: false }
    },
  }
  const session = createSession(library, { dialect: { ...defaultDialect, tools: () => [waiting] } })
  const asked = named(skillTools(session), 'wait').invoke({ skill: 'tea' }, { signal: stopping.signal })
  await expect(asked).rejects.toThrow(/abort/i)
  expect(seen?.aborted).toBe(true)
})
